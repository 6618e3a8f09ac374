package recording

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// decoder reads lines; one goroutine uses it.
type decoder struct {
	*wire.Reader
	logs wire.Logs
	// inline is the block object if its fields are in the line's object itself, nested
	// if they are in "block".
	inline, nested wire.Header
	fields         []string
}

func newDecoder() *decoder {
	return &decoder{Reader: wire.NewReader(), fields: append(wire.HeaderFields(), "logs", "receipts", "block", "metadata", "collection")}
}

// chunk parses the lines of c up to the first error.
func (d *decoder) chunk(c *chunk) (items []Item, err error) {
	number := c.line - 1
	for line := range bytes.Lines(c.text) {
		number++
		if len(bytes.Trim(line, " \t\r\n")) == 0 {
			continue
		}
		item := Item{File: c.file, Line: number}
		if err := d.decode(line, &item); err != nil {
			return items, fmt.Errorf("%s:%d: %w", c.file, number, err)
		}
		items = append(items, item)
	}
	return items, nil
}

// decode parses one line into item's Block or Document.
func (d *decoder) decode(line []byte, item *Item) error {
	d.Reset(line)
	d.logs.Reset()
	d.inline.Reset()
	d.nested.Reset()
	var hasLogs, hasReceipts, hasBlock, hasResult, empty = false, false, false, false, true
	note := func(name []byte) { hasResult = hasResult || string(name) == "result" }
	err := d.Object(wire.Fields{Optional: d.fields, Unknown: note}, func(name string) (err error) {
		empty = false
		switch name {
		case "logs":
			hasLogs = true
			return d.logs.ReadLogs(d.Reader)
		case "receipts":
			hasReceipts = true
			return d.logs.ReadReceipts(d.Reader)
		case "metadata", "collection":
			item.Document, err = d.document(name == "collection")
			return err
		case "block":
			hasBlock = true
			return d.nested.Read(d.Reader)
		default:
			return d.inline.ReadField(d.Reader, name)
		}
	})
	if err == nil {
		err = d.End()
	}
	header := &d.inline
	if hasBlock {
		header = &d.nested
	}
	switch {
	case err != nil:
		return err
	case item.Document != nil && (hasBlock || hasLogs || hasReceipts):
		return errors.New("both a block and metadata")
	case item.Document != nil:
		return nil
	case empty && hasResult:
		return errors.New(`neither a block nor metadata, but a response with a result: want {"block": …, "receipts": …} with the results of two`)
	case empty:
		return errors.New("neither a block nor metadata")
	case hasLogs && hasReceipts:
		return errors.New("block with both logs and receipts")
	case !hasLogs && !hasReceipts:
		return errors.New("block without logs or receipts")
	}
	item.Listed = hasLogs
	return d.block(item, header)
}

// block sets item.Block from the header and the logs of a line. It compares the header's
// bloom filter only as part of a proof, because chains differ in which logs it covers.
func (d *decoder) block(item *Item, raw *wire.Header) error {
	header, err := raw.Decode()
	if err != nil {
		return err
	}
	if err := d.logs.Claim.Check(&header); err != nil {
		return err
	}
	logs := d.logs.All()
	item.Block = &evm.Block{Header: header, Logs: logs}
	if item.Listed {
		return order(logs)
	}
	receipts, incomplete := arrange(raw, d.logs.Receipts)
	if incomplete == nil {
		logs = wire.LogsOf(receipts)
	}
	proven, ordered, err := prove(raw, header.BlockRef, receipts, logs, incomplete)
	if err != nil {
		return err
	}
	if d.logs.Costs {
		if item.Block.Transactions, err = wire.Details(raw, receipts, func(evm.Hash) bool { return true }); err != nil {
			return err
		}
	}
	if item.Block.Logs, item.Proven = logs, proven; ordered {
		wire.NumberByPlace(logs)
	} else if item.Numbering = number(logs); item.Numbering == evm.NumberingTransaction && !errors.Is(incomplete, errUnlisted) {
		return incomplete
	}
	return nil
}

// order sorts a list of logs, which may be incomplete, as [evm.Block] promises. It fails
// if two logs have the same index.
func order(logs []evm.Log) error {
	sortLogs(logs, func(log *evm.Log) uint32 { return log.Index })
	for i := 1; i < len(logs) && wire.InBlock(&logs[i]); i++ {
		if logs[i].Index == logs[i-1].Index {
			return fmt.Errorf("two logs with index %d: where log indices are not those of the block, want its receipts", logs[i].Index)
		}
	}
	return nil
}

// number sorts and numbers all logs of a block's receipts, and returns the numbering that
// the block shows. The logs of each transaction must be in chain order.
func number(logs []evm.Log) evm.Numbering {
	if slices.ContainsFunc(logs, func(log evm.Log) bool { return !log.TxIndex.Known }) {
		sortLogs(logs, func(log *evm.Log) uint32 { return log.Index })
	} else {
		sortLogs(logs, func(log *evm.Log) uint32 { return log.TxIndex.N })
	}
	end := slices.IndexFunc(logs, func(log evm.Log) bool { return !wire.InBlock(&log) })
	if end < 0 {
		end = len(logs)
	}
	return evm.NumberLogs(logs[:end])
}

// sortLogs sorts logs by key; pending and removed logs come last.
func sortLogs(logs []evm.Log, key func(log *evm.Log) uint32) {
	compare := func(a, b evm.Log) int {
		if in := wire.InBlock(&a); in != wire.InBlock(&b) {
			if in {
				return -1
			}
			return 1
		}
		return cmp.Compare(key(&a), key(&b))
	}
	if !slices.IsSortedFunc(logs, compare) {
		slices.SortStableFunc(logs, compare)
	}
}
