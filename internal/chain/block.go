package chain

import (
	"context"
	"fmt"

	"mintburn/internal/evm"
)

// wholeBlock asks for all logs of a block by its hash, so that they are of this
// branch or of none. Their indices must be 0, 1, … and the bloom filter built
// from them must be the header's; otherwise, or if the node gives no filter, the
// receipts decide, and [endpoint.number] numbers the logs. Some chains (Polygon) have logs outside the
// filter, some an empty filter: there, receipts that agree with the logs are
// enough.
func (e *endpoint) wholeBlock(ctx context.Context, h *liveHeader) ([]evm.Log, error) {
	if e.flag(&e.health.LeavesOut) {
		return e.receiptLogs(ctx, h)
	}
	asked := &call{method: "eth_getLogs", args: []any{filter{BlockHash: &h.Hash}}}
	if err := e.ask(ctx, asked); err != nil {
		// Too many logs, or no filter by hash: the receipts have them, too.
		switch refusalOf(err).kind {
		case kindSize, kindUnsupported, kindRefused:
			return e.receiptLogs(ctx, h)
		}
		return nil, err
	}
	return e.logsOf(ctx, h, asked)
}

// logsOf checks an answer that should hold all logs of a block.
func (e *endpoint) logsOf(ctx context.Context, h *liveHeader, asked *call) ([]evm.Log, error) {
	found, err := e.parseLogs(asked.result)
	if err != nil {
		return nil, err
	}
	blocks, err := group(found, e.c.numbering.get())
	if err != nil {
		return nil, inconsistent("%s: %w", e.name, err)
	}
	var logs []evm.Log
	if len(blocks) > 1 {
		return nil, inconsistent("%s: logs of %d blocks in place of block %s", e.name, len(blocks), h.Hash)
	}
	if len(blocks) == 1 {
		if err := e.agree(blocks[0], &h.Header); err != nil {
			return nil, err
		}
		logs = blocks[0].logs
	}
	if h.explains(logs) {
		return logs, e.number(ctx, h, logs)
	}
	receipts, err := e.receipts(ctx, h)
	if err != nil {
		return nil, fmt.Errorf("the logs of block %d are not those of its bloom filter: %w", h.Number, err)
	}
	if e.flag(&e.noBlockReceipts) && len(h.txs) == 0 && h.bloom == (bloom{}) && inOrder(logs) {
		// A node that tells neither filters nor transactions nor receipts: there
		// is nothing to compare with, unless a provable header has an empty filter.
		provable, err := e.provable(ctx, h)
		if err != nil {
			return nil, err
		}
		if !provable {
			return logs, e.number(ctx, h, logs)
		}
	}
	other := receipts.all()
	switch {
	case equalLogLists(logs, other):
	case leavesOut(logs, other):
		return nil, &leftOutError{evm.Range{From: h.Number, To: h.Number},
			fmt.Sprintf("%s: block %d has %d logs by eth_getLogs and %d in its receipts", e.name, h.Number, len(logs), len(other))}
	default:
		return nil, inconsistent("%s: block %d has %d logs by eth_getLogs and others in its receipts (%d)", e.name, h.Number, len(logs), len(other))
	}
	return other, e.number(ctx, h, other)
}

// explains reports whether logs are all logs of the block as far as the header
// can tell: none is missing between two others, and the bloom filter is theirs.
// (The last log may be missing when one before it has the same address and
// topics; only the receipts root can tell.)
func (h *liveHeader) explains(logs []evm.Log) bool {
	var built bloom
	built.add(logs)
	return h.hasBloom && inOrder(logs) && built == h.bloom
}

// receiptLogs returns all logs of a block from its receipts.
func (e *endpoint) receiptLogs(ctx context.Context, h *liveHeader) ([]evm.Log, error) {
	receipts, err := e.receipts(ctx, h)
	if err != nil {
		return nil, err
	}
	return receipts.logs(ctx)
}

// fromReceipts returns a block with all its logs without asking for logs.
func (c *Client) fromReceipts(ctx context.Context, e *endpoint, number uint64) (evm.Block, error) {
	asked := blockByNumber(number)
	if err := e.ask(ctx, asked); err != nil {
		return evm.Block{}, err
	}
	h, err := e.numbered(asked)
	if err != nil {
		return evm.Block{}, err
	}
	logs, err := e.receiptLogs(ctx, h)
	return evm.Block{Header: h.Header, Logs: logs}, err
}
