package jsonrpc

import (
	"slices"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"mintburn/internal/evm"
)

// logFilter selects the logs to request and to return.
type logFilter struct {
	contracts []evm.Address // sorted; empty means all
	unindexed []evm.Address // sorted
	// events are selected with any number of topics, so that malformed logs are
	// included.
	events []evm.Hash
}

func newLogFilter(contracts, unindexed []evm.Address) logFilter {
	sorted := func(list []evm.Address) []evm.Address {
		list = slices.Clone(list)
		slices.SortFunc(list, compareAddresses)
		return slices.Compact(list)
	}
	f := logFilter{contracts: sorted(contracts), unindexed: sorted(unindexed)}
	if len(f.contracts) > 0 {
		f.unindexed = slices.DeleteFunc(f.unindexed, func(a evm.Address) bool { return !contains(f.contracts, a) })
	}
	f.events = []evm.Hash{
		evm.TopicTransferSingle.Hash(), evm.TopicTransferBatch.Hash(), evm.TopicConsecutiveTransfer.Hash(), evm.TopicURI.Hash(),
		evm.TopicMetadataUpdate.Hash(), evm.TopicBatchMetadataUpdate.Hash(), evm.TopicContractURIUpdated.Hash(),
	}
	return f
}

func compareAddresses(a, b evm.Address) int { return slices.Compare(a[:], b[:]) }

func contains(list []evm.Address, a evm.Address) bool {
	_, found := slices.BinarySearchFunc(list, a, compareAddresses)
	return found
}

// filterArgs is the parameter of eth_getLogs.
type filterArgs struct {
	FromBlock string        `json:"fromBlock,omitempty"`
	ToBlock   string        `json:"toBlock,omitempty"`
	BlockHash *evm.Hash     `json:"blockHash,omitempty"`
	Address   []evm.Address `json:"address,omitempty"`
	Topics    []any         `json:"topics,omitempty"`
}

// calls returns the calls whose results together contain all selected logs of a
// range. Each call has at most addresses addresses; 0 means any number.
//
// For a filter with four topics, geth and most other nodes return only logs with four
// topics: ERC-721 transfers, but no ERC-20 transfers. [logFilter.selects] drops the
// others.
func (f *logFilter) calls(from, to uint64, addresses int) (all []*call) {
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
	add(f.contracts, evm.TopicTransfer.Hash(), nil, nil, nil)
	add(f.contracts, f.events)
	if len(f.unindexed) > 0 {
		add(f.unindexed, evm.TopicTransfer.Hash())
	}
	return all
}

func getLogs(args filterArgs) *call { return &call{method: "eth_getLogs", args: []any{args}} }

// longest returns the length of the longest address list.
func (f *logFilter) longest() int { return max(len(f.contracts), len(f.unindexed)) }

// matches reports whether a node may return the log for one of [logFilter.calls].
func (f *logFilter) matches(log *evm.Log) bool {
	if len(log.Topics) == 0 || (len(f.contracts) > 0 && !contains(f.contracts, log.Address)) {
		return false
	}
	return evm.Topic(log.Topics[0][:]) == evm.TopicTransfer || slices.Contains(f.events, log.Topics[0])
}

// selects reports whether the log is returned to callers.
func (f *logFilter) selects(log *evm.Log) bool {
	if !f.matches(log) {
		return false
	}
	if evm.Topic(log.Topics[0][:]) != evm.TopicTransfer {
		return true
	}
	return len(log.Topics) == 4 || (len(log.Topics) == 1 && contains(f.unindexed, log.Address))
}

// pick returns copies of the selected logs, so that the others can be freed.
func (f *logFilter) pick(logs []evm.Log) []evm.Log {
	picked := []evm.Log{}
	for i := range logs {
		if f.selects(&logs[i]) {
			log := logs[i]
			log.Topics, log.Data = slices.Clone(log.Topics), slices.Clone(log.Data)
			picked = append(picked, log)
		}
	}
	return picked
}

// excludes reports whether a header proves that its block has no selected log. It does not
// if a transaction is outside of receipts root and bloom filter, or if the filter is all zero,
// as on chains that keep none.
func (f *logFilter) excludes(h *blockHeader) bool {
	if h.ethereum == nil || h.txs == nil || h.stateSync() {
		return false
	}
	if h.ethereum.ReceiptHash == types.EmptyReceiptsHash {
		return len(h.txs) == 0
	}
	return !h.hasNoBloom() && !f.mayHold(h.bloom)
}

// mayHold reports whether a bloom filter allows a selected log.
func (f *logFilter) mayHold(bloom *types.Bloom) bool {
	topic := bloom.Test([]byte(evm.TopicTransfer)) || slices.ContainsFunc(f.events, func(h evm.Hash) bool { return bloom.Test(h[:]) })
	return topic && (len(f.contracts) == 0 || slices.ContainsFunc(f.contracts, func(a evm.Address) bool { return bloom.Test(a[:]) }))
}
