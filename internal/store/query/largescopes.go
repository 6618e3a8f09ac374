package query

import (
	"context"
	"fmt"
	"math"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/mint"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/tables"
)

// Portion is a part of all scopes: a range of contract numbers and a range of account
// prefixes (their first 8 bytes).
type Portion struct {
	Contracts, Accounts [2]int64
}

// Everything is the portion with all contracts and accounts.
var Everything = Portion{Contracts: [2]int64{0, math.MaxInt64}, Accounts: [2]int64{math.MinInt64, math.MaxInt64}}

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
		return builder.Select(columns...).AppendSelect(all).From(builder.Table((&Query{Kind: kind}).Table())).GroupBy(columns...)
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
			builder.Select(mint.FieldAccountPrefix).From(builder.Table((&Query{Kind: kind}).Table())).GroupBy(mint.FieldAccountPrefix).
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
	if p == Everything {
		n, err := tables.Number(ctx, from, by())
		if err != nil {
			return nil, err
		}
		note(counter.Filter{}, n)
	}
	return large, nil
}
