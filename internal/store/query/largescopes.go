package query

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/mint"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/tables"
)

// LargeScopes returns the scopes of a kind with more than most records, in order. It counts on
// indexes that contain the records of a scope next to each other.
func LargeScopes(ctx context.Context, from tables.Querier, kind nft.Kind, most int64) (large []counter.Scope, err error) {
	note := func(f counter.Filter, n int64) {
		if f.Kind = kind; n > most {
			large = append(large, f.Scope())
		}
	}
	all, builder := entsql.Count("*"), from.Builder()
	by := func(columns ...string) *entsql.Selector {
		return builder.Select(columns...).AppendSelect(all).From(builder.Table((&Query{Kind: kind}).Table())).GroupBy(columns...)
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
		{by(mint.FieldContractID).Having(many), []any{&contract, &n},
			func() { note(counter.Filter{Contract: &contract}, n) }},
		{by(mint.FieldContractID, mint.FieldTokenID).Having(many), []any{&contract, &tokenID, &n},
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
				Having(many))), []any{&prefix, &suffix, &contract, &n},
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
	n, err = tables.Number(ctx, from, by())
	if err != nil {
		return nil, err
	}
	note(counter.Filter{}, n)
	slices.SortFunc(large, func(a, b counter.Scope) int { return bytes.Compare(a, b) })
	return large, nil
}
