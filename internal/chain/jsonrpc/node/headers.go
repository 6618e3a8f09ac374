package node

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common/hexutil"

	"mintburn/internal/chain/jsonrpc/endpoint"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/evm"
)

func blockByTag(tag string) *endpoint.Call {
	return &endpoint.Call{Method: "eth_getBlockByNumber", Args: []any{tag, false}}
}

// wholeBlock requests a block with its transactions.
func wholeBlock(hash evm.Hash) *endpoint.Call {
	return &endpoint.Call{Method: "eth_getBlockByHash", Args: []any{hash, true}}
}

func blockByNumber(number uint64) *endpoint.Call { return blockByTag(hexutil.EncodeUint64(number)) }

// header parses the result of a call for a block, or returns the call's error. Null is
// [rpcerror.ErrLagging] if the block was requested by number or tag, and [rpcerror.ErrGone] if by hash.
func (e *blockReader) header(asked *endpoint.Call) (*Header, error) {
	if asked.Err != nil {
		return nil, asked.Err
	}
	if asked.Null() {
		missing := rpcerror.ErrLagging
		if asked.ByHash() {
			missing = rpcerror.ErrGone
		}
		return nil, fmt.Errorf("%s: block %s: %w", e.Name, asked.Args[0], missing)
	}
	h, err := parseHeader(asked.Result)
	if err != nil {
		return nil, rpcerror.Inconsistent("%s: block %s: %w", e.Name, asked.Args[0], err)
	}
	return h, nil
}

// numbered parses the result of [blockByNumber]. It fails if the block has another
// number.
func (e *blockReader) numbered(asked *endpoint.Call) (*Header, error) {
	h, err := e.header(asked)
	if err == nil && hexutil.EncodeUint64(h.Number) != asked.Args[0] {
		return nil, rpcerror.Inconsistent("%s: got block %d, want block %s", e.Name, h.Number, asked.Args[0])
	}
	return h, err
}

// HeaderAt requests the header of a block by number.
func (e *blockReader) HeaderAt(ctx context.Context, number uint64) (*Header, error) {
	asked := blockByNumber(number)
	if err := e.Ask(ctx, asked); err != nil {
		return nil, err
	}
	return e.numbered(asked)
}

// headers requests headers and checks that each is the parent of the next. It leaves out
// heights without a block (Filecoin's null rounds): the parent of the next block proves
// that none is missing. It returns at least one header, or fails with [rpcerror.ErrNoBlock].
func (e *blockReader) headers(ctx context.Context, from, to uint64) ([]*Header, error) {
	var headers []*Header
	w := linker{e: e}
	most := uint64(e.o.BatchSize)
	for number := from; number <= to; {
		var calls []*endpoint.Call
		for end := min(to, number+most-1); number+uint64(len(calls)) <= end; {
			calls = append(calls, blockByNumber(number+uint64(len(calls))))
		}
		if err := cmp.Or(e.Do(ctx, calls...), firstOf(calls, rpcerror.Size)); len(calls) > 1 && rpcerror.KindOf(err) == rpcerror.Size {
			most /= 2
			continue
		} else if err != nil {
			return nil, err
		}
		for i, asked := range calls {
			header, err := w.next(ctx, number+uint64(i), asked)
			if err != nil {
				return nil, err
			}
			if header != nil {
				headers = append(headers, header)
			}
		}
		number += uint64(len(calls))
	}
	if err := w.end(ctx, to); err != nil {
		return nil, err
	}
	if len(headers) == 0 {
		return nil, fmt.Errorf("%s: heights %d to %d: %w", e.Name, from, to, rpcerror.ErrNoBlock)
	}
	return headers, nil
}

// firstOf returns the first error of a kind among calls, or nil.
func firstOf(calls []*endpoint.Call, kind rpcerror.Kind) error {
	for _, c := range calls {
		if rpcerror.KindOf(c.Err) == kind {
			return c.Err
		}
	}
	return nil
}

// lastAt returns the last block up to a height: that at the height, unless it has none.
func (e *blockReader) lastAt(ctx context.Context, number uint64) (*Header, error) {
	h, err := e.HeaderAt(ctx, number)
	if !rpcerror.IsNoData(err) {
		return h, err
	}
	above, err := e.headers(ctx, number-min(number, mostAbsent), number)
	if err != nil {
		return nil, err
	}
	return above[len(above)-1], nil
}

// linker checks that each header is the parent of the next.
type linker struct {
	e *blockReader
	// last is the last header, nil before the first.
	last *Header
	// missing is the error of the first height after last that has no block.
	missing error
}

// mostAbsent is the most heights in a row that may have no block.
const mostAbsent = 32

// next returns the header of the next height, or nil if it has no block.
func (w *linker) next(ctx context.Context, number uint64, asked *endpoint.Call) (*Header, error) {
	header, err := w.e.numbered(asked)
	switch {
	case err == nil:
		if w.last != nil && w.last.Hash != header.ParentHash {
			return nil, cmp.Or(w.missing, w.e.linked(&w.last.Header, &header.Header))
		}
		w.last, w.missing = header, nil
		return header, nil
	case !rpcerror.IsNoData(err) || number == 0:
		return nil, err
	}
	w.missing = cmp.Or(w.missing, err)
	// The range may begin with such heights.
	for below := number; w.last == nil; {
		if below--; below == 0 || number-below > mostAbsent {
			return nil, err
		}
		if w.last, err = w.e.HeaderAt(ctx, below); err != nil && !rpcerror.IsNoData(err) {
			return nil, err
		}
	}
	return nil, nil
}

// end checks that no block is missing at the last heights up to to.
func (w *linker) end(ctx context.Context, to uint64) error {
	for above := to + 1; w.missing != nil; above++ {
		if above > to+mostAbsent || above > w.e.highestBlock() {
			return w.missing
		}
		asked := blockByNumber(above)
		if err := w.e.Do(ctx, asked); err != nil && !rpcerror.IsNoData(err) {
			return err
		}
		if _, err := w.next(ctx, above, asked); err != nil {
			return err
		}
	}
	return nil
}

// linked checks that a is the parent of b.
func (e *blockReader) linked(a, b *evm.Header) error {
	if a.Hash == b.ParentHash {
		return nil
	}
	return rpcerror.Branches("%s: block %d has the parent %s, but block %d is %s", e.Name, b.Number, b.ParentHash, a.Number, a.Hash)
}

// prove sets h.ethereum if the header's hash is the hash of its fields. Otherwise it
// fails: with [rpcerror.ErrNotProvable] if the header has other fields than Ethereum headers,
// with [rpcerror.ErrMismatch] if it has the same fields.
func (e *blockReader) prove(h *Header) error {
	header, hash, err := h.object.Ethereum()
	switch {
	case err != nil:
		return fmt.Errorf("%w: %s: not an Ethereum header: %s", rpcerror.ErrNotProvable, e.Name, e.Secrets.Clean(err.Error()))
	case hash == h.Hash:
		h.ethereum = header
		return nil
	case len(h.object.Unknown) > 0:
		return fmt.Errorf("%w: %s: the header's hash is not the hash of its Ethereum fields; it also has %s",
			rpcerror.ErrNotProvable, e.Name, e.Secrets.Clean(strings.Join(h.object.Unknown, ", ")))
	default:
		return fmt.Errorf("%w: %s: the header's fields hash to %s, not to %s", rpcerror.ErrMismatch, e.Name, hash, h.Hash)
	}
}
