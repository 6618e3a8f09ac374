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
	"mintburn/internal/store/tables"
)

// querier runs statements of ent's builder: a snapshot or a writing transaction.
type querier interface {
	Builder() *entsql.DialectBuilder
	Query(ctx context.Context, statement entsql.Querier, read func(*database.Row) error) error
}

// number runs a statement whose result is one number.
func number(ctx context.Context, from querier, statement entsql.Querier) (n int64, err error) {
	err = from.Query(ctx, statement, func(row *database.Row) error { return row.Values(&n) })
	return n, database.Wrap(err, "counting records")
}

// counterNodes are the counters that a snapshot or a writing transaction reads.
type counterNodes struct{ querier }

// Nodes implements [counter.Reader] and [counter.Rows].
func (r counterNodes) Nodes(ctx context.Context, s counter.Scope, level int, buckets evm.Range) (nodes []counter.Node, err error) {
	list := r.Builder().Select(entcounter.FieldBucket, entcounter.FieldSplit, entcounter.FieldN, entcounter.FieldAmount).From(r.Builder().Table(entcounter.Table)).Where(entsql.And(
		entsql.EQ(entcounter.FieldScope, []byte(s)), entsql.EQ(entcounter.FieldLevel, level),
		entsql.GTE(entcounter.FieldBucket, buckets.From), entsql.LTE(entcounter.FieldBucket, buckets.To),
	)).OrderBy(entcounter.FieldBucket)
	err = r.Query(ctx, list, func(row *database.Row) error {
		n := counter.Node{Level: level, Bucket: row.Unsigned(math.MaxInt64), Split: row.Bool(), Tally: storedTally(row)}
		nodes = append(nodes, n)
		return row.Err()
	})
	return nodes, database.Wrap(err, "reading counters")
}

// storedTally reads the columns n and amount of a counter.
func storedTally(row *database.Row) counter.Tally {
	tally := counter.Ones(row.Int64())
	if !row.Null() {
		row.Scan(&tally.Amount)
	}
	return tally
}

// counterReader reads counters and records of a snapshot.
type counterReader struct {
	counterNodes
	snapshot *Snapshot
}

var _ counter.Reader = counterReader{}

func newCounterReader(s *Snapshot) counterReader { return counterReader{counterNodes{s.db}, s} }

// CountEach implements [counter.Reader], in one round trip.
func (r counterReader) CountEach(ctx context.Context, s counter.Scope, blocks []evm.Range) ([]counter.Tally, error) {
	q, tallies, batch := scopeQuery(s), make([]counter.Tally, len(blocks)), make([]database.Statement, len(blocks))
	for i := range blocks {
		of := within(blocks[i])
		of.columns = []string{mint.FieldAmount}
		batch[i] = database.Statement{
			Text: r.snapshot.store.statement(q.key("amounts", of), func(client *ent.Client) entsql.Querier { return amounts(q.selector(client, of)) }),
			Args: q.args(r.snapshot.store.db.Dialect(), of),
			Read: func(row *database.Row) error {
				tallies[i] = tallies[i].Plus(sameAmounts(row))
				return row.Err()
			},
		}
	}
	return tallies, database.Wrap(r.snapshot.db.RunAll(ctx, batch...), "counting records")
}

// amounts groups a selection's records by their amounts, which are few different ones.
func amounts(records *entsql.Selector) *entsql.Selector {
	builder := entsql.Dialect(records.Dialect())
	of := records.As("few").C(mint.FieldAmount)
	return builder.Select(of).AppendSelect(entsql.Count("*")).From(records).GroupBy(of)
}

// sameAmounts reads an amount and the number of records that have it.
func sameAmounts(row *database.Row) counter.Tally {
	var amount evm.Uint256
	row.Scan(&amount)
	n := row.Int64()
	return counter.Tally{N: n, Amount: counter.AmountOf(amount).Times(n)}
}

// counterRows are the counters and records of a writing transaction.
type counterRows struct {
	counterNodes
	queries *ent.Client
	changed *database.Inserter
	// single counts each record as one token: [addAmounts] adds the rest.
	single bool
}

var _ counter.Rows = (*counterRows)(nil)

func newCounterRows(tx *database.Tx, queries *ent.Client) *counterRows {
	changed := tx.Inserter(entcounter.Table, database.GeneratedID(entcounter.Columns))
	changed.Conflict = []entsql.ConflictOption{
		entsql.ConflictColumns(entcounter.FieldScope, entcounter.FieldLevel, entcounter.FieldBucket),
		entsql.ResolveWith(func(u *entsql.UpdateSet) {
			u.SetExcluded(entcounter.FieldN).SetExcluded(entcounter.FieldSplit).SetExcluded(entcounter.FieldAmount)
		}),
	}
	return &counterRows{counterNodes: counterNodes{tx}, queries: queries, changed: changed}
}

// Number implements [counter.Rows].
func (r *counterRows) Number(ctx context.Context, s counter.Scope, most int64) (int64, error) {
	of := within(evm.Range{To: counter.LastBlock})
	of.limit = int(most)
	return number(ctx, r, scopeQuery(s).counting(r.queries, of))
}

// Save implements [counter.Rows].
func (r *counterRows) Save(ctx context.Context, changes []counter.Change) error {
	for _, c := range changes {
		row := ent.Counter{Scope: c.Scope, Level: int8(c.Level), Bucket: int64(c.Bucket), N: c.N, Split: c.Split}
		if !c.Single() {
			row.Amount = c.Amount.Bytes()
		}
		if err := r.changed.Add(ctx, &row); err != nil {
			return err
		}
	}
	return r.changed.Flush(ctx)
}

// CountBuckets implements [counter.Rows].
func (r *counterRows) CountBuckets(ctx context.Context, s counter.Scope, blocks evm.Range, shift uint, most int64) (counts []counter.Count, err error) {
	of := within(blocks)
	of.limit, of.columns = int(most), []string{mint.FieldID}
	if !r.single {
		of.columns = append(of.columns, mint.FieldAmount)
	}
	few := scopeQuery(s).selector(r.queries, of).As("few")
	list := r.Builder().Select().AppendSelectExpr(entsql.Raw(fmt.Sprintf("%s >> %d AS bucket", few.C(mint.FieldID), tables.SlotBits+shift)))
	groups := []string{"bucket"}
	if !r.single {
		list.AppendSelect(few.C(mint.FieldAmount))
		groups = append(groups, few.C(mint.FieldAmount))
	}
	list.AppendSelect(entsql.Count("*")).From(few).GroupBy(groups...).OrderBy("bucket")
	err = r.Query(ctx, list, func(row *database.Row) error {
		bucket, tally := row.Unsigned(math.MaxInt64), counter.Tally{}
		if r.single {
			tally = counter.Ones(row.Int64())
		} else {
			tally = sameAmounts(row)
		}
		if last := len(counts) - 1; last >= 0 && counts[last].Bucket == bucket {
			counts[last].Tally = counts[last].Plus(tally)
		} else {
			counts = append(counts, counter.Count{Bucket: bucket, Tally: tally})
		}
		return row.Err()
	})
	return counts, database.Wrap(err, "counting records")
}

// scopeQuery selects the records of a scope, which must be valid.
func scopeQuery(s counter.Scope) *query {
	f, _ := s.Filter()
	q := &query{kind: f.Kind, hi: tables.MaxPosition}
	q.restrict(f)
	return q
}

// within selects the records of a range of blocks.
func within(r evm.Range) selection {
	return selection{lo: tables.FirstIn(r.From), hi: tables.LastIn(min(r.To, MaxBlock))}
}

// counting counts the records of a selection.
func (q *query) counting(client *ent.Client, of selection) *entsql.Selector {
	of.columns = []string{mint.FieldID}
	records := q.selector(client, of)
	if of.limit > 0 || q.ordered(records.Dialect(), of) {
		return entsql.Dialect(records.Dialect()).Select(entsql.Count("*")).From(records.As("few"))
	}
	return records.Count(records.C(mint.FieldID))
}

// blocks returns the blocks of the query's range.
func (q *query) blocks() evm.Range {
	blocks := evm.Range{From: tables.BlockOf(q.lo), To: tables.BlockOf(q.hi)}
	if q.hi == tables.MaxPosition {
		blocks.To = counter.LastBlock
	}
	return blocks
}

// total counts the records of a query in its range: by its tree, if it has one.
func (s *Snapshot) total(ctx context.Context, q *query) (int64, error) {
	blocks := q.blocks()
	if q.counted == nil {
		return s.count(ctx, q, blocks, false)
	}
	stored, err := s.partSums(ctx, q.counted.Scope(), counter.Parts(blocks))
	if err != nil {
		return 0, err
	}
	summed, uncounted, found := counter.Total(blocks, stored)
	if !found {
		uncounted = []evm.Range{blocks}
	}
	counts := make([]int64, len(uncounted))
	err = s.db.Together(ctx, len(uncounted), func(ctx context.Context, i int) (err error) {
		counts[i], err = s.count(ctx, q, uncounted[i], found)
		return err
	})
	total := summed.N
	for _, n := range counts {
		total += n
	}
	return total, err
}

// partSums reads the numbers of records of parts, with one statement.
func (s *Snapshot) partSums(ctx context.Context, scope counter.Scope, parts []counter.Part) (map[counter.Part]counter.Sum, error) {
	bounds := partArgs(parts)
	args := append(append(make([]any, 0, 1+len(bounds)), []byte(scope)), bounds...)
	text := s.store.statement(statementKey{name: "sums", limit: len(parts)}, func(*ent.Client) entsql.Querier { return selectSums(s.store.db.Dialect(), args) })
	found := make(map[counter.Part]counter.Sum, len(parts))
	err := s.db.Run(ctx, text, args, func(row *database.Row) error {
		i, sum := row.Unsigned(uint64(len(parts)-1)), row.Int64()
		if row.Err() == nil && sum > 0 {
			found[parts[i]] = sumOf(sum)
		}
		return row.Err()
	})
	return found, database.Wrap(err, "reading counters")
}

// selectSums builds the statement of partSums: for each part one range of the
// counters' index.
func selectSums(dialect string, args []any) entsql.Querier {
	return entsql.ExprFunc(func(b *entsql.Builder) {
		b.SetDialect(dialect)
		b.WriteString("SELECT i, ")
		writeSum(b, func(b *entsql.Builder) { b.Arg(args[0]) })
		b.WriteString(" FROM ")
		writeParts(b, args[1:])
	})
}

// writeSum writes the sum of a part's nodes of a scope: twice the sum, and one more if a
// node is split, so that one look-up is enough; 0 where there is nothing.
func writeSum(b *entsql.Builder, scope func(*entsql.Builder)) {
	n, split := entcounter.FieldN, entcounter.FieldSplit
	b.WriteString("(SELECT COALESCE(CAST(SUM(" + n + ") * 2 + MAX(CAST(" + split + " AS int)) AS bigint), 0) FROM " + entcounter.Table)
	b.WriteString(" WHERE " + entcounter.FieldScope + " = ")
	scope(b)
	b.WriteString(" AND " + entcounter.FieldLevel + " = at AND " + entcounter.FieldBucket + " BETWEEN low AND high)")
}

// sumOf reads what writeSum's expression returns. It has no amount.
func sumOf(sum int64) counter.Sum {
	return counter.Sum{Tally: counter.Tally{N: sum / 2}, Split: sum%2 == 1}
}

// partArgs are the arguments of writeParts.
func partArgs(parts []counter.Part) []any {
	args := make([]any, 0, 4*len(parts))
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

// count counts records on the index of the query's filter; few says that there
// are at most [counter.LeafSize] of them.
func (s *Snapshot) count(ctx context.Context, q *query, r evm.Range, few bool) (n int64, err error) {
	of := selection{lo: max(q.lo, tables.FirstIn(r.From)), hi: min(q.hi, tables.LastIn(r.To))}
	if few {
		// The limit tells the planner that few records of many are meant.
		of.limit = counter.LeafSize
	}
	_, err = s.last(ctx, q.key("count", of), func(client *ent.Client) entsql.Querier {
		return q.counting(client, of)
	}, q.args(s.store.db.Dialect(), of), func(row *database.Row) error { return row.Values(&n) })
	return n, err
}

// portion is a part of all scopes: the contracts with these numbers, and the
// accounts with these first 8 bytes.
type portion struct {
	contracts, accounts [2]int64
}

// everything is all scopes, but for the one of all records.
var everything = portion{contracts: [2]int64{0, math.MaxInt64}, accounts: [2]int64{math.MinInt64, math.MaxInt64}}

// largeScopes counts the records of each scope of a kind that has more than most,
// on indexes that yield a scope's records next to each other. The scope of all
// records is counted with everything.
func largeScopes(ctx context.Context, from querier, kind nft.Kind, most int64, p portion) (map[string]int64, error) {
	large := map[string]int64{}
	note := func(f counter.Filter, n int64) {
		if f.Kind = kind; n > most {
			large[string(f.Scope())] = n
		}
	}
	all, builder := entsql.Count("*"), from.Builder()
	by := func(columns ...string) *entsql.Selector {
		return builder.Select(columns...).AppendSelect(all).From(builder.Table((&query{kind: kind}).table())).GroupBy(columns...)
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
					return // The check of the records reports it.
				}
				note(counter.Filter{Contract: &contract, Token: &token}, n)
			}},
		// The index has only the prefix of an account. The rows of the prefixes that
		// have many are read.
		{by(mint.FieldAccountPrefix, mint.FieldAccountSuffix, mint.FieldContractID).Where(entsql.In(mint.FieldAccountPrefix,
			builder.Select(mint.FieldAccountPrefix).From(builder.Table((&query{kind: kind}).table())).GroupBy(mint.FieldAccountPrefix).
				Having(many).Where(between(mint.FieldAccountPrefix, p.accounts)))), []any{&prefix, &suffix, &contract, &n},
			func() {
				account, err := evm.JoinAddress(prefix, suffix)
				if err != nil {
					return // The check of the records reports it.
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
		n, err := number(ctx, from, by())
		if err != nil {
			return nil, err
		}
		note(counter.Filter{}, n)
	}
	return large, nil
}
