package jsonrpc

import (
	"context"
	"fmt"

	"github.com/ethereum/go-ethereum/common/hexutil"

	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// blockReceipts are the receipts of one block, in order, from one endpoint.
type blockReceipts struct {
	e    *endpoint
	h    *blockHeader
	list []wire.Receipt
	// all is every log of the block in chain order, with the node's indices.
	all []evm.Log
}

func receiptsOf(block any) *call { return &call{method: "eth_getBlockReceipts", args: []any{block}} }

// receipts requests the receipts of a block: in one call if the node supports that,
// else one by one. It fails unless there is one per transaction, in order, and all
// name this block.
func (e *endpoint) receipts(ctx context.Context, h *blockHeader) (*blockReceipts, error) {
	b := &blockReceipts{e: e, h: h}
	if !get(e, &e.noBlockReceipts) {
		asked := receiptsOf(h.Hash)
		err := e.ask(ctx, asked)
		// Some nodes accept only a number or tag.
		if kind := kindOf(err); err == nil && asked.null() || kind == kindRefused || kind == kindBeyondHead {
			asked = receiptsOf(hexutil.EncodeUint64(h.Number))
			err = e.ask(ctx, asked)
		}
		switch {
		case err == nil:
			return b, b.parse(asked)
		case kindOf(err) != kindUnsupported:
			return nil, err
		}
		set(e, &e.noBlockReceipts, true)
	}
	var calls []*call
	for _, hash := range h.txs {
		calls = append(calls, &call{method: "eth_getTransactionReceipt", args: []any{hash}})
	}
	if err := e.ask(ctx, calls...); err != nil {
		return nil, err
	}
	return b, b.parse(calls...)
}

// parse reads one result with all receipts, or several results with one receipt each.
func (b *blockReceipts) parse(answers ...*call) error {
	r, l := wire.NewReader(), new(wire.Logs)
	for _, answer := range answers {
		if answer.null() {
			return fmt.Errorf("%s: receipts of block %s: %w", b.e.name, b.h.Hash, ErrGone)
		}
		r.Reset(answer.result)
		read := l.ReadReceipt
		if answer.method == "eth_getBlockReceipts" {
			read = l.ReadReceipts
		}
		err := read(r)
		if err == nil {
			err = r.End()
		}
		if err != nil {
			return b.inconsistent(err)
		}
	}
	if err := l.Claim.Check(&b.h.Header); err != nil {
		return b.inconsistent(err)
	}
	b.list, b.all = l.Receipts, l.All()
	if err := b.check(); err != nil {
		return b.inconsistent(err)
	}
	return nil
}

// inconsistent wraps err in an error that matches [ErrInconsistent].
func (b *blockReceipts) inconsistent(err error) error {
	return inconsistent("%s: receipts of block %d: %w", b.e.name, b.h.Number, err)
}

// check compares the receipts with the header's transactions, and sets the
// transaction index of each log.
func (b *blockReceipts) check() error {
	if len(b.list) != len(b.h.txs) {
		return fmt.Errorf("%d of %d transactions", len(b.list), len(b.h.txs))
	}
	for i := range b.list {
		if err := b.list[i].Check(); err != nil {
			return fmt.Errorf("receipt %d: %w", i, err)
		}
		if b.list[i].TxHash != b.h.txs[i] {
			return fmt.Errorf("receipt %d is of transaction %s, want %s", i, b.list[i].TxHash, b.h.txs[i])
		}
		for k := range b.list[i].Logs {
			// The proof covers this index, but not the one that the node returns.
			b.list[i].Logs[k].TxIndex = evm.TxIndex{N: uint32(i), Known: true}
		}
	}
	return nil
}

// logs returns all logs of the block, numbered by [endpoint.number].
func (b *blockReceipts) logs(ctx context.Context) ([]evm.Log, error) {
	return b.all, b.e.number(ctx, b.h, b.all)
}
