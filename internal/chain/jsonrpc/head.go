package jsonrpc

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"mintburn/internal/chain/jsonrpc/endpoint"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/evm"
)

// Head is the end of a chain, as one endpoint sees it.
type Head struct {
	// Latest is the newest block.
	Latest evm.Header
	// Finalized is the newest final block, or the block [Options.Depth] below Latest if
	// the node reports none.
	Finalized evm.Header
	// Retracted, if not zero, is a block that the endpoint called final and has
	// replaced since; the endpoint's finality is ignored from then on. RetractedTo is
	// [Options.Depth] below its highest head at that time.
	Retracted   evm.BlockRef
	RetractedTo uint64
}

// Head returns the head of the first healthy endpoint that is not far behind
// another. Finalized is the lowest finalized block that such endpoints reported.
func (c *Client) Head(ctx context.Context) (head Head, err error) {
	err = c.try(ctx, "reading the head", func(e *node) error {
		found, err := c.headOf(ctx, e)
		if err == nil {
			err = c.compareHeads(ctx, e, found.Latest.Number)
		}
		if err == nil {
			c.lowerFinality(e, &found)
			head = found
		}
		return err
	})
	return head, err
}

// MaxBehind is how many blocks the head of an endpoint may be below another's. One further below is
// stuck or on an orphaned branch, and is called only when no other endpoint answers.
const MaxBehind = 16

// compareEvery is the least time between two comparisons of heads.
const compareEvery = 15 * time.Second

// compareHeads compares the heads of all endpoints if [compareEvery] has passed, and
// fails with [rpcerror.ErrTemporary] if e, which has the given head, is far behind.
func (c *Client) compareHeads(ctx context.Context, e *node, head uint64) error {
	now := c.o.Now()
	c.mu.Lock()
	due := len(c.nodes) > 1 && !now.Before(c.compareAt)
	if due {
		c.compareAt = now.Add(compareEvery)
	}
	c.mu.Unlock()
	if !due {
		return nil
	}
	heads, best := map[*node]uint64{e: head}, e
	for _, other := range c.nodes {
		if other == e || other.Rest.Resting() {
			continue
		}
		err := c.checkChain(ctx, other)
		var theirs Head
		if err == nil {
			theirs, err = c.headOf(ctx, other)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			other.failed(err)
			continue
		}
		other.Rest.Answered()
		if heads[other] = theirs.Latest.Number; heads[other] > heads[best] {
			best = other
		}
	}
	for other, number := range heads {
		set(other, &other.behind, number+MaxBehind < heads[best])
	}
	if head+MaxBehind < heads[best] {
		return fmt.Errorf("%w: %s is at block %d, %s at block %d", rpcerror.ErrTemporary, e.Name, head, best.Name, heads[best])
	}
	return nil
}

// headOf returns the head of one endpoint.
func (c *Client) headOf(ctx context.Context, e *node) (head Head, err error) {
	latest, finalized, err := e.heads(ctx)
	if err != nil {
		return Head{}, err
	}
	e.sawHead(latest.Number)
	votes := finalized != nil && get(e, &e.retracted) == evm.BlockRef{}
	deepest := latest.Number - min(latest.Number, c.o.Depth)
	if !votes && (finalized == nil || finalized.Number > deepest) {
		if last := get(e, &e.lastFinalized); get(e, &e.newest).Hash == latest.Hash && last.Number <= deepest {
			finalized = &blockHeader{Header: last}
		} else if finalized, err = e.lastAt(ctx, deepest); err != nil {
			return Head{}, err
		}
	}
	head = Head{Latest: latest.Header, Finalized: finalized.Header}
	if f, l := head.Finalized, head.Latest; f.Number > l.Number || (f.Number == l.Number && f.Hash != l.Hash) {
		return Head{}, rpcerror.Inconsistent("%s: finalized block %d %s contradicts latest block %d %s", e.Name, f.Number, f.Hash, l.Number, l.Hash)
	}
	if votes {
		lost, err := c.losesVote(ctx, e, &head)
		if lost && err == nil {
			return c.headOf(ctx, e)
		}
		if err != nil {
			return Head{}, err
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.newest, e.lastFinalized = *latest, head.Finalized
	head.Retracted, head.RetractedTo = e.retracted, e.retractedTo
	return head, nil
}

// takeNewest returns the header of the newest block, once, if the range consists of that block.
func (e *node) takeNewest(from, to uint64) (headers []*blockHeader) {
	e.locked(func() {
		if h := e.newest; h.object != nil && from == to && h.Number == to {
			headers, e.newest.object = []*blockHeader{&h}, nil
		}
	})
	return headers
}

// maxHead is the most bytes of a new head that is kept.
const maxHead = 1 << 20

// heads returns the latest and the finalized block of an endpoint; finalized is nil
// if the endpoint has none.
func (e *node) heads(ctx context.Context) (latest, finalized *blockHeader, err error) {
	calls := []*endpoint.Call{blockByTag("latest"), blockByTag("finalized")}
	if get(e, &e.noFinalized) {
		calls = calls[:1]
	}
	if err := e.Do(ctx, calls...); err != nil {
		return nil, nil, err
	}
	if calls[0].Err != nil {
		return nil, nil, calls[0].Err
	}
	latest, err = e.header(calls[0])
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
		set(e, &e.hasFinalized, true)
		if finalized, err = e.header(calls[1]); err == nil && finalized.Number > latest.Number {
			// Another node behind the load balancer is ahead.
			latest = &blockHeader{Header: finalized.Header}
		}
		return latest, finalized, err
	case refused == nil, info.Kind == rpcerror.BeyondHead, info.Kind == rpcerror.UnknownBlock:
		// A young chain has no finalized block yet, but may have one later.
	case !get(e, &e.hasFinalized) && rpcerror.IsNoData(refused) && info.Status < http.StatusInternalServerError:
		set(e, &e.noFinalized, true)
	default:
		return nil, nil, refused
	}
	return latest, nil, nil
}
