package graph

import (
	"context"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/page"
	"mintburn/internal/store/read"
)

// Transaction is the GraphQL type of a transaction; schema.graphqls describes its fields. It
// is known by one of its records.
type Transaction struct{ record *store.Transfer }

func (t Transaction) Hash() evm.Hash { return t.record.TxHash }
func (t Transaction) Index() *int    { return index(t.record.TxIndex) }

// Block returns the block without its parent hash, which the type Block does not have.
func (t Transaction) Block() evm.Header {
	return evm.Header{BlockRef: t.record.Block, Time: t.record.Time}
}

// narrow restricts a filter to the transaction. Its block is indexed, so no other block
// matters.
func (t Transaction) narrow(f store.Filter) store.Filter {
	f.TransactionHash, f.Partial = &t.record.TxHash, true
	return f
}

// Transaction returns the transaction of the record.
func (t transfer) Transaction() Transaction { return Transaction{t.Transfer} }

// transactionOf returns the transaction with a hash. It is nil if it is known to have no
// record.
func transactionOf(ctx context.Context, hash evm.Hash) (*Transaction, error) {
	s, one, pages := snapshotOf(ctx), 1, [2]*store.RecordPage{}
	err := s.Tx.Together(ctx, len(pages), func(ctx context.Context, kind int) (err error) {
		if pages[kind], err = s.Page(store.Filter{Kind: nft.Kind(kind), TransactionHash: &hash, Partial: true}, page.Args{First: &one}); err == nil {
			err = pages[kind].Read(ctx, nil)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, p := range pages {
		if p.Len() > 0 {
			return &Transaction{&p.Items[0]}, nil
		}
	}
	return nil, read.RequireWhole(ctx, s.Snapshot, "transaction "+hash.String())
}

// Transaction implements [ResolverRoot].
func (r *Resolver) Transaction() TransactionResolver { return &transactionResolver{} }

type transactionResolver struct{}

// Mints is the resolver for the mints field.
func (*transactionResolver) Mints(ctx context.Context, objs []*Transaction, order *store.Order, first *int, after *string, last *int, before *string) ([]*MintConnection, error) {
	return eachTransaction(objs, func(objs []*Transaction) ([]*MintConnection, error) {
		return pageOf(ctx, objs, store.Filter{Kind: nft.Mint, Order: deref(order)}, pageArgs(first, after, last, before), mints)
	})
}

// Burns is the resolver for the burns field.
func (*transactionResolver) Burns(ctx context.Context, objs []*Transaction, order *store.Order, first *int, after *string, last *int, before *string) ([]*BurnConnection, error) {
	return eachTransaction(objs, func(objs []*Transaction) ([]*BurnConnection, error) {
		return pageOf(ctx, objs, store.Filter{Kind: nft.Burn, Order: deref(order)}, pageArgs(first, after, last, before), burns)
	})
}

// Details is the resolver for the details field. A transaction whose index is unknown was
// stored without details.
func (*transactionResolver) Details(ctx context.Context, objs []*Transaction) ([]*evm.TransactionDetails, error) {
	places := make([]read.Place, len(objs))
	for i, t := range objs {
		if t != nil && t.record.TxIndex.Known {
			places[i] = read.Place{Block: t.record.Block.Number, Index: t.record.TxIndex.N}
		}
	}
	found, damaged, err := read.Transactions(ctx, snapshotOf(ctx).Snapshot, places)
	if err != nil {
		return nil, err
	}
	details, errs := make([]*evm.TransactionDetails, len(objs)), make([]error, len(objs))
	for i, place := range places {
		if objs[i] != nil && objs[i].record.TxIndex.Known {
			details[i], errs[i] = found[place], damaged[place]
		}
	}
	return each(details, errs)
}

// eachTransaction resolves a batch field once for each transaction, because the records of a
// page often have the same.
func eachTransaction[V any](objs []*Transaction, resolve func(objs []*Transaction) ([]V, error)) ([]V, error) {
	return distinct(objs, func(t *Transaction) *evm.Hash {
		if t == nil {
			return nil
		}
		return &t.record.TxHash
	}, resolve)
}
