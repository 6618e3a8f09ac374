package graph

import (
	"context"
	"sync"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/fastql"
)

// Prover proves the blocks of a chain.
type Prover interface {
	// Proof returns the proof of a block: by its hash or, if that is zero, by its number. The block's
	// header is set also with an error, once it is known.
	Proof(ctx context.Context, block evm.BlockRef) (evm.BlockProof, error)
}

// proofs are the proofs of an operation.
type proofs struct {
	// prover is that of [Snapshots].
	prover func(context.Context) Prover

	mu sync.Mutex // guards the fields below
	// known holds each block under its reference, and also under that by which it was selected.
	known map[evm.BlockRef]*proven
	// count is the number of blocks in known.
	count int
}

// proven is the proof of a block, or why there is none.
type proven struct {
	evm.BlockProof
	err  error
	done bool
}

// of returns the proofs of blocks. It asks for each once, also after an error, one after the other. It
// fails if the operation has too many.
func (p *proofs) of(ctx context.Context, blocks ...evm.BlockRef) ([]*proven, error) {
	var prover Prover
	if p.prover != nil {
		prover = p.prover(ctx)
	}
	if prover == nil {
		return nil, apierror.Lasting("this server gives no proofs: --proof-rpc")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil {
		p.known = map[evm.BlockRef]*proven{}
	}
	list, most := make([]*proven, len(blocks)), apierror.MaxProofs
	for i, b := range blocks {
		if p.known[b] == nil {
			p.known[b] = &proven{}
			p.count++
		}
		list[i] = p.known[b]
	}
	if fastql.PositionOf(ctx) != nil {
		most = apierror.MaxBatchProofs
	}
	if p.count > most {
		return nil, apierror.Errorf(apierror.QueryTooCostly, "proof: got %d blocks, want at most %d", p.count, most)
	}
	for i, found := range list {
		if found.done {
			continue
		}
		found.done = true
		if found.BlockProof, found.err = prover.Proof(ctx, blocks[i]); !found.Block.Hash.IsZero() {
			p.known[found.Block.BlockRef] = found
		}
		if hold := snapshotOf(ctx).Hold; hold != nil {
			switch excess, err := hold(int64(found.Size())); {
			case err != nil:
				return nil, err
			case excess > 0:
				return nil, apierror.Errorf(apierror.QueryTooCostly, "proof: the answer is too long with block %d: want fewer blocks", blocks[i].Number)
			}
		}
	}
	return list, nil
}

// headerOf returns the header of a block that is not stored, from the proof that is selected of it.
func headerOf(ctx context.Context, number uint64) (*evm.Header, error) {
	if !wants(ctx, "Block", "proof") {
		return nil, apierror.Lasting("the header of a block without records is not stored: select proof, whose node returns it")
	}
	found, err := proofsOf(ctx).of(ctx, evm.BlockRef{Number: number})
	if err != nil {
		return nil, err
	}
	if found[0].Block.Hash.IsZero() {
		return nil, found[0].err
	}
	return &found[0].Block, nil
}

// Block implements [ResolverRoot].
func (r *Resolver) Block() BlockResolver { return blockResolver{} }

type blockResolver struct{}

// Proof is the resolver for the proof field.
func (blockResolver) Proof(ctx context.Context, objs []*evm.Header) ([]*evm.BlockProof, error) {
	return present(objs, func(objs []*evm.Header) ([]*evm.BlockProof, error) {
		blocks, list, errs := make([]evm.BlockRef, len(objs)), make([]*evm.BlockProof, len(objs)), make([]error, len(objs))
		for i, h := range objs {
			blocks[i] = h.BlockRef
		}
		found, err := proofsOf(ctx).of(ctx, blocks...)
		if err != nil {
			return nil, err
		}
		for i, f := range found {
			if errs[i] = f.err; f.err == nil {
				list[i] = &f.BlockProof
			}
		}
		return each(list, errs)
	})
}
