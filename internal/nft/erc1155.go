package nft

import "mintburn/internal/evm"

// parseTransferSingle reads TransferSingle(address indexed operator, address
// indexed from, address indexed to, uint256 id, uint256 value) of ERC-1155.
// What follows the first two words of data is ignored.
func parseTransferSingle(log *evm.Log) (t transfer, reason string) {
	if t, reason = parse1155Parties(log); reason != "" {
		return t, reason
	}
	if len(log.Data) < 2*wordSize {
		return t, ReasonOutside
	}
	t.ids, t.values = log.Data[:wordSize], log.Data[wordSize:2*wordSize]
	return t, ""
}

// parseTransferBatch reads TransferBatch(address indexed operator, address
// indexed from, address indexed to, uint256[] ids, uint256[] values) of
// ERC-1155, in any encoding that [arrayAt] accepts.
func parseTransferBatch(log *evm.Log) (t transfer, reason string) {
	if t, reason = parse1155Parties(log); reason != "" {
		return t, reason
	}
	if t.ids, reason = arrayAt(log.Data, 0); reason != "" {
		return t, reason
	}
	if t.values, reason = arrayAt(log.Data, wordSize); reason != "" {
		return t, reason
	}
	if len(t.ids) != len(t.values) {
		return t, ReasonLengths
	}
	return t, ""
}

// parse1155Parties reads the three indexed addresses that both events of
// ERC-1155 begin with.
func parse1155Parties(log *evm.Log) (t transfer, reason string) {
	if len(log.Topics) != 4 {
		return t, ReasonTopics
	}
	var clean bool
	t.operator, clean = addressOf(log.Topics[1])
	if !t.parties(log.Topics[2], log.Topics[3]) || !clean {
		return t, ReasonDirtyAddress
	}
	t.contractType = ERC1155
	return t, ""
}
