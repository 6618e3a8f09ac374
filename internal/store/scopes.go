package store

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
)

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
