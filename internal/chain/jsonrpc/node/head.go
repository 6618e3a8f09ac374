package node

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"

	"mintburn/internal/chain/jsonrpc/endpoint"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/evm"
)

// Head is the end of a chain, as one node sees it.
type Head struct {
	// Latest is the newest block.
	Latest evm.Header
	// Finalized is the newest final block, or the block [settings.Options.Depth] below Latest if
	// the node reports none.
	Finalized evm.Header
	// Retracted, if not zero, is a block that the endpoint called final and has
	// replaced since; the endpoint's finality is ignored from then on. RetractedTo is
	// [settings.Options.Depth] below its highest head at that time.
	Retracted   evm.BlockRef
	RetractedTo uint64
}

// headReader reads the head of a node, and watches its finality.
type headReader struct {
	blockReader
	// noFinalized is true once the node has rejected the finalized tag, hasFinalized once it
	// has returned a finalized block.
	noFinalized, hasFinalized atomic.Bool

	// mu guards everything below.
	mu sync.Mutex
	// finalized are the last blocks that the node called final, in order.
	finalized []evm.BlockRef
	// retracted is a finalized block that the node has replaced since, see [Head], or zero.
	retracted   evm.BlockRef
	retractedTo uint64
	// newest is the node's last head, with its object until [headReader.takeNewest], and
	// lastFinalized the finalized block of that head.
	newest        Header
	lastFinalized evm.Header
}

// Finalized returns the finalized block of the node's last head, zero before the first.
func (n *headReader) Finalized() evm.Header {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.lastFinalized
}

// Head returns the head of the node.
func (n *headReader) Head(ctx context.Context) (head Head, err error) {
	latest, finalized, err := n.heads(ctx)
	if err != nil {
		return Head{}, err
	}
	n.SawHead(latest.Number)
	n.mu.Lock()
	votes, newest, last := finalized != nil && n.retracted == evm.BlockRef{}, n.newest.Hash, n.lastFinalized
	n.mu.Unlock()
	deepest := latest.Number - min(latest.Number, n.o.Depth)
	if !votes && (finalized == nil || finalized.Number > deepest) {
		if newest == latest.Hash && last.Number <= deepest {
			finalized = &Header{Header: last}
		} else if finalized, err = n.lastAt(ctx, deepest); err != nil {
			return Head{}, err
		}
	}
	head = Head{Latest: latest.Header, Finalized: finalized.Header}
	if f, l := head.Finalized, head.Latest; f.Number > l.Number || (f.Number == l.Number && f.Hash != l.Hash) {
		return Head{}, rpcerror.Inconsistent("%s: finalized block %d %s contradicts latest block %d %s", n.Name, f.Number, f.Hash, l.Number, l.Hash)
	}
	if votes {
		lost, err := n.retracts(ctx, &head)
		if lost && err == nil {
			return n.Head(ctx)
		}
		if err != nil {
			return Head{}, err
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.newest, n.lastFinalized = *latest, head.Finalized
	head.Retracted, head.RetractedTo = n.retracted, n.retractedTo
	return head, nil
}

// takeNewest returns the header of the newest block, once, if the range consists of that block.
func (n *headReader) takeNewest(from, to uint64) (headers []*Header) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if h := n.newest; h.object != nil && from == to && h.Number == to {
		headers, n.newest.object = []*Header{&h}, nil
	}
	return headers
}

// maxHead is the most bytes of a new head that is kept.
const maxHead = 1 << 20

// heads returns the latest and the finalized block of an endpoint; finalized is nil
// if the endpoint has none.
func (n *headReader) heads(ctx context.Context) (latest, finalized *Header, err error) {
	calls := []*endpoint.Call{blockByTag("latest"), blockByTag("finalized")}
	if n.noFinalized.Load() {
		calls = calls[:1]
	}
	if err := n.Do(ctx, calls...); err != nil {
		return nil, nil, err
	}
	if calls[0].Err != nil {
		return nil, nil, calls[0].Err
	}
	latest, err = n.headerOf(calls[0])
	if err == nil && len(calls[0].Result)+len(calls[len(calls)-1].Result) > maxHead {
		// Too large to keep.
		latest.object = nil
	}
	if err != nil || len(calls) == 1 {
		return latest, nil, err
	}
	refused := calls[1].Err
	switch info := rpcerror.InfoOf(refused); {
	case refused == nil && !calls[1].Null():
		n.hasFinalized.Store(true)
		if finalized, err = n.headerOf(calls[1]); err == nil && finalized.Number > latest.Number {
			// Another node behind the load balancer is ahead.
			latest = &Header{Header: finalized.Header}
		}
		return latest, finalized, err
	case refused == nil, info.Kind == rpcerror.BeyondHead, info.Kind == rpcerror.UnknownBlock:
		// A young chain has no finalized block yet, but may have one later.
	case !n.hasFinalized.Load() && rpcerror.IsNoData(refused) && info.Status < http.StatusInternalServerError:
		n.noFinalized.Store(true)
	default:
		return nil, nil, refused
	}
	return latest, nil, nil
}

// rememberedFinal is the number of finalized blocks remembered for each endpoint.
const rememberedFinal = 64

// retracts records the finalized block of an endpoint, and reports whether the
// endpoint has replaced an earlier one. If so, its finalized block is ignored from
// then on unless it is at least [settings.Options.Depth] below its head.
func (n *headReader) retracts(ctx context.Context, head *Head) (bool, error) {
	n.mu.Lock()
	var last, before evm.BlockRef
	for _, ref := range n.finalized {
		if last = ref; ref.Number <= head.Latest.Number {
			before = ref
		}
	}
	n.mu.Unlock()
	if head.Finalized.BlockRef == last {
		return false, nil
	}
	if before.Hash != (evm.Hash{}) && before != head.Finalized.BlockRef && before.Hash != head.Finalized.ParentHash {
		now, err := n.HeaderAt(ctx, before.Number)
		if err != nil {
			return false, err
		}
		if now.Hash != before.Hash {
			highest := n.highest.Load()
			n.mu.Lock()
			defer n.mu.Unlock()
			n.retracted, n.retractedTo = last, highest-min(highest, n.o.Depth)
			n.finalized = nil
			return true, nil
		}
	}
	if head.Finalized.Number > last.Number {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.finalized = append(n.finalized[max(0, len(n.finalized)+1-rememberedFinal):], head.Finalized.BlockRef)
	}
	return false, nil
}

// PushedHead parses a head that the node pushed.
func (n *headReader) PushedHead(text []byte) (evm.Header, error) {
	h, err := parseHeader(text)
	if err != nil {
		return evm.Header{}, n.Secrets.Hidden(rpcerror.Inconsistent("%s: new head: %v", n.Name, err))
	}
	n.SawHead(h.Number)
	return h.Header, nil
}
