package node

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"mintburn/internal/chain/jsonrpc/endpoint"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/jsonrpc/settings"
	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// Header is a header as a node returned it.
type Header struct {
	evm.Header
	// bloom is the bloom filter, nil if the node returns none.
	bloom *types.Bloom
	// txs are the block's transactions, nil if the node returns none.
	txs []wire.Transaction
	// object is the complete block object, which is large; nil once it is not needed.
	object *wire.Header
	// ethereum is the decoded header if it is provable: its hash is the hash of its
	// fields. It is nil for other headers, and before [blockReader.prove].
	ethereum *types.Header
}

// parseHeader parses a block object. It fails if a required field is missing or
// malformed.
func parseHeader(text []byte) (*Header, error) {
	r := wire.NewReader()
	r.Reset(text)
	h := &Header{object: new(wire.Header)}
	err := h.object.Read(r)
	if err == nil {
		err = r.End()
	}
	if err == nil {
		h.Header, err = h.object.Decode()
	}
	if err == nil {
		h.bloom = h.object.Bloom()
		h.txs, err = h.object.Transactions()
	}
	return h, err
}

// hasNoBloom reports whether the bloom filter is empty or missing.
func (h *Header) hasNoBloom() bool { return h.bloom == nil || *h.bloom == types.Bloom{} }

// stateSync reports whether the block lists a transaction that neither its receipts root nor
// its bloom filter covers, see [wire.StateSync].
func (h *Header) stateSync() bool {
	if len(h.txs) == 0 {
		return false
	}
	hash := wire.StateSync(h.BlockRef)
	return slices.ContainsFunc(h.txs, func(tx wire.Transaction) bool { return tx.Hash == hash })
}

// explains reports whether the header is consistent with logs being all logs of the
// block: their indices have no gap, and the bloom filter matches those that it covers. Only
// the receipts root can show that the last log is missing if an earlier log has the same
// address and topics.
func (h *Header) explains(logs []evm.Log) bool {
	if h.bloom == nil || !wire.InOrder(logs) {
		return false
	}
	// Without a seal in its extra data, an Ethereum header has no state sync.
	if h.stateSync() && (h.ethereum == nil || wire.HasSeal(h.ethereum)) {
		hash, before := wire.StateSync(h.BlockRef), len(logs)
		logs = slices.DeleteFunc(slices.Clone(logs), func(log evm.Log) bool { return log.TxHash == hash })
		if len(logs) == before {
			return false
		}
	}
	return wire.Bloom(logs) == *h.bloom
}

// lacksNone reports whether the bloom filter contains nothing but logs.
func (h *Header) lacksNone(logs []evm.Log) bool {
	if h.bloom == nil {
		return true
	}
	all := wire.Bloom(logs)
	for i := range h.bloom {
		if h.bloom[i]&^all[i] != 0 {
			return false
		}
	}
	return true
}

// fieldsHash returns the hash of the header's Ethereum fields, or zero if one is
// missing.
func (h *Header) fieldsHash() evm.Hash {
	_, hash, err := h.object.Ethereum()
	if err != nil {
		return evm.Hash{}
	}
	return hash
}

// unprovable returns why a header is not provable.
func (h *Header) unprovable() string {
	if len(h.object.Unknown) > 0 {
		return settings.ReasonFields
	}
	return settings.ReasonHash
}

func blockByTag(tag string) *endpoint.Call {
	return &endpoint.Call{Method: "eth_getBlockByNumber", Args: []any{tag, false}}
}

// wholeBlock requests a block with its transactions.
func wholeBlock(hash evm.Hash) *endpoint.Call { return blockByHash(hash, true) }

func blockByHash(hash evm.Hash, whole bool) *endpoint.Call {
	return &endpoint.Call{Method: "eth_getBlockByHash", Args: []any{hash, whole}}
}

func blockByNumber(number uint64) *endpoint.Call { return blockByTag(hexutil.EncodeUint64(number)) }

// headerOf parses the result of a call for a block, or returns the call's error. Null is
// [rpcerror.ErrLagging] if the block was requested by number or tag, and [rpcerror.ErrGone] if
// by hash.
func (n *blockReader) headerOf(asked *endpoint.Call) (*Header, error) {
	if asked.Err != nil {
		return nil, asked.Err
	}
	if asked.Null() {
		missing := rpcerror.ErrLagging
		if asked.ByHash() {
			missing = rpcerror.ErrGone
		}
		return nil, fmt.Errorf("%s: block %s: %w", n.Name, asked.Args[0], missing)
	}
	h, err := parseHeader(asked.Result)
	if err != nil {
		return nil, rpcerror.Inconsistent("%s: block %s: %w", n.Name, asked.Args[0], err)
	}
	return h, nil
}

// numberedHeader parses the result of [blockByNumber]. It fails if the block has another
// number.
func (n *blockReader) numberedHeader(asked *endpoint.Call) (*Header, error) {
	h, err := n.headerOf(asked)
	if err == nil && hexutil.EncodeUint64(h.Number) != asked.Args[0] {
		return nil, rpcerror.Inconsistent("%s: got block %d, want block %s", n.Name, h.Number, asked.Args[0])
	}
	return h, err
}

// HeaderAt requests the header of a block by number.
func (n *blockReader) HeaderAt(ctx context.Context, number uint64) (*Header, error) {
	asked := blockByNumber(number)
	if err := n.Ask(ctx, asked); err != nil {
		return nil, err
	}
	return n.numberedHeader(asked)
}

// Headers requests headers and checks that each is the parent of the next. It leaves out
// heights without a block (Filecoin's null rounds): the parent of the next block proves
// that none is missing. It returns at least one header, or fails with [rpcerror.ErrNoBlock].
func (n *blockReader) Headers(ctx context.Context, from, to uint64) ([]*Header, error) {
	var headers []*Header
	w := linker{n: n}
	most := uint64(n.o.BatchSize)
	for number := from; number <= to; {
		var calls []*endpoint.Call
		for end := min(to, number+most-1); number+uint64(len(calls)) <= end; {
			calls = append(calls, blockByNumber(number+uint64(len(calls))))
		}
		if err := cmp.Or(n.Do(ctx, calls...), firstOf(calls, rpcerror.Size)); len(calls) > 1 && rpcerror.KindOf(err) == rpcerror.Size {
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
		return nil, fmt.Errorf("%s: heights %d to %d: %w", n.Name, from, to, rpcerror.ErrNoBlock)
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
func (n *blockReader) lastAt(ctx context.Context, number uint64) (*Header, error) {
	h, err := n.HeaderAt(ctx, number)
	if !rpcerror.IsNoData(err) {
		return h, err
	}
	above, err := n.Headers(ctx, number-min(number, maxNullRounds), number)
	if err != nil {
		return nil, err
	}
	return above[len(above)-1], nil
}

// linker checks that each header is the parent of the next.
type linker struct {
	n *blockReader
	// last is the last header, nil before the first.
	last *Header
	// missing is the error of the first height after last that has no block.
	missing error
}

// maxNullRounds is the most heights in a row that may have no block.
const maxNullRounds = 32

// next returns the header of the next height, or nil if it has no block.
func (w *linker) next(ctx context.Context, number uint64, asked *endpoint.Call) (*Header, error) {
	header, err := w.n.numberedHeader(asked)
	switch {
	case err == nil:
		if w.last != nil && w.last.Hash != header.ParentHash {
			return nil, cmp.Or(w.missing, w.n.checkParent(&w.last.Header, &header.Header))
		}
		w.last, w.missing = header, nil
		return header, nil
	case !rpcerror.IsNoData(err) || number == 0:
		return nil, err
	}
	w.missing = cmp.Or(w.missing, err)
	// The range may begin with such heights.
	for below := number; w.last == nil; {
		if below--; below == 0 || number-below > maxNullRounds {
			return nil, err
		}
		if w.last, err = w.n.HeaderAt(ctx, below); err != nil && !rpcerror.IsNoData(err) {
			return nil, err
		}
	}
	return nil, nil
}

// end checks that no block is missing at the last heights up to to.
func (w *linker) end(ctx context.Context, to uint64) error {
	for above := to + 1; w.missing != nil; above++ {
		if above > to+maxNullRounds || above > w.n.highest.Load() {
			return w.missing
		}
		asked := blockByNumber(above)
		if err := w.n.Do(ctx, asked); err != nil && !rpcerror.IsNoData(err) {
			return err
		}
		if _, err := w.next(ctx, above, asked); err != nil {
			return err
		}
	}
	return nil
}

// checkParent checks that a is the parent of b.
func (n *blockReader) checkParent(a, b *evm.Header) error {
	if a.Hash == b.ParentHash {
		return nil
	}
	return rpcerror.Branches("%s: block %d has the parent %s, but block %d is %s", n.Name, b.Number, b.ParentHash, a.Number, a.Hash)
}

// prove sets h.ethereum if the header's hash is the hash of its fields. Otherwise it
// fails: with [rpcerror.ErrNotProvable] if the header has other fields than Ethereum headers,
// with [rpcerror.ErrMismatch] if it has the same fields.
func (n *blockReader) prove(h *Header) error {
	header, hash, err := h.object.Ethereum()
	switch {
	case err != nil:
		return fmt.Errorf("%w: %s: not an Ethereum header: %s", rpcerror.ErrNotProvable, n.Name, n.Secrets.Clean(err.Error()))
	case hash == h.Hash:
		h.ethereum = header
		return nil
	case len(h.object.Unknown) > 0:
		return fmt.Errorf("%w: %s: the header's hash is not the hash of its Ethereum fields; it also has %s",
			rpcerror.ErrNotProvable, n.Name, n.Secrets.Clean(strings.Join(h.object.Unknown, ", ")))
	default:
		return fmt.Errorf("%w: %s: the header's fields hash to %s, not to %s", rpcerror.ErrMismatch, n.Name, hash, h.Hash)
	}
}
