package total

import (
	"context"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	entcounter "mintburn/ent/counter"
	"mintburn/ent/mint"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
)

// Sums returns, for each collection or token of a query's list, the number of records up to
// the block to and the sum of their amounts. From [counter.LastBlock] on the records are
// complete. Sums reads as little as totals do, on PostgreSQL in two round trips.
func Sums(ctx context.Context, s *read.Snapshot, q *query.Query, to uint64) ([]counter.Tally, error) {
	blocks := evm.Range{To: min(to, counter.LastBlock)}
	stored, err := storedSums(ctx, s, q.List.Scopes, counter.Parts(blocks))
	if err != nil {
		return nil, err
	}
	tallies := make([]counter.Tally, len(stored))
	var few, others unsummed
	for i := range stored {
		summed, uncounted, found := counter.Total(blocks, stored[i])
		if tallies[i] = summed; !found {
			others.add(q.List, i, 0, &tallies[i])
		}
		// At most one range, which ends with the last block.
		for _, r := range uncounted {
			few.add(q.List, i, tables.FirstIn(r.From), &tallies[i])
		}
	}
	// A value without a tree has few records as well, except during a load. No two goroutines
	// write to the same element.
	err = s.Tx.Together(ctx, 2, func(ctx context.Context, i int) error {
		of, limit := &few, counter.LeafSize
		if i == 1 {
			of, limit = &others, 2*MaxWithoutTree
		}
		return addRecords(ctx, s, q, of, query.Selection{Low: "k.lo", Hi: query.Within(blocks).Hi, Limit: limit})
	})
	return tallies, err
}

// unsummed are values of a list, each with the position lo from which on no tree sums its
// records. of is its tally.
type unsummed struct {
	query.List
	lo []int64
	of []*counter.Tally
}

// add adds the i-th value of a list.
func (u *unsummed) add(l *query.List, i int, lo int64, of *counter.Tally) {
	u.List.Add(l.N[i], l.B[i])
	u.lo, u.of = append(u.lo, lo), append(u.of, of)
}

// addRecords adds the records of values to their tallies. Those of a value that exceed the
// limit are read again without one, unless a tree has the others.
func addRecords(ctx context.Context, s *read.Snapshot, q *query.Query, u *unsummed, of query.Selection) error {
	if len(u.of) == 0 {
		return nil
	}
	more, err := readAmounts(ctx, s, q, u, of)
	if err != nil {
		return err
	}
	var rest unsummed
	for i, tally := range u.of {
		if of.Limit > counter.LeafSize && more[i].N >= int64(of.Limit) {
			rest.add(&u.List, i, u.lo[i], tally)
		} else {
			*tally = tally.Plus(more[i])
		}
	}
	of.Limit = 0
	return addRecords(ctx, s, q, &rest, of)
}

// readAmounts returns the tally of the records of each value, with one statement. PostgreSQL
// reads at most as many of them as the limit.
func readAmounts(ctx context.Context, s *read.Snapshot, q *query.Query, u *unsummed, of query.Selection) ([]counter.Tally, error) {
	tallies, table, name := make([]counter.Tally, len(u.of)), query.Arrays{u.N, u.B, u.lo, query.RowNumber{}}, s.DB.Database.Dialect()
	of.Columns = []string{mint.FieldID, mint.FieldAmount}
	if name != dialect.Postgres {
		of.Limit = 0
	} // On PostgreSQL it tells the planner that a value selects few of the records.
	_, err := s.Cached(ctx, q.Key("amounts", of), func(client *ent.Client) entsql.Querier {
		return table.Select(name, "k(n, b, lo, i)", func(b *entsql.Builder) {
			b.WriteString("k.i, few.amount, COUNT(*) FROM k CROSS JOIN ")
			if name == dialect.Postgres {
				b.WriteString("LATERAL ").Wrap(func(b *entsql.Builder) { b.Join(q.Selector(client, of)) }).WriteString(" AS few")
			} else {
				records := entsql.Dialect(name).Select().From(entsql.Dialect(name).Table(q.Table()).As("few"))
				q.Where(of)(records)
				b.WriteString(q.Table() + " AS few WHERE ").Join(records.P())
			}
			b.WriteString(" GROUP BY k.i, few.amount")
		})
	}, append(table.Args(name), q.Args(name, of)...), func(row *database.Row) error {
		i := row.Unsigned(uint64(len(tallies))) - 1
		tallies[i] = tallies[i].Plus(tables.SameAmounts(row))
		return row.Err()
	})
	return tallies, database.Wrap(err, "adding up amounts")
}

// storedSums returns the sums that the trees of scopes contain for parts, with one
// statement. Nodes with the same amount are one row; for most nodes the amount is null.
func storedSums(ctx context.Context, s *read.Snapshot, scopes [][]byte, parts []counter.Part) ([]map[counter.Part]counter.Tally, error) {
	found := make([]map[counter.Part]counter.Tally, len(scopes))
	table, name, bounds := query.Arrays{scopes, query.RowNumber{}}, s.DB.Database.Dialect(), partArgs(nil, parts)
	text := s.DB.Statement(query.Key{Name: "amounts of counters", Limit: len(parts)}, func(*ent.Client) entsql.Querier {
		return selectStoredSums(name, table, bounds)
	})
	err := s.Tx.Run(ctx, text, append(table.Args(name), bounds...), func(row *database.Row) error {
		k, i, nodes := row.Unsigned(uint64(len(scopes)))-1, row.Unsigned(uint64(len(parts)-1)), row.Int64()
		tally := counter.Ones(row.Int64())
		if !row.Null() {
			row.Scan(&tally.Amount)
			tally.Amount = tally.Amount.Times(nodes)
		}
		if row.Err() == nil {
			if found[k] == nil {
				found[k] = map[counter.Part]counter.Tally{}
			}
			found[k][parts[i]] = found[k][parts[i]].Plus(tally)
		}
		return row.Err()
	})
	return found, database.Wrap(err, "reading counters")
}

// selectStoredSums builds the statement of storedSums, which reads one range of the
// counters' index for each scope and part.
func selectStoredSums(name string, table query.Arrays, bounds []any) entsql.Querier {
	of := nodesOfEach(name)
	return table.Select(name, "k(b, n)", func(b *entsql.Builder) {
		b.WriteString("k.n, i, COUNT(*), CAST(SUM(counted.n) AS bigint), amount FROM k CROSS JOIN ")
		writeParts(b, bounds)
		b.WriteString(" CROSS JOIN ")
		if name == dialect.Postgres {
			// OFFSET keeps the planner from joining in another order.
			b.WriteString("LATERAL (SELECT * FROM " + of + " OFFSET 0) AS counted")
		} else {
			b.WriteString(entcounter.Table + " AS counted" + of[len(entcounter.Table):])
		}
		b.WriteString(" GROUP BY k.n, i, amount")
	})
}

// MaxWithoutTree is the number of records above which a scope must have a tree. Storing a
// record checks with a chance of 1 in 128 whether its scopes need a tree. The probability
// that none of the 3,584 records after [counter.LeafSize] does so is 10^-12.
const MaxWithoutTree = 8 * counter.LeafSize
