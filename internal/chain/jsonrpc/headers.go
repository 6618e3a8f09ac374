package jsonrpc

import (
	"context"
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// blockHeader is a header as a node returned it.
type blockHeader struct {
	evm.Header
	// bloom is the bloom filter, nil if the node returns none.
	bloom *types.Bloom
	// txs are the hashes of the block's transactions.
	txs []evm.Hash
	// object is the complete block object, which is large; nil once it is not needed.
	object *wire.Header
	// ethereum is the decoded header if it is provable: its hash is the hash of its
	// fields. It is nil for other headers, and before [endpoint.prove].
	ethereum *types.Header
}

func blockByTag(tag string) *call {
	return &call{method: "eth_getBlockByNumber", args: []any{tag, false}}
}

func blockByNumber(number uint64) *call { return blockByTag(hexutil.EncodeUint64(number)) }

// parseHeader parses a block object. It fails if a required field is missing or
// malformed.
func parseHeader(text []byte) (*blockHeader, error) {
	r := wire.NewReader()
	r.Reset(text)
	h := &blockHeader{object: new(wire.Header)}
	err := h.object.Read(r)
	if err == nil {
		err = r.End()
	}
	if err == nil {
		h.Header, err = h.object.Decode()
	}
	if err == nil {
		h.bloom, err = h.object.Bloom()
	}
	if err == nil {
		h.txs, err = h.object.Transactions()
	}
	return h, err
}

// header parses the result of a call for a block. Null is [ErrLagging] if the block
// was requested by number or tag, and [ErrGone] if by hash.
func (e *endpoint) header(asked *call) (*blockHeader, error) {
	if asked.null() {
		missing := ErrLagging
		if asked.byHash() {
			missing = ErrGone
		}
		return nil, fmt.Errorf("%s: block %s: %w", e.name, asked.args[0], missing)
	}
	h, err := parseHeader(asked.result)
	if err != nil {
		return nil, inconsistent("%s: block %s: %w", e.name, asked.args[0], err)
	}
	return h, nil
}

// numbered parses the result of [blockByNumber]. It fails if the block has another
// number.
func (e *endpoint) numbered(asked *call) (*blockHeader, error) {
	h, err := e.header(asked)
	if err == nil && hexutil.EncodeUint64(h.Number) != asked.args[0] {
		return nil, inconsistent("%s: got block %d, want block %s", e.name, h.Number, asked.args[0])
	}
	return h, err
}

// headerAt requests the header of a block by number.
func (e *endpoint) headerAt(ctx context.Context, number uint64) (*blockHeader, error) {
	asked := blockByNumber(number)
	if err := e.ask(ctx, asked); err != nil {
		return nil, err
	}
	return e.numbered(asked)
}

// Headers returns the headers of the blocks from from to to, both included, all from
// one endpoint; each is the parent of the next. It fails with [ErrLagging] if the
// chain ends before to.
func (c *Client) Headers(ctx context.Context, from, to uint64) (headers []evm.Header, err error) {
	found, err := tryRange(ctx, c, "headers", from, to, func(ctx context.Context, e *endpoint, from, to uint64) ([]*blockHeader, error) {
		return e.headers(ctx, from, to)
	})
	for _, h := range found {
		headers = append(headers, h.Header)
	}
	return headers, err
}

// headers requests headers and checks that each is the parent of the next.
func (e *endpoint) headers(ctx context.Context, from, to uint64) ([]*blockHeader, error) {
	var headers []*blockHeader
	most := uint64(e.o.BatchSize)
	for number := from; number <= to; {
		var calls []*call
		for end := min(to, number+most-1); number+uint64(len(calls)) <= end; {
			calls = append(calls, blockByNumber(number+uint64(len(calls))))
		}
		if err := e.ask(ctx, calls...); len(calls) > 1 && kindOf(err) == kindSize {
			most /= 2
			continue
		} else if err != nil {
			return nil, err
		}
		number += uint64(len(calls))
		for _, asked := range calls {
			header, err := e.numbered(asked)
			if err == nil && len(headers) > 0 {
				err = e.linked(&headers[len(headers)-1].Header, &header.Header)
			}
			if err != nil {
				return nil, err
			}
			headers = append(headers, header)
		}
	}
	return headers, nil
}

// linked checks that a is the parent of b.
func (e *endpoint) linked(a, b *evm.Header) error {
	if a.Hash == b.ParentHash {
		return nil
	}
	return inconsistent("%s: block %d has the parent %s, but block %d is %s", e.name, b.Number, b.ParentHash, a.Number, a.Hash)
}

// prove sets h.ethereum if the header's hash is the hash of its fields. Otherwise it
// fails: with [ErrNotProvable] if the header has other fields than Ethereum headers,
// with [ErrMismatch] if it has the same fields.
func (e *endpoint) prove(h *blockHeader) error {
	header, err := h.object.Ethereum()
	switch {
	case err != nil:
		return fmt.Errorf("%w: %s: not an Ethereum header: %s", ErrNotProvable, e.name, e.clean(err.Error()))
	case evm.Hash(header.Hash()) == h.Hash:
		h.ethereum = header
		return nil
	case len(h.object.Unknown) > 0:
		return fmt.Errorf("%w: %s: the header's hash is not the hash of its Ethereum fields; it also has %s",
			ErrNotProvable, e.name, e.clean(strings.Join(h.object.Unknown, ", ")))
	default:
		return fmt.Errorf("%w: %s: the header's fields hash to %s, not to %s", ErrMismatch, e.name, evm.Hash(header.Hash()), h.Hash)
	}
}

// provable reports whether the header's hash is the hash of its fields. It fails if
// a header that is not provable is unacceptable, see [Client.unprovable].
func (e *endpoint) provable(ctx context.Context, h *blockHeader) (bool, error) {
	if h.ethereum != nil || h.object == nil {
		return h.ethereum != nil, nil
	}
	cause := e.prove(h)
	if cause == nil {
		return true, nil
	}
	_, err := e.c.unprovable(ctx, e, cause, h, h)
	return false, err
}
