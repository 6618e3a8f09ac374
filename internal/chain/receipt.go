package chain

import (
	"errors"
	"fmt"

	"mintburn/internal/evm"
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
	var txHash evm.Hash
	var claim blockClaim
	first := len(l.logs)
	seen, err := r.object(receiptField, func(field int) error {
		if field == fieldReceiptLogs {
			return within("logs", l.readLogs(r))
		}
		raw, err := r.value()
		if err != nil {
			return err
		}
		if field == fieldTxHash {
			return within("transactionHash", decodeFixed(txHash[:], raw))
		}
		return claim.read(field, raw)
	})
	if err != nil {
		return err
	}
	if !seen.has(fieldReceiptLogs) {
		return errors.New("no logs")
	}
	for i := range l.logs[first:] {
		log := &l.logs[first+i]
		if inBlock(log) && seen.has(fieldTxHash) && log.TxHash != txHash {
			return fmt.Errorf("log %d: transactionHash %s is not the receipt's %s", i, log.TxHash, txHash)
		}
	}
	return l.claim.join(claim)
}
