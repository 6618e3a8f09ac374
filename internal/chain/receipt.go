package chain

import (
	"errors"
	"fmt"
)

// The fields of a receipt that are read; the others are those of a log.
const fieldReceiptLogs = fieldAddress

func receiptField(name []byte) int {
	switch string(name) {
	case "logs":
		return fieldReceiptLogs
	case "transactionHash":
		return fieldTxHash
	case "blockHash":
		return fieldLogBlockHash
	case "blockNumber":
		return fieldLogBlockNumber
	default:
		return unknown
	}
}

// readLogs reads an array of logs.
func (l *logList) readLogs(r *reader) error {
	return r.array(func(i int) error {
		if err := l.read(r); err != nil {
			return fmt.Errorf("log %d: %w", i, err)
		}
		return nil
	})
}

// readReceipts reads an array of receipts.
func (l *logList) readReceipts(r *reader) error {
	return r.array(func(i int) error {
		if err := l.readReceipt(r); err != nil {
			return fmt.Errorf("receipt %d: %w", i, err)
		}
		return nil
	})
}

func (l *logList) readReceipt(r *reader) error {
	var receipt recordedReceipt
	var claim blockClaim
	first := len(l.logs)
	seen, err := r.object(liveReceiptField, func(field int) error {
		if field == fieldReceiptLogs {
			return within("logs", l.readLogs(r))
		}
		raw, err := r.value()
		if err != nil {
			return err
		}
		if field == fieldTxHash {
			return within("transactionHash", decodeFixed(receipt.txHash[:], raw))
		}
		if field < fieldReceiptType {
			return claim.read(field, raw)
		}
		// Only the proof needs the others: what is odd about them is no error.
		if isNull(raw) {
			return nil
		}
		if receipt.read(field, raw) != nil {
			receipt.odd = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	if !seen.has(fieldReceiptLogs) {
		return errors.New("no logs")
	}
	receipt.count = len(l.logs) - first
	receipt.whole = !receipt.odd && receipt.hasGasUsed && receipt.hasOutcome && seen.has(fieldTxHash)
	for i := range l.logs[first:] {
		log := &l.logs[first+i]
		if inBlock(log) && seen.has(fieldTxHash) && log.TxHash != receipt.txHash {
			return fmt.Errorf("log %d: transactionHash %s is not the receipt's %s", i, log.TxHash, receipt.txHash)
		}
		receipt.whole = receipt.whole && inBlock(log)
	}
	l.receipts = append(l.receipts, receipt)
	return l.claim.join(claim)
}

// recordedReceipt is a receipt of a recording. Its logs are the next count ones of
// the line.
type recordedReceipt struct {
	liveReceipt
	count int
	// odd says that a field has another form than Ethereum's; whole, that there is
	// all that the receipts trie holds.
	odd, whole bool
}
