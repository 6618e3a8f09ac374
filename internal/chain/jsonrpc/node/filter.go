package node

import (
	"slices"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"mintburn/internal/chain/jsonrpc/endpoint"
	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// logFilter is the filter of a client.
type logFilter struct{ wire.LogFilter }

// filterArgs is the parameter of eth_getLogs.
type filterArgs struct {
	FromBlock string        `json:"fromBlock,omitempty"`
	ToBlock   string        `json:"toBlock,omitempty"`
	BlockHash *evm.Hash     `json:"blockHash,omitempty"`
	Address   []evm.Address `json:"address,omitempty"`
	Topics    []any         `json:"topics,omitempty"`
}

// ByHash reports whether the filter is for one block, by its hash.
func (a filterArgs) ByHash() bool { return a.BlockHash != nil }

// calls returns the calls whose results together contain all selected logs of a
// range. Each call has at most addresses addresses; 0 means any number.
//
// For a filter with four topics, geth and most other nodes return only logs with four
// topics: ERC-721 transfers, but no ERC-20 transfers. [wire.LogFilter.Selects] drops the
// others.
func (f *logFilter) calls(from, to uint64, addresses int) (all []*endpoint.Call) {
	add := func(contracts []evm.Address, topics ...any) {
		parts := [][]evm.Address{contracts}
		if addresses > 0 && len(contracts) > 0 {
			parts = slices.Collect(slices.Chunk(contracts, addresses))
		}
		for _, part := range parts {
			all = append(all, getLogs(filterArgs{
				FromBlock: hexutil.EncodeUint64(from), ToBlock: hexutil.EncodeUint64(to), Address: part, Topics: topics,
			}))
		}
	}
	add(f.Contracts, evm.TopicTransfer.Hash(), nil, nil, nil)
	add(f.Contracts, f.Events)
	if len(f.Unindexed) > 0 {
		add(f.Unindexed, evm.TopicTransfer.Hash())
	}
	return all
}

func getLogs(args filterArgs) *endpoint.Call {
	return &endpoint.Call{Method: "eth_getLogs", Args: []any{args}}
}

// excludes reports whether a header proves that its block has no selected log, see
// [wire.LogFilter.Excludes]. It does not if a transaction is outside of receipts root and bloom
// filter.
func (f *logFilter) excludes(h *Header) bool {
	if h.ethereum == nil || h.txs == nil || h.stateSync() || h.ethereum.ReceiptHash == types.EmptyReceiptsHash && len(h.txs) > 0 {
		return false
	}
	return f.Excludes(h.ethereum.ReceiptHash, h.bloom)
}
