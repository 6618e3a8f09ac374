package total

import (
	"context"
	"errors"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	entcounter "mintburn/ent/counter"
	"mintburn/ent/mint"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
)

// Sums returns, for each filter, the number of records up to the block to and the sum of
// their amounts. Each filter must be that of a collection or token. From
// [counter.LastBlock] on the records are complete. Sums reads as little as totals do, on
// PostgreSQL in two round trips.
func Sums(ctx context.Context, s *read.Snapshot, filters []counter.Filter, to uint64) ([]counter.Tally, error) {
	blocks := evm.Range{To: min(to, counter.LastBlock)}
	scopes := make([][]byte, len(filters))
	for i, f := range filters {
		if f.Contract == nil || f.Account != nil {
			return nil, errors.New("internal error: sum of a filter that is neither a collection's nor a token's")
		}
		scopes[i] = f.Scope()
	}
	stored, err := storedSums(ctx, s, scopes, counter.Parts(blocks))
	if err != nil {
		return nil, err
	}
	tallies := make([]counter.Tally, len(filters))
	groups := map[group]*unsummed{}
	for i, f := range filters {
		summed, uncounted, found := counter.Total(blocks, stored[i])
		if tallies[i] = summed; !found {
			uncounted = []evm.Range{blocks}
		}
		for _, r := range uncounted {
			of := group{f.Kind, f.Token != nil, found}
			if groups[of] == nil {
				groups[of] = new(unsummed)
			}
			groups[of].add(i, f, r)
		}
	}
	var list []group
	for of := range groups {
		list = append(list, of)
	}
	// No two goroutines write to the same element: each filter is in one group.
	err = s.Tx.Together(ctx, len(list), func(ctx context.Context, i int) error {
		return addRecords(ctx, s, list[i], groups[list[i]], tallies)
	})
	return tallies, err
}

// group are the records that one statement sums: those of a kind, of collections or of
// tokens. few means that they are few because a tree counts the others.
type group struct {
	kind    nft.Kind
	ofToken bool
	few     bool
}

// unsummed are ranges of positions whose records no tree sums, each with the collection or
// token and the index i of its filter.
type unsummed struct {
	query.List
	i, lo, hi []int64
}

// add adds a range of blocks of filter i.
func (u *unsummed) add(i int, f counter.Filter, blocks evm.Range) {
	token := []byte{}
	if f.Token != nil {
		token = f.Token.Bytes()
	}
	u.List.Add(*f.Contract, token)
	of := query.Within(blocks)
	u.i, u.lo, u.hi = append(u.i, int64(i)), append(u.lo, of.Lo), append(u.hi, of.Hi)
}

// query selects the records of a row k of unsummed.
func (g group) query() *query.Query {
	q := &query.Query{Kind: g.kind, Hi: tables.MaxPosition, List: &query.List{Name: "collections to sum"}}
	q.Equal(mint.FieldContractID, query.ValueNumber)
	if g.ofToken {
		q.List.Name = "tokens to sum"
		q.Equal(mint.FieldTokenID, query.ValueBytes)
	}
	return q
}

// addRecords adds the records of ranges to tallies. A filter without a tree has few records
// as well, except during a load: if it exceeds the limit, it is read again without one.
func addRecords(ctx context.Context, s *read.Snapshot, g group, u *unsummed, tallies []counter.Tally) error {
	limit := counter.LeafSize
	if !g.few {
		limit = 2 * MaxWithoutTree
	}
	more, err := readAmounts(ctx, s, g, u, limit, len(tallies))
	if err != nil {
		return err
	}
	var rest unsummed
	for k, i := range u.i {
		if !g.few && more[i].N >= int64(limit) {
			delete(more, i)
			rest.List.Add(u.N[k], u.B[k])
			rest.i, rest.lo, rest.hi = append(rest.i, i), append(rest.lo, u.lo[k]), append(rest.hi, u.hi[k])
		}
	}
	for i, tally := range more {
		tallies[i] = tallies[i].Plus(tally)
	}
	if len(rest.i) == 0 {
		return nil
	}
	all, err := readAmounts(ctx, s, g, &rest, 0, len(tallies))
	for i, tally := range all {
		tallies[i] = tallies[i].Plus(tally)
	}
	return err
}

// readAmounts returns the tally of the ranges of each filter, by the filter's index, with
// one statement. filters is the number of filters. PostgreSQL reads at most limit records of
// a range; 0 means no limit.
func readAmounts(ctx context.Context, s *read.Snapshot, g group, u *unsummed, limit, filters int) (map[int64]counter.Tally, error) {
	tallies := map[int64]counter.Tally{}
	q, of := g.query(), query.Selection{Low: "k.lo", High: "k.hi", Columns: []string{mint.FieldID, mint.FieldAmount}}
	table, name := query.Arrays{u.N, u.B, u.i, u.lo, u.hi}, s.DB.Database.Dialect()
	if name == dialect.Postgres {
		// The limit tells the planner that a range contains few of the records.
		of.Limit = limit
	}
	_, err := s.Cached(ctx, q.Key("amounts", of), func(client *ent.Client) entsql.Querier {
		return table.Select(name, "k(n, b, i, lo, hi)", func(b *entsql.Builder) {
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
		i := int64(row.Unsigned(uint64(filters - 1)))
		tallies[i] = tallies[i].Plus(tables.SameAmounts(row))
		return row.Err()
	})
	return tallies, database.Wrap(err, "adding up amounts")
}

// storedSums returns the sums that the trees of scopes contain for parts, with one
// statement. Nodes with the same amount are one row; for most nodes the amount is null.
func storedSums(ctx context.Context, s *read.Snapshot, scopes [][]byte, parts []counter.Part) ([]map[counter.Part]counter.Sum, error) {
	numbers, found := make([]int64, len(scopes)), make([]map[counter.Part]counter.Sum, len(scopes))
	for i := range scopes {
		numbers[i], found[i] = int64(i), map[counter.Part]counter.Sum{}
	}
	table, name, bounds := query.Arrays{numbers, scopes}, s.DB.Database.Dialect(), partArgs(parts)
	text := s.DB.Statement(query.Key{Name: "amounts of counters", Limit: len(parts)}, func(*ent.Client) entsql.Querier {
		return selectStoredSums(name, table, bounds)
	})
	err := s.Tx.Run(ctx, text, append(table.Args(name), bounds...), func(row *database.Row) error {
		k, i, split, nodes := row.Unsigned(uint64(len(scopes)-1)), row.Unsigned(uint64(len(parts)-1)), row.Int64() > 0, row.Int64()
		tally := counter.Ones(row.Int64())
		if !row.Null() {
			row.Scan(&tally.Amount)
			tally.Amount = tally.Amount.Times(nodes)
		}
		if row.Err() == nil {
			sum := found[k][parts[i]]
			found[k][parts[i]] = counter.Sum{Tally: sum.Plus(tally), Split: sum.Split || split}
		}
		return row.Err()
	})
	return found, database.Wrap(err, "reading counters")
}

// selectStoredSums builds the statement of storedSums, which reads one range of the
// counters' index for each scope and part.
func selectStoredSums(name string, table query.Arrays, bounds []any) entsql.Querier {
	const of = entcounter.Table + " WHERE " + entcounter.FieldScope + " = k.b AND " + entcounter.FieldLevel + " = at AND " + entcounter.FieldBucket + " BETWEEN low AND high"
	return table.Select(name, "k(n, b)", func(b *entsql.Builder) {
		b.WriteString("k.n, i, MAX(CAST(split AS int)), COUNT(*), CAST(SUM(counted.n) AS bigint), amount FROM k CROSS JOIN ")
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
