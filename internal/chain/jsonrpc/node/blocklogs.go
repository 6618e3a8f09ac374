package node

import (
	"context"
	"fmt"
	"slices"

	"mintburn/internal/chain/jsonrpc/endpoint"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// BlockLogs returns all logs of a block, see [blockReader.logsOf]. It requests them by the
// block's hash, so that logs of another branch cannot be returned. If the node has no such
// answer, or has left logs out before, it returns those of the receipts.
func (n *blockReader) BlockLogs(ctx context.Context, h *Header) ([]evm.Log, error) {
	asked := logsByHash(h)
	if !n.leavesOut.Load() {
		asked.Err = n.Ask(ctx, asked)
	}
	return n.logsOf(ctx, h, asked)
}

func logsByHash(h *Header) *endpoint.Call { return getLogs(filterArgs{BlockHash: &h.Hash}) }

// logsOf returns the logs in an answer that should contain all logs of a block. The header
// must explain them, or they must equal those of the receipts. Without either, they are
// accepted if the header is not provable, its receipts can't be had, and its bloom filter has
// no other logs.
func (n *blockReader) logsOf(ctx context.Context, h *Header, asked *endpoint.Call) ([]evm.Log, error) {
	logs, failed := []evm.Log(nil), asked.Err
	trusted := !n.leavesOut.Load()
	if failed == nil && trusted {
		logs, failed = n.parseBlockLogs(h, asked)
	}
	if failed != nil && !rpcerror.IsNoData(failed) {
		return nil, failed
	}
	trusted = trusted && failed == nil
	if trusted && h.explains(logs) {
		return logs, n.numberLogs(ctx, h.BlockRef, logs)
	}
	receipts, err := n.receipts(ctx, h, nil)
	switch {
	case err == nil && !trusted:
		return receipts.logs(ctx)
	case err != nil && (!trusted || !rpcerror.IsNoData(err)):
		return nil, err
	case err != nil && h.ethereum == nil && h.lacksNone(logs):
		// Nothing contradicts the logs.
		return logs, n.numberLogs(ctx, h.BlockRef, logs)
	case err != nil && h.ethereum == nil:
		return nil, err
	case err != nil:
		return nil, &rpcerror.LogsError{Range: evm.Range{From: h.Number, To: h.Number}, LeftOut: true, Pruned: true,
			Text: fmt.Sprintf("%s: the %d logs that eth_getLogs returns of block %d do not match its bloom filter, and its receipts can't be read: %v", n.Name, len(logs), h.Number, err)}
	}
	all, err := receipts.logs(ctx)
	if err != nil {
		return nil, err
	}
	some, want := wire.Unnumbered(logs), wire.Unnumbered(all)
	if h.ethereum == nil && wire.LeavesOut(want, some) {
		// Some chains have logs without a receipt.
		return logs, n.numberLogs(ctx, h.BlockRef, logs)
	}
	if !wire.EqualLogLists(some, want) {
		return nil, &rpcerror.LogsError{Range: evm.Range{From: h.Number, To: h.Number}, LeftOut: wire.LeavesOut(some, want),
			Text: fmt.Sprintf("%s: the %d logs that eth_getLogs returns of block %d differ from the %d in its receipts", n.Name, len(logs), h.Number, len(all))}
	}
	return all, nil
}

// parseBlockLogs parses an answer with logs of one block.
func (n *blockReader) parseBlockLogs(h *Header, asked *endpoint.Call) ([]evm.Log, error) {
	found, err := n.parseLogs(asked.Result)
	if err != nil {
		return nil, err
	}
	blocks, err := groupByBlock(slices.Clone(found), false)
	if err == nil && len(blocks) == 1 && !wire.InOrder(blocks[0].logs) {
		// Some nodes repeat logs or change their order; others restart indices.
		if sorted, _ := groupByBlock(found, true); wire.InOrder(sorted[0].logs) {
			blocks = sorted
		}
	}
	if err != nil {
		return nil, rpcerror.Inconsistent("%s: %w", n.Name, err)
	}
	switch len(blocks) {
	case 0:
		return []evm.Log{}, nil
	case 1:
		return blocks[0].logs, n.checkHeader(blocks[0], &h.Header)
	default:
		return nil, rpcerror.Inconsistent("%s: got logs of %d blocks, want only block %s", n.Name, len(blocks), h.Hash)
	}
}
