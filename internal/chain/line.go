package chain

import (
	"bytes"
	"errors"
	"fmt"

	"mintburn/internal/evm"
)

// decoder reads lines; one goroutine uses it.
type decoder struct {
	reader
	logs logList
}

func newDecoder() *decoder { return &decoder{reader: newReader()} }

// chunk reads the lines of c up to the first error.
func (d *decoder) chunk(c *chunk) (items []Item, err error) {
	number := c.line - 1
	for line := range bytes.Lines(c.lines) {
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

// decode reads one line into item's Block or Document.
func (d *decoder) decode(line []byte, item *Item) error {
	d.reset(line)
	d.logs.reset()
	var beside, inside recordedHeader
	seen, err := d.object(lineField, func(field int) (err error) {
		switch field {
		case fieldLogs:
			return within("logs", d.logs.readLogs(&d.reader))
		case fieldReceipts:
			return within("receipts", d.logs.readReceipts(&d.reader))
		case fieldMetadata:
			item.Document, err = d.document()
			return within("metadata", err)
		case fieldBlock:
			_, err := d.object(recordedField, func(field int) error {
				raw, err := d.value()
				inside.set(field, raw)
				return err
			})
			return within("block", err)
		default:
			raw, err := d.value()
			beside.set(field, raw)
			return err
		}
	})
	if err != nil {
		return err
	}
	if err := d.end(); err != nil {
		return err
	}
	header, hasLogs, hasReceipts := &beside, seen.has(fieldLogs), seen.has(fieldReceipts)
	if seen.has(fieldBlock) {
		header = &inside
	}
	switch {
	case seen.has(fieldMetadata) && (seen.has(fieldBlock) || hasLogs || hasReceipts):
		return errors.New("both a block and metadata")
	case seen.has(fieldMetadata):
		return nil
	case seen == 0:
		return errors.New("neither a block nor metadata")
	case hasLogs && hasReceipts:
		return errors.New("block with both logs and receipts")
	case !hasLogs && !hasReceipts:
		return errors.New("block without logs or receipts")
	}
	item.Listed = hasLogs
	item.Block, item.Numbering, err = d.block(&header.rawHeader, hasReceipts)
	if err == nil && hasReceipts {
		item.Proven, err = d.prove(header, item.Block.Header.Hash)
	}
	if err == nil && item.Numbering == evm.NumberingTransaction {
		err = d.complete(header)
	}
	return err
}

// block joins a header with the logs of its line, and returns what they show. The header's logsBloom is not
// asked: chains differ in which logs it covers.
func (d *decoder) block(raw *rawHeader, receipts bool) (*evm.Block, evm.Numbering, error) {
	header, err := raw.decode()
	if err != nil {
		return nil, "", err
	}
	if err := d.logs.claim.check(&header); err != nil {
		return nil, "", err
	}
	logs, shown, err := d.logs.build(receipts)
	if err != nil {
		return nil, "", err
	}
	return &evm.Block{Header: header, Logs: logs}, shown, nil
}
