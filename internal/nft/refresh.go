package nft

import "mintburn/internal/evm"

// parseRefresh parses the metadata-update events:
//
//   - MetadataUpdate(uint256 _tokenId) and BatchMetadataUpdate(uint256
//     _fromTokenId, uint256 _toTokenId) of EIP-4906, from a collection of either
//     standard. The EIP's arguments are not indexed, but some contracts index them, and
//     then they are topics.
//   - URI(string _value, uint256 indexed _id) of ERC-1155, also if the id is not
//     indexed. The string is ignored, because the contract is called for it.
//   - ContractURIUpdated() of ERC-7572, and the same with one or two strings, which are
//     ignored too.
//
// ok is false for every other log, and for one of these with too few words
// or a range that ends before it starts. Such a log is ignored instead of rejected,
// because it is only a hint.
func (d *Decoder) parseRefresh(log *evm.Log) (r Refresh, ok bool) {
	if !d.reads(log) {
		return r, false
	}
	r.Contract, r.LogIndex = log.Address, log.Index
	switch evm.Topic(log.Topics[0][:]) {
	case evm.TopicMetadataUpdate:
		r.First, ok = argument(log, 0)
		r.Last = r.First
	case evm.TopicBatchMetadataUpdate:
		var hasFirst, hasLast bool
		r.First, hasFirst = argument(log, 0)
		r.Last, hasLast = argument(log, 1)
		ok = hasFirst && hasLast && r.First.Cmp(r.Last) <= 0
	case evm.TopicContractURIUpdated, evm.TopicContractURIUpdatedTo, evm.TopicContractURIUpdatedFrom:
		r.First, ok = evm.NewUint256(1), true
	case evm.TopicURI:
		switch {
		case len(log.Topics) > 2:
		case len(log.Topics) == 2 && len(log.Data) != wordSize:
			r.First, ok = evm.Uint256FromWord(log.Topics[1]), true
		default:
			// The data is the id alone if only the string is indexed.
			r.First, ok = argument(log, 1)
		}
		r.Last = r.First
	}
	return r, ok
}

// argument returns argument i, counted from 0, of an event whose arguments are
// all integers, the indexed ones first. ok is false if the data is too short.
func argument(log *evm.Log, i int) (n evm.Uint256, ok bool) {
	indexed := log.Topics[1:]
	if i < len(indexed) {
		return evm.Uint256FromWord(indexed[i]), true
	}
	at := (i - len(indexed)) * wordSize
	if len(log.Data) < at+wordSize {
		return n, false
	}
	return evm.Uint256FromWord(wordAt(log.Data, at)), true
}
