package chain

import (
	"context"
	"errors"
	"fmt"
	"math"

	"mintburn/internal/evm"
)

// liveReceipt is what the receipts trie holds of a receipt, and the logs.
type liveReceipt struct {
	txHash evm.Hash
	// typ is the transaction's type, 0 for one before EIP-2718.
	typ uint64
	// outcome is the state root (before Byzantium) or the status.
	outcome  []byte
	gasUsed  uint64 // cumulative
	bloom    bloom
	hasBloom bool
	// hasOutcome and hasGasUsed say that these were given.
	hasOutcome, hasGasUsed bool
	// deposit are the fields that a deposit transaction of the OP stack adds.
	deposit []uint64
	logs    []evm.Log
}

// blockReceipts are the receipts of one block in order, of one endpoint.
type blockReceipts struct {
	e    *endpoint
	h    *liveHeader
	list []liveReceipt
}

// The fields of a receipt that are read besides those of [receiptField].
const (
	fieldReceiptType = 16 + iota
	fieldStatus
	fieldRoot
	fieldGasUsed
	fieldReceiptBloom
	fieldDepositNonce
	fieldDepositVersion
)

func liveReceiptField(name []byte) int {
	switch string(name) {
	case "type":
		return fieldReceiptType
	case "status":
		return fieldStatus
	case "root":
		return fieldRoot
	case "cumulativeGasUsed":
		return fieldGasUsed
	case "logsBloom":
		return fieldReceiptBloom
	case "depositNonce":
		return fieldDepositNonce
	case "depositReceiptVersion":
		return fieldDepositVersion
	default:
		return receiptField(name)
	}
}

// readLive reads one receipt, and adds its logs to l.
func (l *logList) readLive(r *reader) (receipt liveReceipt, logs int, err error) {
	first := len(l.logs)
	var claim blockClaim
	hasTx, hasLogs := false, false
	_, err = r.object(liveReceiptField, func(field int) error {
		if field == fieldReceiptLogs {
			hasLogs = true
			return within("logs", l.readLogs(r))
		}
		raw, err := r.value()
		if err != nil || isNull(raw) {
			return err
		}
		switch {
		case field == fieldTxHash:
			hasTx = true
			return within("transactionHash", decodeFixed(receipt.txHash[:], raw))
		case field >= fieldReceiptType:
			return receipt.read(field, raw)
		default:
			return claim.read(field, raw)
		}
	})
	switch {
	case err != nil:
	case !hasTx:
		err = errors.New("no transactionHash")
	case !hasLogs:
		err = errors.New("no logs")
	default:
		err = l.claim.join(claim)
	}
	for i := first; err == nil && i < len(l.logs); i++ {
		if !inBlock(&l.logs[i]) || l.logs[i].TxHash != receipt.txHash {
			err = fmt.Errorf("log %d is pending, removed or of another transaction", i-first)
		}
	}
	return receipt, len(l.logs) - first, err
}

// read reads one of the fields from fieldReceiptType on.
func (receipt *liveReceipt) read(field int, raw []byte) (err error) {
	switch field {
	case fieldReceiptType:
		receipt.typ, err = quantity(raw, math.MaxUint8)
		return within("type", err)
	case fieldStatus:
		status, err := quantity(raw, 1)
		if status == 1 {
			receipt.outcome = []byte{1}
		}
		receipt.hasOutcome = true
		return within("status", err)
	case fieldRoot:
		var root evm.Hash
		// A node may give an empty root beside the status.
		if digits, ok := hexDigits(raw); ok && len(digits) == 0 || string(raw) == `"0x"` {
			return nil
		}
		err = decodeFixed(root[:], raw)
		receipt.outcome, receipt.hasOutcome = root[:], true
		return within("root", err)
	case fieldGasUsed:
		receipt.gasUsed, err = quantity(raw, math.MaxUint64)
		receipt.hasGasUsed = true
		return within("cumulativeGasUsed", err)
	case fieldReceiptBloom:
		receipt.hasBloom = true
		return within("logsBloom", decodeFixed(receipt.bloom[:], raw))
	default:
		n, err := quantity(raw, math.MaxUint64)
		if len(receipt.deposit) == 0 {
			receipt.deposit = make([]uint64, 2)
		}
		receipt.deposit[field-fieldDepositNonce] = n
		return within("deposit", err)
	}
}

// receipts asks for the receipts of a block: at once where the node can, or one
// by one. There must be one of each transaction, in order, all of this block.
func (e *endpoint) receipts(ctx context.Context, h *liveHeader) (*blockReceipts, error) {
	b := &blockReceipts{e: e, h: h}
	if !e.flag(&e.noBlockReceipts) {
		asked := &call{method: "eth_getBlockReceipts", args: []any{h.Hash}}
		err := e.ask(ctx, asked)
		// Some nodes take a number or tag only.
		if kind := refusalOf(err).kind; err == nil && asked.null() || kind == kindRefused || kind == kindBeyondHead {
			asked = &call{method: "eth_getBlockReceipts", args: []any{hexQuantity(h.Number)}}
			err = e.ask(ctx, asked)
		}
		switch {
		case err == nil:
			if asked.null() {
				return nil, fmt.Errorf("%s: receipts of block %s: %w", e.name, h.Hash, ErrGone)
			}
			return b, b.parse(asked)
		case refusalOf(err).kind != kindUnsupported:
			return nil, err
		}
		e.setFlag(&e.noBlockReceipts)
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

// parse reads the answer with all receipts, or the answers with one each.
func (b *blockReceipts) parse(answers ...*call) error {
	r, l := newReader(), new(logList)
	var counts []int
	add := func(i int) error {
		receipt, logs, err := l.readLive(&r)
		if err != nil {
			return fmt.Errorf("receipt %d: %w", i, err)
		}
		b.list, counts = append(b.list, receipt), append(counts, logs)
		return nil
	}
	var err error
	for i, answer := range answers {
		if answer.null() {
			return fmt.Errorf("%s: receipt of a transaction of block %s: %w", b.e.name, b.h.Hash, ErrGone)
		}
		r.reset(answer.result)
		if answer.method == "eth_getBlockReceipts" {
			err = r.array(add)
		} else {
			err = add(i)
		}
		if err == nil {
			err = r.end()
		}
		if err != nil {
			break
		}
	}
	if err == nil {
		err = l.claim.check(&b.h.Header)
	}
	if err == nil {
		err = b.distribute(l, counts)
	}
	if err != nil {
		return inconsistent("%s: receipts of block %d: %w", b.e.name, b.h.Number, err)
	}
	return nil
}

// distribute gives each receipt its logs, and checks the receipts against the
// header's transactions.
func (b *blockReceipts) distribute(l *logList, counts []int) error {
	if len(b.list) != len(b.h.txs) {
		return fmt.Errorf("%d of %d transactions", len(b.list), len(b.h.txs))
	}
	l.slice()
	n := 0
	for i := range b.list {
		if b.list[i].txHash != b.h.txs[i] {
			return fmt.Errorf("receipt %d is of transaction %s, want %s", i, b.list[i].txHash, b.h.txs[i])
		}
		b.list[i].logs = l.logs[n : n+counts[i] : n+counts[i]]
		for k := range b.list[i].logs {
			// The proof covers this place, and none that a node gives.
			b.list[i].logs[k].TxIndex = evm.TxIndex{N: uint32(i), Known: true}
		}
		n += counts[i]
	}
	return nil
}

// all returns all logs of the block in chain order, as the node gave them.
func (b *blockReceipts) all() (all []evm.Log) {
	for i := range b.list {
		all = append(all, b.list[i].logs...)
	}
	return all
}

// logs returns all logs of the block, see [endpoint.number].
func (b *blockReceipts) logs(ctx context.Context) ([]evm.Log, error) {
	all := b.all()
	return all, b.e.number(ctx, b.h, all)
}
