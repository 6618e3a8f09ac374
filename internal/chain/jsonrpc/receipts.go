package jsonrpc

import (
	"context"
	"fmt"

	"github.com/ethereum/go-ethereum/common/hexutil"

	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// blockReceipts are the receipts of one block in order, of one endpoint.
type blockReceipts struct {
	e    *endpoint
	h    *blockHeader
	list []wire.Receipt
	// all are all logs of the block in chain order, with the node's indices.
	all []evm.Log
}

func receiptsOf(block any) *call { return &call{method: "eth_getBlockReceipts", args: []any{block}} }

// receipts requests the receipts of a block: at once where the node can, or one by
// one. There must be one of each transaction, in order, all of this block.
func (e *endpoint) receipts(ctx context.Context, h *blockHeader) (*blockReceipts, error) {
	b := &blockReceipts{e: e, h: h}
	if !get(e, &e.noBlockReceipts) {
		asked := receiptsOf(h.Hash)
		err := e.ask(ctx, asked)
		// Some nodes take a number or tag only.
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

// parse reads the result with all receipts, or the results with one each.
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

// inconsistent returns an error about the receipts that matches [ErrInconsistent].
func (b *blockReceipts) inconsistent(err error) error {
	return inconsistent("%s: receipts of block %d: %w", b.e.name, b.h.Number, err)
}

// check compares the receipts with the header's transactions, and numbers these.
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
			// The proof covers this place, and none that a node gives.
			b.list[i].Logs[k].TxIndex = evm.TxIndex{N: uint32(i), Known: true}
		}
	}
	return nil
}

// logs returns all logs of the block with their indices, see [endpoint.number].
func (b *blockReceipts) logs(ctx context.Context) ([]evm.Log, error) {
	return b.all, b.e.number(ctx, b.h, b.all)
}
