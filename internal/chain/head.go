package chain

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"mintburn/internal/evm"
)

// Head is where a chain ends, as one endpoint sees it.
type Head struct {
	// Latest is the newest block.
	Latest evm.Header
	// Finalized is the newest block that cannot be reorganised away. Where the
	// node knows no such thing it is [ClientOptions.Depth] below Latest.
	Finalized evm.Header
	// Retracted, if not zero, is a block that the endpoint called final and
	// replaced since: its word on finality does not count any more. RetractedTo is
	// [ClientOptions.Depth] below its highest head at that time.
	Retracted   evm.BlockRef
	RetractedTo uint64
}

// Head returns the head of the first endpoint that is well and not far behind
// another. Finalized is the lowest that such endpoints reported.
func (c *Client) Head(ctx context.Context) (head Head, err error) {
	err = c.try(ctx, func(ctx context.Context, e *endpoint) error {
		if head, err = c.headOf(ctx, e); err != nil {
			return err
		}
		if err := c.compareHeads(ctx, e, head.Latest.Number); err != nil {
			return err
		}
		c.lowerFinality(e, &head)
		return nil
	})
	if err != nil {
		return Head{}, fmt.Errorf("asking for the head: %w", err)
	}
	return head, nil
}

// An endpoint whose head is more than maxBehind blocks below that of another one
// is stuck or on a dead branch, and is asked only when no other answers. That is
// looked at once every compareEvery.
const (
	maxBehind    = 16
	compareEvery = 15 * time.Second
)

// compareHeads asks the other endpoints for their heads, where it is time for
// that, and fails with [ErrTemporary] where this one's is far behind.
func (c *Client) compareHeads(ctx context.Context, e *endpoint, head uint64) error {
	now := c.o.Now()
	c.mu.Lock()
	due := len(c.endpoints) > 1 && !now.Before(c.compareAt)
	if due {
		c.compareAt = now.Add(compareEvery)
	}
	c.mu.Unlock()
	if !due {
		return nil
	}
	heads, best := map[*endpoint]uint64{e: head}, e
	for _, other := range c.endpoints {
		if other == e || now.Before(other.restUntil()) {
			continue
		}
		number, err := c.latestOf(ctx, other)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			other.failed(refusalOf(err), err)
			continue
		}
		if heads[other] = number; number > heads[best] {
			best = other
		}
	}
	for other, number := range heads {
		other.setBehind(number+maxBehind < heads[best])
	}
	if head+maxBehind < heads[best] {
		return fmt.Errorf("%w: %s is at block %d, %s at block %d", ErrTemporary, e.name, head, best.name, heads[best])
	}
	return nil
}

// latestOf returns the number of an endpoint's head.
func (c *Client) latestOf(ctx context.Context, e *endpoint) (uint64, error) {
	if err := c.checkChain(ctx, e); err != nil {
		return 0, err
	}
	head, err := c.headOf(ctx, e)
	return head.Latest.Number, err
}

func (e *endpoint) setBehind(behind bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.health.Behind = behind
}

func (c *Client) headOf(ctx context.Context, e *endpoint) (head Head, err error) {
	calls := []*call{blockByTag("latest"), blockByTag("finalized")}
	if e.flag(&e.noFinalized) {
		calls = calls[:1]
	}
	if err := e.do(ctx, calls...); err != nil {
		return head, err
	}
	if calls[0].err != nil {
		return head, calls[0].err
	}
	latest, err := e.header(calls[0])
	if err != nil {
		return head, err
	}
	head.Latest = latest.Header
	e.sawHead(latest.Number)
	var finalized *liveHeader
	if len(calls) == 2 {
		switch refusalOf(calls[1].err).kind {
		case kindNone:
			// A young chain has no finalized block yet; it may have one later.
			if !calls[1].null() {
				finalized, err = e.header(calls[1])
			}
			if err != nil {
				return head, err
			}
		case kindBeyondHead:
		case kindRefused, kindUnsupported:
			e.setFlag(&e.noFinalized)
		default:
			return head, calls[1].err
		}
	}
	said := finalized
	if deepest := latest.Number - min(latest.Number, c.o.Depth); finalized != nil && finalized.Number > deepest && e.flag(&e.noVote) {
		finalized = nil
	}
	if finalized == nil {
		asked := blockByNumber(latest.Number - min(latest.Number, c.o.Depth))
		if err := e.ask(ctx, asked); err != nil {
			return head, err
		}
		if finalized, err = e.header(asked); err != nil {
			return head, err
		}
	}
	head.Finalized = finalized.Header
	if f, l := head.Finalized, head.Latest; f.Number > l.Number || (f.Number == l.Number && f.Hash != l.Hash) {
		return Head{}, inconsistent("%s: finalized block %d %s beside latest block %d %s", e.name, f.Number, f.Hash, l.Number, l.Hash)
	}
	if said != nil && !e.flag(&e.noVote) {
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
	e.lastFinalized = head.Finalized
	head.Retracted, head.RetractedTo = e.retracted, e.retractedTo
	return head, nil
}

// Headers returns the headers of the blocks from to to, both included, each the
// parent of the next: all from one endpoint. It fails with [ErrLagging] where
// the chain ends before to.
func (c *Client) Headers(ctx context.Context, from, to uint64) (headers []evm.Header, err error) {
	if from > to || to > MaxBlockNumber {
		return nil, fmt.Errorf("asking for headers [%d, %d]: not a range", from, to)
	}
	err = c.try(ctx, func(ctx context.Context, e *endpoint) error {
		live, err := e.headers(ctx, from, to)
		headers = headers[:0]
		for _, h := range live {
			headers = append(headers, h.Header)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("asking for headers [%d, %d]: %w", from, to, err)
	}
	return headers, nil
}

// headers asks for headers and checks that they are a chain.
func (e *endpoint) headers(ctx context.Context, from, to uint64) ([]*liveHeader, error) {
	var headers []*liveHeader
	most := uint64(e.o.BatchSize)
	for number := from; number <= to; {
		var calls []*call
		for end := min(to, number+most-1); number+uint64(len(calls)) <= end; {
			calls = append(calls, blockByNumber(number+uint64(len(calls))))
		}
		if err := e.ask(ctx, calls...); len(calls) > 1 && refusalOf(err).kind == kindSize {
			most /= 2
			continue
		} else if err != nil {
			return nil, err
		}
		number += uint64(len(calls))
		for _, asked := range calls {
			header, err := e.header(asked)
			if err != nil {
				return nil, err
			}
			if want := from + uint64(len(headers)); header.Number != want {
				return nil, inconsistent("%s: block %d in place of block %d", e.name, header.Number, want)
			}
			if len(headers) > 0 && header.ParentHash != headers[len(headers)-1].Hash {
				return nil, inconsistent("%s: block %d has the parent %s, block %d the hash %s",
					e.name, header.Number, header.ParentHash, header.Number-1, headers[len(headers)-1].Hash)
			}
			headers = append(headers, header)
		}
	}
	return headers, nil
}

// NewHeads returns the new heads that an endpoint pushes. They are hints, to be
// asked for again: none is checked, some may be missing or come twice, and the
// channel is closed when ctx or the connection ends. It fails with
// [ErrNoSubscription] when no endpoint is a WebSocket.
func (c *Client) NewHeads(ctx context.Context) (<-chan evm.Header, error) {
	failed := ErrNoSubscription
	for _, e := range c.endpoints {
		if !e.socket {
			continue
		}
		heads, err := c.newHeads(ctx, e)
		if err == nil {
			return heads, nil
		}
		failed = err
	}
	return nil, fmt.Errorf("subscribing to new heads: %w", failed)
}

func (c *Client) newHeads(ctx context.Context, e *endpoint) (<-chan evm.Header, error) {
	if err := c.checkChain(ctx, e); err != nil {
		return nil, err
	}
	client, err := e.dialed(ctx)
	if err != nil {
		return nil, e.failure(new(note), new(call), err, false)
	}
	raw := make(chan json.RawMessage, 16)
	subscription, err := client.EthSubscribe(ctx, raw, "newHeads")
	if err != nil {
		return nil, e.failure(new(note), &call{method: "eth_subscribe"}, err, false)
	}
	heads, ended := make(chan evm.Header), subscription.Err()
	go func() {
		defer close(heads)
		defer subscription.Unsubscribe()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ended: //nolint:errcheck // the caller polls on
				return
			case text := <-raw:
				header, err := parseHeader(text)
				if err != nil {
					return
				}
				e.sawHead(header.Number)
				select {
				case heads <- header.Header:
				case <-ctx.Done():
					return
				}
			}
		}
	}()
	return heads, nil
}

func blockByTag(tag string) *call {
	return &call{method: "eth_getBlockByNumber", args: []any{tag, false}}
}

func blockByNumber(number uint64) *call { return blockByTag(hexQuantity(number)) }

func hexQuantity(n uint64) string { return "0x" + strconv.FormatUint(n, 16) }
