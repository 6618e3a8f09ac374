package store

import (
	"context"
	"fmt"
	"math"

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

// counterReader reads counters and records of a snapshot.
type counterReader struct {
	tables.CounterNodes
	snapshot *read.Snapshot
}

var _ counter.Reader = counterReader{}

func newCounterReader(s *read.Snapshot) counterReader {
	return counterReader{tables.CounterNodes{Querier: s.Tx}, s}
}

// CountEach implements [counter.DB], in one round trip.
func (r counterReader) CountEach(ctx context.Context, s counter.Scope, blocks []evm.Range) ([]counter.Tally, error) {
	q, tallies, batch := query.OfScope(s), make([]counter.Tally, len(blocks)), make([]database.Statement, len(blocks))
	for i := range blocks {
		of := query.Within(blocks[i])
		of.Columns = []string{mint.FieldAmount}
		batch[i] = database.Statement{
			Text: r.snapshot.DB.Statement(q.Key("amounts", of), func(client *ent.Client) entsql.Querier { return tables.ByAmount(q.Selector(client, of)) }),
			Args: q.Args(r.snapshot.DB.Database.Dialect(), of),
			Read: func(row *database.Row) error {
				tallies[i] = tallies[i].Plus(tables.SameAmounts(row))
				return row.Err()
			},
		}
	}
	return tallies, database.Wrap(r.snapshot.Tx.RunAll(ctx, batch...), "counting records")
}

// queryTotal counts the records of a query in its range, with its counter tree if it has one.
func queryTotal(ctx context.Context, s *read.Snapshot, q *query.Query) (int64, error) {
	blocks := q.Blocks()
	if q.Counted == nil {
		return countRecords(ctx, s, q, blocks, false)
	}
	stored, err := partSums(ctx, s, q.Counted.Scope(), counter.Parts(blocks))
	if err != nil {
		return 0, err
	}
	summed, uncounted, found := counter.Total(blocks, stored)
	if !found {
		uncounted = []evm.Range{blocks}
	}
	counts := make([]int64, len(uncounted))
	err = s.Tx.Together(ctx, len(uncounted), func(ctx context.Context, i int) (err error) {
		counts[i], err = countRecords(ctx, s, q, uncounted[i], found)
		return err
	})
	total := summed.N
	for _, n := range counts {
		total += n
	}
	return total, err
}

// partSums returns the number of records of each part, with one statement.
func partSums(ctx context.Context, s *read.Snapshot, scope counter.Scope, parts []counter.Part) (map[counter.Part]counter.Sum, error) {
	args := partArgs(parts, []byte(scope))
	text := s.DB.Statement(query.Key{Name: "sums", Limit: len(parts)}, func(*ent.Client) entsql.Querier { return selectSums(s.DB.Database.Dialect(), args) })
	found := make(map[counter.Part]counter.Sum, len(parts))
	err := s.Tx.Run(ctx, text, args, func(row *database.Row) error {
		i, sum := row.Unsigned(uint64(len(parts)-1)), row.Int64()
		if row.Err() == nil && sum > 0 {
			found[parts[i]] = sumOf(sum)
		}
		return row.Err()
	})
	return found, database.Wrap(err, "reading counters")
}

// selectSums builds the statement of partSums, which reads one range of the counters'
// index for each part.
func selectSums(dialect string, args []any) entsql.Querier {
	return entsql.ExprFunc(func(b *entsql.Builder) {
		b.SetDialect(dialect)
		b.WriteString("SELECT i, ")
		writeSum(b, func(b *entsql.Builder) { b.Arg(args[0]) })
		b.WriteString(" FROM ")
		writeParts(b, args[1:])
	})
}

// writeSum writes the sum of a part's nodes of a scope, encoded in one number: twice the
// sum, plus one if a node is split. It is 0 if there are no nodes.
func writeSum(b *entsql.Builder, scope func(*entsql.Builder)) {
	n, split := entcounter.FieldN, entcounter.FieldSplit
	b.WriteString("(SELECT COALESCE(CAST(SUM(" + n + ") * 2 + MAX(CAST(" + split + " AS int)) AS bigint), 0) FROM " + entcounter.Table)
	b.WriteString(" WHERE " + entcounter.FieldScope + " = ")
	scope(b)
	b.WriteString(" AND " + entcounter.FieldLevel + " = at AND " + entcounter.FieldBucket + " BETWEEN low AND high)")
}

// sumOf decodes the value of writeSum's expression. The result has no amount.
func sumOf(sum int64) counter.Sum {
	return counter.Sum{Tally: counter.Tally{N: sum / 2}, Split: sum%2 == 1}
}

// partArgs returns others, followed by the arguments of writeParts.
func partArgs(parts []counter.Part, others ...any) []any {
	args := append(make([]any, 0, len(others)+4*len(parts)), others...)
	for i, p := range parts {
		args = append(args, i, p.Level, p.Buckets.From, p.Buckets.To)
	}
	return args
}

// writeParts writes a table of parts, row by row.
func writeParts(b *entsql.Builder, args []any) {
	b.WriteString("(SELECT ")
	columns := [...]string{"i", "at", "low", "high"}
	for i, value := range args {
		switch column := i % len(columns); {
		case column > 0:
			b.Comma()
		case i > 0:
			b.WriteString(" UNION ALL SELECT ")
		}
		b.WriteString("CAST(").Arg(value).WriteString(" AS bigint) AS " + columns[i%len(columns)])
	}
	b.WriteString(") AS parts")
}

// countRecords counts records on the index of the query's filter. few means that there are at most
// [counter.LeafSize] records.
func countRecords(ctx context.Context, s *read.Snapshot, q *query.Query, r evm.Range, few bool) (n int64, err error) {
	of := query.Selection{Lo: max(q.Lo, tables.FirstIn(r.From)), Hi: min(q.Hi, tables.LastIn(r.To))}
	if few {
		// The limit tells the planner that the range contains few of the records.
		of.Limit = counter.LeafSize
	}
	_, err = s.Last(ctx, q.Key("count", of), func(client *ent.Client) entsql.Querier {
		return q.Counting(client, of)
	}, q.Args(s.DB.Database.Dialect(), of), func(row *database.Row) error { return row.Values(&n) })
	return n, err
}

// portion is a part of all scopes: a range of contract numbers and a range of account
// prefixes (their first 8 bytes).
type portion struct {
	contracts, accounts [2]int64
}

// everything is the portion with all contracts and accounts.
var everything = portion{contracts: [2]int64{0, math.MaxInt64}, accounts: [2]int64{math.MinInt64, math.MaxInt64}}

// largeScopes returns the number of records of each scope of a kind with more than most
// records. It counts on indexes that contain the records of a scope next to each other. The
// scope of all records is only counted if p is everything.
func largeScopes(ctx context.Context, from tables.Querier, kind nft.Kind, most int64, p portion) (map[string]int64, error) {
	large := map[string]int64{}
	note := func(f counter.Filter, n int64) {
		if f.Kind = kind; n > most {
			large[string(f.Scope())] = n
		}
	}
	all, builder := entsql.Count("*"), from.Builder()
	by := func(columns ...string) *entsql.Selector {
		return builder.Select(columns...).AppendSelect(all).From(builder.Table((&query.Query{Kind: kind}).Table())).GroupBy(columns...)
	}
	between := func(column string, bounds [2]int64) *entsql.Predicate {
		return entsql.And(entsql.GTE(column, bounds[0]), entsql.LTE(column, bounds[1]))
	}
	many := entsql.GT(all, most)
	var contract, prefix, n int64
	var tokenID, suffix []byte
	accounts := map[evm.Address]int64{}
	for _, one := range []struct {
		statement *entsql.Selector
		to        []any
		note      func()
	}{
		{by(mint.FieldContractID).Having(many).Where(between(mint.FieldContractID, p.contracts)), []any{&contract, &n},
			func() { note(counter.Filter{Contract: &contract}, n) }},
		{by(mint.FieldContractID, mint.FieldTokenID).Having(many).Where(between(mint.FieldContractID, p.contracts)), []any{&contract, &tokenID, &n},
			func() {
				var token evm.Uint256
				if err := token.Scan(tokenID); err != nil {
					return // checkRecords reports it.
				}
				note(counter.Filter{Contract: &contract, Token: &token}, n)
			}},
		// The index contains only the prefix of an account. Rows are read for the prefixes
		// with more than most records.
		{by(mint.FieldAccountPrefix, mint.FieldAccountSuffix, mint.FieldContractID).Where(entsql.In(mint.FieldAccountPrefix,
			builder.Select(mint.FieldAccountPrefix).From(builder.Table((&query.Query{Kind: kind}).Table())).GroupBy(mint.FieldAccountPrefix).
				Having(many).Where(between(mint.FieldAccountPrefix, p.accounts)))), []any{&prefix, &suffix, &contract, &n},
			func() {
				account, err := evm.JoinAddress(prefix, suffix)
				if err != nil {
					return // checkRecords reports it.
				}
				accounts[account] += n
				note(counter.Filter{Account: &account, Contract: &contract}, n)
			}},
	} {
		err := from.Query(ctx, one.statement, func(row *database.Row) error {
			err := row.Values(one.to...)
			if err == nil {
				one.note()
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("counting %ss: %w", kind, err)
		}
	}
	for account, n := range accounts {
		note(counter.Filter{Account: &account}, n)
	}
	if p == everything {
		n, err := tables.Number(ctx, from, by())
		if err != nil {
			return nil, err
		}
		note(counter.Filter{}, n)
	}
	return large, nil
}
