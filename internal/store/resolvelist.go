package store

import (
	"context"

	"mintburn/ent/mint"
	"mintburn/internal/evm"
	"mintburn/internal/store/counter"
)

// resolveList adds the values of a list to a query. of contains the filter's single values.
// An unknown collection adds nothing; it is an error if only some collections are indexed
// and it is not one of them.
func resolveList(ctx context.Context, s *Snapshot, q *query, lists *Lists, of counter.Filter) error {
	named := lists.Addresses
	for i, key := range lists.Tokens {
		if i == 0 || key.Contract != named[len(named)-1] {
			named = append(named, key.Contract)
		}
	}
	ids, err := contractIDs(ctx, s, named)
	if err != nil {
		return err
	}
	for _, address := range named {
		if _, known := ids[address]; !known {
			if err := requireContract(ctx, s, address); err != nil {
				return err
			}
		}
	}
	q.list = &list{}
	fill(q, lists, ids, of)
	if len(q.list.n) == 0 {
		q.hi = q.lo - 1
	}
	return nil
}

// fill adds the values of a list and the equalities with them, in the order of an index's
// columns.
func fill(q *query, lists *Lists, ids map[evm.Address]int64, of counter.Filter) {
	l := q.list
	counted := func(of counter.Filter) { l.scopes = append(l.scopes, of.Scope()) }
	switch {
	case lists.Addresses != nil:
		l.name = "addresses"
		for _, address := range lists.Addresses {
			if id, known := ids[address]; known {
				l.add(id, nil)
				of.Contract = &id
				counted(of)
			}
		}
		of.Contract = nil
		q.restrict(of)
		q.equal(mint.FieldContractID, valueNumber)
	case lists.Tokens != nil:
		l.name = "tokens"
		for _, key := range lists.Tokens {
			if id, known := ids[key.Contract]; known {
				l.add(id, key.TokenID.Bytes())
				of.Contract, of.Token = &id, &key.TokenID
				counted(of)
			}
		}
		q.equal(mint.FieldContractID, valueNumber)
		q.equal(mint.FieldTokenID, valueBytes)
	case lists.Accounts != nil:
		l.name = "accounts"
		for _, account := range lists.Accounts {
			l.add(account.Prefix(), account.Suffix())
			of.Account = &account
			counted(of)
		}
		of.Account = nil
		q.equal(mint.FieldAccountPrefix, valueNumber)
		q.also(mint.FieldAccountSuffix, valueBytes)
		q.restrict(of)
	default:
		l.name = "transactions"
		for _, hash := range lists.TransactionHashes {
			l.add(hash.Prefix(), hash.Suffix())
		}
		q.equal(mint.FieldTxPrefix, valueNumber)
		q.also(mint.FieldTxSuffix, valueBytes)
	}
}
