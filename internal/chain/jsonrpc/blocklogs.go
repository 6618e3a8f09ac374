package jsonrpc

import (
	"context"
	"fmt"

	"github.com/ethereum/go-ethereum/core/types"

	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// blockLogs requests all logs of a block by its hash, so that they are of this
// branch or of none. Their indices must be 0, 1, … and the bloom filter built from
// them the header's; otherwise, or if the node gives no filter, the receipts
// decide, and [endpoint.number] numbers the logs. Some chains (Polygon) have logs
// outside the filter, some an empty filter: there, receipts that agree with the
// logs are enough.
func (e *endpoint) blockLogs(ctx context.Context, h *blockHeader) ([]evm.Log, error) {
	if get(e, &e.health.LeavesOut) {
		return e.receiptLogs(ctx, h)
	}
	asked := getLogs(filterArgs{BlockHash: &h.Hash})
	if err := e.ask(ctx, asked); err != nil {
		// Too many logs, or no filter by hash: the receipts have them too.
		switch kindOf(err) {
		case kindSize, kindUnsupported, kindRefused:
			return e.receiptLogs(ctx, h)
		}
		return nil, err
	}
	return e.logsOf(ctx, h, asked)
}

// logsOf checks a result that should hold all logs of a block.
func (e *endpoint) logsOf(ctx context.Context, h *blockHeader, asked *call) ([]evm.Log, error) {
	found, err := e.parseLogs(asked.result)
	if err != nil {
		return nil, err
	}
	blocks, err := group(found, e.c.numbering.get())
	if err != nil {
		return nil, inconsistent("%s: %w", e.name, err)
	}
	var logs []evm.Log
	switch len(blocks) {
	case 0:
	case 1:
		if err := e.agree(blocks[0], &h.Header); err != nil {
			return nil, err
		}
		logs = blocks[0].logs
	default:
		return nil, inconsistent("%s: logs of %d blocks in place of block %s", e.name, len(blocks), h.Hash)
	}
	if h.explains(logs) {
		return logs, e.number(ctx, h, logs)
	}
	receipts, err := e.receipts(ctx, h)
	if err != nil {
		return nil, fmt.Errorf("the logs of block %d are not those of its bloom filter: %w", h.Number, err)
	}
	inBlock, _ := wire.InOrder(logs)
	if inBlock && get(e, &e.noBlockReceipts) && len(h.txs) == 0 && h.hasNoBloom() {
		// A node without filters, transactions and receipts: there is nothing to
		// compare with, unless a provable header has an empty filter.
		if provable, err := e.provable(ctx, h); err != nil {
			return nil, err
		} else if !provable {
			return logs, e.number(ctx, h, logs)
		}
	}
	switch all := receipts.all; {
	case equalLogLists(logs, all):
	case leavesOut(logs, all):
		return nil, &leftOutError{evm.Range{From: h.Number, To: h.Number},
			fmt.Sprintf("%s: block %d has %d logs by eth_getLogs and %d in its receipts", e.name, h.Number, len(logs), len(all))}
	default:
		return nil, inconsistent("%s: block %d has %d logs by eth_getLogs and others in its receipts (%d)", e.name, h.Number, len(logs), len(all))
	}
	return receipts.logs(ctx)
}

// hasNoBloom reports whether the bloom filter is empty or missing.
func (h *blockHeader) hasNoBloom() bool { return h.bloom == nil || *h.bloom == types.Bloom{} }

// explains reports whether logs are all logs of the block as far as the header can
// tell: none is missing between two others, and the bloom filter is theirs. (The
// last log may be missing when one before it has the same address and topics; only
// the receipts root can tell.)
func (h *blockHeader) explains(logs []evm.Log) bool {
	inBlock, _ := wire.InOrder(logs)
	return inBlock && h.bloom != nil && wire.Bloom(logs) == *h.bloom
}

// receiptLogs returns all logs of a block from its receipts.
func (e *endpoint) receiptLogs(ctx context.Context, h *blockHeader) ([]evm.Log, error) {
	receipts, err := e.receipts(ctx, h)
	if err != nil {
		return nil, err
	}
	return receipts.logs(ctx)
}
