package nft

import "mintburn/internal/evm"

// parseTransferSingle parses TransferSingle(address indexed operator, address
// indexed from, address indexed to, uint256 id, uint256 value) of ERC-1155.
// Data after the first two words is ignored.
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

// parseTransferBatch parses TransferBatch(address indexed operator, address
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

// parse1155Parties parses the three indexed addresses at the start of both ERC-1155
// events.
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
