package chain

import (
	"context"
	"fmt"

	"mintburn/internal/evm"
)

// SetMaxLine lowers the bound on lines.
func (r *Recording) SetMaxLine(n int) { r.maxLine = n }

// ReadAhead bounds how far reading is ahead of the items, in bytes of text:
// what waits, the chunk being filled, and that being taken.
const ReadAhead = readAhead + 4*chunkSize

// NewLineDecoder returns a function that reads one line, for fuzzing and
// benchmarks.
func NewLineDecoder() func(line []byte) (Item, error) {
	d := newDecoder()
	return func(line []byte) (item Item, err error) {
		err = d.decode(line, &item)
		return item, err
	}
}

// Range returns the blocks from to to, both included, that have wanted logs;
// the range must be finalized. It is [Client.Span] until the end: ask for no
// more than fits the memory. ParentHash may be zero, see [Span].
func (c *Client) Range(ctx context.Context, from, to uint64) ([]evm.Block, error) {
	blocks := []evm.Block{}
	for from <= to {
		span, err := c.Span(ctx, from, to)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, span.Blocks...)
		from = span.To + 1
	}
	return blocks, nil
}

// Block returns one block with its wanted logs, by number or by hash: header
// and logs of one endpoint, the logs asked for by the header's hash, so that
// they are of this branch or of none. It fails with [ErrLagging] for a number
// that no endpoint has yet, and with [ErrGone] for a hash that none knows, or
// one that was reorganised away between the two questions.
//
// All logs of the block are asked for. Their places must be 0, 1, … and the
// bloom filter built from them must be the header's; where one of these is not
// so, or the node gives no filter, the receipts decide. Some chains (Polygon)
// have logs outside the filter, some an empty filter: there, receipts that
// agree with the logs are enough.
func (c *Client) Block(ctx context.Context, at evm.BlockNumberOrHash) (block evm.Block, err error) {
	asked := blockByNumber(uint64(at.Number))
	if at.Hash != nil {
		asked = blockByHash(*at.Hash)
	}
	err = c.try(ctx, func(ctx context.Context, e *endpoint) error {
		block, err = c.blockOf(ctx, e, asked, at)
		return err
	})
	if err != nil {
		return evm.Block{}, fmt.Errorf("asking for block %s: %w", at, err)
	}
	return block, nil
}

func (c *Client) blockOf(ctx context.Context, e *endpoint, asked *call, at evm.BlockNumberOrHash) (evm.Block, error) {
	// The other endpoint's answer must not be taken for this one's.
	asked = &call{method: asked.method, args: asked.args}
	if err := e.ask(ctx, asked); err != nil {
		return evm.Block{}, err
	}
	h, err := e.header(asked)
	if err != nil {
		return evm.Block{}, err
	}
	if (at.Hash != nil && h.Hash != *at.Hash) || (at.Hash == nil && h.Number != uint64(at.Number)) {
		return evm.Block{}, inconsistent("%s: block %d %s in place of block %s", e.name, h.Number, h.Hash, at)
	}
	e.sawHead(h.Number)
	logs, err := e.wholeBlock(ctx, h)
	if err != nil {
		return evm.Block{}, err
	}
	return evm.Block{Header: h.Header, Logs: c.wanted.pick(logs)}, nil
}

func blockByHash(hash evm.Hash) *call {
	return &call{method: "eth_getBlockByHash", args: []any{hash, false}}
}

// The kinds of refusals, for the table of what nodes say.
const (
	Temporary    = kindTemporary
	Rate         = kindRate
	Size         = kindSize
	Slow         = kindSlow
	Batch        = kindBatch
	Unsupported  = kindUnsupported
	UnknownBlock = kindUnknownBlock
	BeyondHead   = kindBeyondHead
	Pruned       = kindPruned
	Refused      = kindRefused
)

// Classify is classify, and what it found of limits.
func Classify(code int, message string, inBatch bool) (kind kind, limit, size uint64) {
	r := classify(code, message, inBatch)
	return r.kind, r.limit, r.size
}

// AnyShape is anyShape.
func AnyShape() []evm.Hash { return anyShape() }

// TakeResults takes the results out of a JSON-RPC answer.
var TakeResults = takeResults

// IsRecordedField reports whether a field of a recorded block object is read.
func IsRecordedField(name string) bool { return recordedField([]byte(name)) != unknown }
