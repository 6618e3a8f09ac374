package serving

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"sync"

	"golang.org/x/sync/singleflight"

	"mintburn/graph"
	"mintburn/internal/apierror"
	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/evm"
	"mintburn/internal/httpapi"
	"mintburn/internal/httpapi/admit"
)

// provers are what proves the blocks of chains, by the names of those that have it.
type provers map[string]*prover

// proversOf returns the provers of chains. They connect with the first proof.
func proversOf(chains []*Chain) provers {
	all := provers{}
	for _, c := range chains {
		if len(c.ProofRPC) > 0 {
			all[c.Name] = &prover{chain: c, cache: admit.NewCache[evm.BlockProof](cachedProofs, cachedProofBytes)}
		}
	}
	return all
}

// of returns the prover of an operation's chain, or nil.
func (p provers) of(ctx context.Context) graph.Prover {
	if known := p[httpapi.ChainOf(ctx)]; known != nil {
		return known
	}
	return nil
}

// close closes the connections, after the last proof.
func (p provers) close() {
	for _, one := range p {
		one.mu.Lock()
		if one.nodes != nil {
			one.nodes.Close()
		}
		one.mu.Unlock()
	}
}

// prover proves the blocks of a chain with the nodes of --proof-rpc. Its proofs are shared.
type prover struct {
	chain   *Chain
	flights singleflight.Group
	cache   *admit.Cache[evm.BlockProof]

	mu    sync.Mutex // guards nodes
	nodes *jsonrpc.Client
}

const (
	// cachedProofs and cachedProofBytes bound the proofs that are shared, and cachedProof each of them.
	cachedProofs, cachedProofBytes, cachedProof = 1 << 15, 32 << 20, 4 << 20
	// nodesInTime is how many nodes may be tried in turn within --timeout if none answers.
	nodesInTime = 3
)

// Proof implements [graph.Prover]. It asks until the deadline of the operation, also if its client is
// gone: the slot of the operation bounds how much the nodes do at once.
func (p *prover) Proof(ctx context.Context, block evm.BlockRef) (evm.BlockProof, error) {
	key := block.Hash.String()
	if block.Hash.IsZero() {
		key = evm.Long(block.Number).String()
	}
	found, err, _ := p.flights.Do(key, func() (any, error) {
		if known, ok := p.cache.Get(key); ok {
			return known, nil
		}
		deadline, _ := ctx.Deadline()
		ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), deadline)
		defer cancel()
		proof, err := p.ask(ctx, block)
		if size := proof.Size(); err == nil && size <= cachedProof {
			p.cache.Put(proof.Block.Hash.String(), proof, size, netip.Addr{})
		}
		return proof, err
	})
	return found.(evm.BlockProof), err
}

// ask asks the nodes for a proof.
func (p *prover) ask(ctx context.Context, block evm.BlockRef) (evm.BlockProof, error) {
	nodes, err := p.dial(ctx)
	if err != nil {
		return evm.BlockProof{}, err
	}
	proof, err := nodes.Proof(ctx, block)
	if err == nil {
		return proof, nil
	}
	if no, ok := errors.AsType[*rpcerror.NotProvableError](err); ok {
		return proof, apierror.Errorf(apierror.NotProvable, "block %d cannot be proved: %s", block.Number, no.Reason)
	}
	level, what := slog.LevelWarn, "block"
	if errors.Is(err, rpcerror.ErrTemporary) {
		level = slog.LevelDebug
	}
	p.chain.Env.Log.Log(ctx, level, "no node of --proof-rpc proves a block", "block", block.Number, "error", err)
	if !proof.Block.Hash.IsZero() {
		what = "the receipts of block"
	}
	return proof, apierror.Lasting("no node of --proof-rpc returned %s %d: %s", what, block.Number, rpcerror.Class(err))
}

// dial returns the client of the nodes. They must serve the chain of the database, and its final blocks.
func (p *prover) dial(ctx context.Context) (*jsonrpc.Client, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.nodes != nil {
		return p.nodes, nil
	}
	s := p.chain.Store()
	id, err := s.Settings().ChainID(ctx)
	if err == nil {
		p.nodes, err = jsonrpc.Dial(p.chain.ProofRPC, jsonrpc.Options{ChainID: id, Final: s.FinalBlock, Timeout: p.chain.Timeout / nodesInTime, Attempts: 1})
	}
	return p.nodes, err
}
