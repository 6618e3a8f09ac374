package store

import (
	"context"

	"mintburn/ent/mint"
	"mintburn/internal/evm"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
)

// resolveList adds the values of a list to a query. of contains the filter's single values.
// An unknown collection adds nothing; it is an error if only some collections are indexed
// and it is not one of them.
func resolveList(ctx context.Context, s *read.Snapshot, q *query.Query, lists *Lists, of counter.Filter) error {
	named := lists.Addresses
	for i, key := range lists.Tokens {
		if i == 0 || key.Contract != named[len(named)-1] {
			named = append(named, key.Contract)
		}
	}
	ids, err := read.ContractIDs(ctx, s, named)
	if err != nil {
		return err
	}
	for _, address := range named {
		if _, known := ids[address]; !known {
			if err := read.RequireContract(ctx, s, address); err != nil {
				return err
			}
		}
	}
	q.List = &query.List{}
	fill(q, lists, ids, of)
	if len(q.List.N) == 0 {
		q.Hi = q.Lo - 1
	}
	return nil
}

// fill adds the values of a list and the equalities with them, in the order of an index's
// columns.
func fill(q *query.Query, lists *Lists, ids map[evm.Address]int64, of counter.Filter) {
	l := q.List
	counted := func(of counter.Filter) { l.Scopes = append(l.Scopes, of.Scope()) }
	switch {
	case lists.Addresses != nil:
		l.Name = "addresses"
		for _, address := range lists.Addresses {
			if id, known := ids[address]; known {
				l.Add(id, nil)
				of.Contract = &id
				counted(of)
			}
		}
		of.Contract = nil
		q.Restrict(of)
		q.Equal(mint.FieldContractID, query.ValueNumber)
	case lists.Tokens != nil:
		l.Name = "tokens"
		for _, key := range lists.Tokens {
			if id, known := ids[key.Contract]; known {
				l.Add(id, key.TokenID.Bytes())
				of.Contract, of.Token = &id, &key.TokenID
				counted(of)
			}
		}
		q.Equal(mint.FieldContractID, query.ValueNumber)
		q.Equal(mint.FieldTokenID, query.ValueBytes)
	case lists.Accounts != nil:
		l.Name = "accounts"
		for _, account := range lists.Accounts {
			l.Add(account.Prefix(), account.Suffix())
			of.Account = &account
			counted(of)
		}
		of.Account = nil
		q.Equal(mint.FieldAccountPrefix, query.ValueNumber)
		q.Also(mint.FieldAccountSuffix, query.ValueBytes)
		q.Restrict(of)
	default:
		l.Name = "transactions"
		for _, hash := range lists.TransactionHashes {
			l.Add(hash.Prefix(), hash.Suffix())
		}
		q.Equal(mint.FieldTxPrefix, query.ValueNumber)
		q.Also(mint.FieldTxSuffix, query.ValueBytes)
	}
}
