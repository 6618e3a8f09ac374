package jsonrpc

import (
	"context"
	"fmt"

	"github.com/ethereum/go-ethereum/core/types"

	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// blockLogs returns all logs of a block. It requests them by the block's hash, so that
// logs of another branch cannot be returned. Their indices must be 0, 1, … and their
// bloom filter must equal the header's. Otherwise, or if the node returns no filter,
// the logs must equal those of the receipts, and [endpoint.number] numbers them. A
// filter that does not match is no error, because some chains have logs outside the
// filter (Polygon) or an empty filter.
func (e *endpoint) blockLogs(ctx context.Context, h *blockHeader) ([]evm.Log, error) {
	if get(e, &e.health.LeavesOut) {
		return e.receiptLogs(ctx, h)
	}
	asked := getLogs(filterArgs{BlockHash: &h.Hash})
	if err := e.ask(ctx, asked); err != nil {
		// Too many logs, or no filter by hash: read the receipts instead.
		switch kindOf(err) {
		case kindSize, kindUnsupported, kindRefused:
			return e.receiptLogs(ctx, h)
		}
		return nil, err
	}
	return e.logsOf(ctx, h, asked)
}

// logsOf parses and checks a result that should contain all logs of a block.
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
		return nil, inconsistent("%s: got logs of %d blocks, want only block %s", e.name, len(blocks), h.Hash)
	}
	if h.explains(logs) {
		return logs, e.number(ctx, h, logs)
	}
	receipts, err := e.receipts(ctx, h)
	if err != nil {
		return nil, fmt.Errorf("the logs of block %d do not match its bloom filter: %w", h.Number, err)
	}
	inBlock, _ := wire.InOrder(logs)
	if inBlock && get(e, &e.noBlockReceipts) && len(h.txs) == 0 && h.hasNoBloom() {
		// The node returns no bloom filters, transactions or receipts, so there is
		// nothing to compare with, unless a provable header has an empty filter.
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
			fmt.Sprintf("%s: eth_getLogs returns %d logs of block %d, its receipts contain %d", e.name, len(logs), h.Number, len(all))}
	default:
		return nil, inconsistent("%s: the %d logs that eth_getLogs returns of block %d differ from the %d in its receipts", e.name, len(logs), h.Number, len(all))
	}
	return receipts.logs(ctx)
}

// hasNoBloom reports whether the bloom filter is empty or missing.
func (h *blockHeader) hasNoBloom() bool { return h.bloom == nil || *h.bloom == types.Bloom{} }

// explains reports whether the header is consistent with logs being all logs of the
// block: their indices have no gap, and the bloom filter matches. Only the receipts
// root can show that the last log is missing if an earlier log has the same address
// and topics.
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
