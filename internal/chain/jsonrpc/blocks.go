package jsonrpc

import (
	"context"
	"errors"
	"fmt"

	"mintburn/internal/evm"
)

// Blocks returns the blocks from from to to, both included, each the parent of the
// next, with their selected logs (see [Client.Span]). The blocks need not be final,
// because every log must name the hash of its block in this branch. proven is true if
// every block is proven, which happens only in ranges that an endpoint left logs out
// of.
func (c *Client) Blocks(ctx context.Context, from, to uint64) (blocks []evm.Block, proven bool, err error) {
	// Headers and logs are requested separately. A reorg or a change of endpoint in
	// between causes a difference.
	for range c.o.Attempts {
		if blocks, proven, err = c.blocksOnce(ctx, from, to); err == nil || !errors.Is(err, ErrInconsistent) {
			break
		}
	}
	return blocks, proven, err
}

func (c *Client) blocksOnce(ctx context.Context, from, to uint64) (_ []evm.Block, proven bool, err error) {
	headers, err := c.Headers(ctx, from, to)
	if err != nil {
		return nil, false, err
	}
	blocks := make([]evm.Block, len(headers))
	for i, h := range headers {
		blocks[i].Header = h
	}
	proven, err = c.spans(ctx, from, to, func(span *Span) error {
		// Compare the last block too: if the logs were read on another branch, blocks
		// without logs there may have some in the branch of the headers.
		for _, b := range append(span.Blocks, evm.Block{Header: span.Last}) {
			h := &blocks[b.Header.Number-from]
			if h.Header.Hash != b.Header.Hash {
				return fmt.Errorf("reading blocks [%d, %d]: %w", from, to,
					inconsistent("block %d has the hash %s in the headers and %s in the logs", b.Header.Number, h.Header.Hash, b.Header.Hash))
			}
			h.Logs = append(h.Logs, b.Logs...)
		}
		return nil
	})
	return blocks, proven, err
}

// Sparse is [Client.Blocks] for final blocks. It returns only the blocks with selected
// logs, whose parent hashes may be zero, and the last block.
func (c *Client) Sparse(ctx context.Context, from, to uint64) (blocks []evm.Block, proven bool, err error) {
	proven, err = c.spans(ctx, from, to, func(span *Span) error {
		blocks = append(blocks, span.Blocks...)
		if span.To == to && (len(span.Blocks) == 0 || blocks[len(blocks)-1].Header.Number != to) {
			blocks = append(blocks, evm.Block{Header: span.Last})
		}
		return nil
	})
	return blocks, proven, err
}

// spans calls each with the parts of a range, and reports whether all are proven.
func (c *Client) spans(ctx context.Context, from, to uint64, each func(span *Span) error) (proven bool, err error) {
	for proven = true; from <= to; {
		span, err := c.Span(ctx, from, to)
		if err == nil {
			err = each(&span)
		}
		if err != nil {
			return false, err
		}
		proven, from = proven && span.Proven, span.To+1
	}
	return proven, nil
}
