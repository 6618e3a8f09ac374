package write

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
	"mintburn/internal/store/tables"
)

// counterRows reads and writes counters in a writing transaction, and counts its records.
type counterRows struct {
	tables.CounterNodes
	queries *ent.Client
	changed *database.Inserter
	// single counts each record as one token; [addAmounts] adds the rest.
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
	return &counterRows{CounterNodes: tables.CounterNodes{Querier: tx}, queries: queries, changed: changed}
}

// Number implements [counter.Rows].
func (r *counterRows) Number(ctx context.Context, s counter.Scope, most int64) (int64, error) {
	of := query.Within(evm.Range{To: counter.LastBlock})
	of.Limit = int(most)
	return tables.Number(ctx, r, query.OfScope(s).Counting(r.queries, of))
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
	of := query.Within(blocks)
	of.Limit, of.Columns = int(most), []string{mint.FieldID}
	if !r.single {
		of.Columns = append(of.Columns, mint.FieldAmount)
	}
	few := query.OfScope(s).Selector(r.queries, of).As("few")
	list := r.Builder().Select().AppendSelectExpr(entsql.Raw(fmt.Sprintf("%s >> %d AS bucket", few.C(mint.FieldID), tables.SlotBits+shift)))
	groups := []string{"bucket"}
	if !r.single {
		list.AppendSelect(few.C(mint.FieldAmount))
		groups = append(groups, few.C(mint.FieldAmount))
	}
	list.AppendSelect(entsql.Count("*")).From(few).GroupBy(groups...).OrderBy("bucket")
	err = r.Query(ctx, list, func(row *database.Row) error {
		bucket, read := row.Unsigned(math.MaxInt64), tables.SameAmounts
		if r.single {
			read = func(row *database.Row) counter.Tally { return counter.Ones(row.Int64()) }
		}
		tally := read(row)
		if last := len(counts) - 1; last >= 0 && counts[last].Bucket == bucket {
			counts[last].Tally = counts[last].Plus(tally)
		} else {
			counts = append(counts, counter.Count{Bucket: bucket, Tally: tally})
		}
		return row.Err()
	})
	return counts, database.Wrap(err, "counting records")
}

// Portion is a part of all scopes: a range of contract numbers and a range of account
// prefixes (their first 8 bytes).
type Portion struct {
	Contracts, Accounts [2]int64
}

// everything is the portion with all contracts and accounts.
var everything = Portion{Contracts: [2]int64{0, math.MaxInt64}, Accounts: [2]int64{math.MinInt64, math.MaxInt64}}

// LargeScopes returns the number of records of each scope of a kind with more than most
// records. It counts on indexes that contain the records of a scope next to each other. The
// scope of all records is only counted if p is everything.
func LargeScopes(ctx context.Context, from tables.Querier, kind nft.Kind, most int64, p Portion) (map[string]int64, error) {
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
		{by(mint.FieldContractID).Having(many).Where(between(mint.FieldContractID, p.Contracts)), []any{&contract, &n},
			func() { note(counter.Filter{Contract: &contract}, n) }},
		{by(mint.FieldContractID, mint.FieldTokenID).Having(many).Where(between(mint.FieldContractID, p.Contracts)), []any{&contract, &tokenID, &n},
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
				Having(many).Where(between(mint.FieldAccountPrefix, p.Accounts)))), []any{&prefix, &suffix, &contract, &n},
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
