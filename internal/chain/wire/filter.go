package wire

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"mintburn/internal/evm"
)

// LogFilter selects the logs to request and to return.
type LogFilter struct {
	// Contracts are sorted; none means all.
	Contracts []evm.Address
	// Unindexed are the contracts whose Transfer events have no indexed arguments, sorted.
	Unindexed []evm.Address
	// Events are selected with any number of topics, so that malformed logs are
	// included.
	Events []evm.Hash
}

// NewLogFilter returns the filter for contracts, none of which means all, and for those whose
// Transfer events have no indexed arguments.
func NewLogFilter(contracts, unindexed []evm.Address) LogFilter {
	sorted := func(list []evm.Address) []evm.Address {
		list = slices.Clone(list)
		slices.SortFunc(list, compareAddresses)
		return slices.Compact(list)
	}
	f := LogFilter{Contracts: sorted(contracts), Unindexed: sorted(unindexed)}
	if len(f.Contracts) > 0 {
		f.Unindexed = slices.DeleteFunc(f.Unindexed, func(a evm.Address) bool { return !contains(f.Contracts, a) })
	}
	f.Events = append(Records().Events, evm.TopicURI.Hash(),
		evm.TopicMetadataUpdate.Hash(), evm.TopicBatchMetadataUpdate.Hash(), evm.TopicContractURIUpdated.Hash(),
		evm.TopicContractURIUpdatedTo.Hash(), evm.TopicContractURIUpdatedFrom.Hash(),
	)
	return f
}

// Records returns the filter for the mints and burns of all contracts (docs/api.md#proofs).
func Records() LogFilter {
	return LogFilter{Events: []evm.Hash{evm.TopicTransferSingle.Hash(), evm.TopicTransferBatch.Hash(), evm.TopicConsecutiveTransfer.Hash()}}
}

func compareAddresses(a, b evm.Address) int { return slices.Compare(a[:], b[:]) }

func contains(list []evm.Address, a evm.Address) bool {
	_, found := slices.BinarySearchFunc(list, a, compareAddresses)
	return found
}

// Longest returns the length of the longest address list.
func (f *LogFilter) Longest() int { return max(len(f.Contracts), len(f.Unindexed)) }

// Matches reports whether a node may return the log for one of the calls for the filter.
func (f *LogFilter) Matches(log *evm.Log) bool {
	if len(log.Topics) == 0 || (len(f.Contracts) > 0 && !contains(f.Contracts, log.Address)) {
		return false
	}
	return evm.Topic(log.Topics[0][:]) == evm.TopicTransfer || slices.Contains(f.Events, log.Topics[0])
}

// Selects reports whether the log is returned to callers.
func (f *LogFilter) Selects(log *evm.Log) bool {
	if !f.Matches(log) {
		return false
	}
	if evm.Topic(log.Topics[0][:]) != evm.TopicTransfer {
		return true
	}
	return len(log.Topics) == 4 || (len(log.Topics) == 1 && contains(f.Unindexed, log.Address))
}

// Pick returns copies of the selected logs, so that the others can be freed.
func (f *LogFilter) Pick(logs []evm.Log) []evm.Log {
	picked := []evm.Log{}
	for i := range logs {
		if f.Selects(&logs[i]) {
			log := logs[i]
			log.Topics, log.Data = slices.Clone(log.Topics), slices.Clone(log.Data)
			picked = append(picked, log)
		}
	}
	return picked
}

// MayHold reports whether a bloom filter allows a selected log.
func (f *LogFilter) MayHold(bloom *types.Bloom) bool {
	topic := bloom.Test([]byte(evm.TopicTransfer)) || slices.ContainsFunc(f.Events, func(h evm.Hash) bool { return bloom.Test(h[:]) })
	return topic && (len(f.Contracts) == 0 || slices.ContainsFunc(f.Contracts, func(a evm.Address) bool { return bloom.Test(a[:]) }))
}

// Excludes reports whether a header alone proves that the receipts of its block have no selected
// log: there are none, or the bloom filter allows no such log. A filter that is nil or all zero, as
// on chains that keep none, excludes nothing.
func (f *LogFilter) Excludes(receiptsRoot common.Hash, bloom *types.Bloom) bool {
	return receiptsRoot == types.EmptyReceiptsHash || bloom != nil && *bloom != (types.Bloom{}) && !f.MayHold(bloom)
}
