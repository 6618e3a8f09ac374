package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"mintburn/internal/chain/jsonrpc/rpcerror"
)

const (
	// firstBlockTTL is the time after which a node is called again for blocks below its first.
	firstBlockTTL = 5 * time.Minute
	// fewPruned is the number of blocks in a row that a node must refuse to count as
	// pruned, unless it says so itself: fewer may be faults of single blocks.
	fewPruned = 8
)

// spanReader reads a range, or the beginning of one, from an endpoint.
type spanReader = func(ctx context.Context, from, to uint64) (Span, error)

// available calls read for a range of an endpoint, unless it begins below the endpoint's
// first block. If read fails in whatever words, available searches for the first block by
// bisection: that from which on probe succeeds.
func available[T any](ctx context.Context, n *Node, from, to uint64,
	read func(ctx context.Context, from, to uint64) (T, error), probe spanReader,
) (none T, _ error) {
	n.mu.Lock()
	first := uint64(0)
	if n.o.Now().Before(n.firstUntil) {
		first = n.firstBlock
	}
	n.mu.Unlock()
	if from < first {
		return none, n.prunedBelow(first, from)
	}
	got, err := read(ctx, from, to)
	if err == nil {
		// Another node may be behind the URL.
		n.mu.Lock()
		if from < n.firstBlock {
			n.firstBlock = 0
		}
		n.mu.Unlock()
	}
	if err == nil || !rpcerror.IsNoData(err) {
		return got, err
	}
	first, searchErr := n.searchFirst(ctx, from, errors.Is(err, rpcerror.ErrPruned), probe)
	switch {
	case searchErr != nil:
		return none, searchErr
	case first == 0 && rpcerror.IsPrunedLogs(err):
		return none, cmp.Or(n.distrust(ctx, err), err)
	case first == 0:
		return none, err
	}
	n.mu.Lock()
	n.firstBlock, n.firstUntil = first, n.o.Now().Add(firstBlockTTL)
	n.mu.Unlock()
	pruned := n.prunedBelow(first, from)
	n.Rest.NoteError(pruned)
	return none, pruned
}

// prunedBelow returns the error for a block below an endpoint's first block.
func (n *Node) prunedBelow(first, block uint64) error {
	return &rpcerror.PrunedError{First: first, Text: fmt.Sprintf("%s: block %d is pruned, the first block of the node is %d", n.Name, block, first)}
}

// searchFirst returns the first block above from that the endpoint has, or 0 if it has not
// pruned from: if it has that block now, if it lacks even its last final block, or, unless
// the endpoint has said so, if fewer than [fewPruned] blocks are missing.
func (n *Node) searchFirst(ctx context.Context, from uint64, said bool, probe spanReader) (uint64, error) {
	refused, has := from, n.Finalized().Number
	if !said {
		refused += fewPruned - 1
	}
	if has <= refused {
		return 0, nil
	}
	for number, want := range map[uint64]bool{from: false, refused: false, has: true} {
		if ok, err := n.hasBlock(ctx, number, probe); err != nil || ok != want {
			return 0, err
		}
	}
	for has-refused > 1 {
		middle := refused + (has-refused)/2
		ok, err := n.hasBlock(ctx, middle, probe)
		if err != nil {
			return 0, err
		}
		if ok {
			has = middle
		} else {
			refused = middle
		}
	}
	return has, nil
}

// givenSpan is the number of blocks among which [Node.hasBlock] looks for one that shows
// whether a node has its logs.
const givenSpan = 16

// hasBlock reports whether an endpoint has a block, judged by the first one from number on that
// may have selected logs: for others, even a pruned node has all that is read.
func (n *Node) hasBlock(ctx context.Context, number uint64, probe spanReader) (bool, error) {
	headers, err := n.Headers(ctx, number, min(number+givenSpan-1, max(number, n.Finalized().Number)))
	if err != nil {
		if rpcerror.IsNoData(err) {
			err = nil
		}
		return false, err
	}
	for _, h := range headers {
		_ = n.prove(h)
		if n.chain.filter.excludes(h) {
			continue
		}
		_, err := probe(ctx, h.Number, h.Number)
		if rpcerror.IsNoData(err) {
			return false, nil
		}
		return err == nil, err
	}
	return true, nil
}
