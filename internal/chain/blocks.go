package chain

import (
	"context"
	"errors"
	"fmt"

	"mintburn/internal/evm"
)

// Blocks returns every block from one to the other, both included, each the
// parent of the next, with its wanted logs (see [Client.Span]). The blocks need
// not be final: every log must name the hash of its block in this branch. It
// reports whether all of them are proven, which only those are that an endpoint
// was caught leaving logs out of.
func (c *Client) Blocks(ctx context.Context, from, to uint64) (blocks []evm.Block, proven bool, err error) {
	// Headers and logs are asked for one after the other; a reorganisation or
	// another endpoint between the two shows as a difference.
	for range c.o.Attempts {
		if blocks, proven, err = c.blocksOnce(ctx, from, to); err == nil || !errors.Is(err, ErrInconsistent) {
			return blocks, proven, err
		}
	}
	return nil, false, err
}

func (c *Client) blocksOnce(ctx context.Context, from, to uint64) (_ []evm.Block, proven bool, err error) {
	headers, err := c.Headers(ctx, from, to)
	if err != nil {
		return nil, false, err
	}
	proven = true
	blocks := make([]evm.Block, len(headers))
	for i, h := range headers {
		blocks[i].Header = h
	}
	for next := from; next <= to; {
		span, err := c.Span(ctx, next, to)
		if err != nil {
			return nil, false, err
		}
		proven = proven && span.Proven
		// The last block, too: those without logs there may have some in the
		// branch of the headers.
		for _, b := range append(span.Blocks, evm.Block{Header: span.Last}) {
			h := &blocks[b.Header.Number-from]
			if h.Header.Hash != b.Header.Hash {
				return nil, false, fmt.Errorf("asking for blocks [%d, %d]: %w", from, to,
					inconsistent("block %d is %s by its header and %s by its logs", b.Header.Number, h.Header.Hash, b.Header.Hash))
			}
			h.Logs = append(h.Logs, b.Logs...)
		}
		next = span.To + 1
	}
	return blocks, proven, nil
}

// Sparse is as [Client.Blocks], but returns only the last block and those that
// have wanted logs; of these the parent hash may be zero. The range must be
// final.
func (c *Client) Sparse(ctx context.Context, from, to uint64) (blocks []evm.Block, proven bool, err error) {
	proven = true
	for from <= to {
		span, err := c.Span(ctx, from, to)
		if err != nil {
			return nil, false, err
		}
		proven = proven && span.Proven
		blocks = append(blocks, span.Blocks...)
		if from = span.To + 1; from > to && (len(span.Blocks) == 0 || blocks[len(blocks)-1].Header.Number != to) {
			blocks = append(blocks, evm.Block{Header: span.Last})
		}
	}
	return blocks, proven, nil
}
