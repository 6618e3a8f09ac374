package chain

import (
	"slices"

	"mintburn/internal/evm"
)

// The topic 0 of every event that is asked for: the Keccak-256 hash of the
// event's signature. They are strings because Go has no constant arrays.
const (
	// Transfer(address,address,uint256): ERC-721 with four topics.
	topicTransfer = "\xdd\xf2\x52\xad\x1b\xe2\xc8\x9b\x69\xc2\xb0\x68\xfc\x37\x8d\xaa" +
		"\x95\x2b\xa7\xf1\x63\xc4\xa1\x16\x28\xf5\x5a\x4d\xf5\x23\xb3\xef"
	// TransferSingle(address,address,address,uint256,uint256): ERC-1155.
	topicTransferSingle = "\xc3\xd5\x81\x68\xc5\xae\x73\x97\x73\x1d\x06\x3d\x5b\xbf\x3d\x65" +
		"\x78\x54\x42\x73\x43\xf4\xc0\x83\x24\x0f\x7a\xac\xaa\x2d\x0f\x62"
	// TransferBatch(address,address,address,uint256[],uint256[]): ERC-1155.
	topicTransferBatch = "\x4a\x39\xdc\x06\xd4\xc0\xdb\xc6\x4b\x70\xaf\x90\xfd\x69\x8a\x23" +
		"\x3a\x51\x8a\xa5\xd0\x7e\x59\x5d\x98\x3b\x8c\x05\x26\xc8\xf7\xfb"
	// ConsecutiveTransfer(uint256,uint256,address,address): EIP-2309.
	topicConsecutiveTransfer = "\xde\xaa\x91\xb6\x12\x3d\x06\x8f\x58\x21\xd0\xfb\x06\x78\x46\x3d" +
		"\x1a\x8a\x60\x79\xfe\x8a\xf5\xde\x3c\xe5\xe8\x96\xdc\xf9\x13\x3d"
	// URI(string,uint256): ERC-1155.
	topicURI = "\x6b\xb7\xff\x70\x86\x19\xba\x06\x10\xcb\xa2\x95\xa5\x85\x92\xe0" +
		"\x45\x1d\xee\x26\x22\x93\x8c\x87\x55\x66\x76\x88\xda\xf3\x52\x9b"
	// MetadataUpdate(uint256): EIP-4906.
	topicMetadataUpdate = "\xf8\xe1\xa1\x5a\xba\x93\x98\xe0\x19\xf0\xb4\x9d\xf1\xa4\xfd\xe9" +
		"\x8e\xe1\x7a\xe3\x45\xcb\x5f\x6b\x5e\x2c\x27\xf5\x03\x3e\x8c\xe7"
	// BatchMetadataUpdate(uint256,uint256): EIP-4906.
	topicBatchMetadataUpdate = "\x6b\xd5\xc9\x50\xa8\xd8\xdf\x17\xf7\x72\xf5\xaf\x37\xcb\x36\x55" +
		"\x73\x78\x99\xcb\xf9\x03\x26\x4b\x97\x95\x59\x2d\xa4\x39\x66\x1c"
)

// anyShape are the events that are asked for with any number of topics, so that
// malformed ones are seen, too.
func anyShape() []evm.Hash {
	var topics []evm.Hash
	for _, t := range []string{topicTransferSingle, topicTransferBatch, topicConsecutiveTransfer, topicURI, topicMetadataUpdate, topicBatchMetadataUpdate} {
		topics = append(topics, evm.Hash([]byte(t)))
	}
	return topics
}

// wanted says which logs are asked for and given.
type wanted struct {
	contracts []evm.Address // sorted; empty means all
	unindexed []evm.Address // sorted
	anyShape  []evm.Hash
}

func newWanted(contracts, unindexed []evm.Address) wanted {
	sorted := func(list []evm.Address) []evm.Address {
		list = slices.Clone(list)
		slices.SortFunc(list, compareAddresses)
		return slices.Compact(list)
	}
	w := wanted{contracts: sorted(contracts), unindexed: sorted(unindexed), anyShape: anyShape()}
	if len(w.contracts) > 0 {
		w.unindexed = slices.DeleteFunc(w.unindexed, func(a evm.Address) bool { return !contains(w.contracts, a) })
	}
	return w
}

func compareAddresses(a, b evm.Address) int { return slices.Compare(a[:], b[:]) }

func contains(list []evm.Address, a evm.Address) bool {
	_, found := slices.BinarySearchFunc(list, a, compareAddresses)
	return found
}

// filter is the argument of eth_getLogs.
type filter struct {
	FromBlock string        `json:"fromBlock,omitempty"`
	ToBlock   string        `json:"toBlock,omitempty"`
	BlockHash *evm.Hash     `json:"blockHash,omitempty"`
	Address   []evm.Address `json:"address,omitempty"`
	Topics    []any         `json:"topics,omitempty"`
}

// filters returns the filters that together match all wanted logs of a range,
// each with at most so many addresses; 0 is any number.
//
// Nodes that follow geth return, for a filter of four topics, only logs of four:
// ERC-721 transfers without those of ERC-20. Where a node returns more, [wanted.has]
// drops the rest.
func (w *wanted) filters(from, to uint64, most int) []filter {
	transfer := evm.Hash([]byte(topicTransfer))
	var all []filter
	for _, part := range parts(w.contracts, most) {
		all = append(all, filter{Address: part, Topics: []any{transfer, nil, nil, nil}}, filter{Address: part, Topics: []any{w.anyShape}})
	}
	if len(w.unindexed) > 0 {
		for _, part := range parts(w.unindexed, most) {
			all = append(all, filter{Address: part, Topics: []any{transfer}})
		}
	}
	for i := range all {
		all[i].FromBlock, all[i].ToBlock = hexQuantity(from), hexQuantity(to)
	}
	return all
}

// parts splits a list into parts of at most so many; an empty one is one part.
func parts(list []evm.Address, most int) [][]evm.Address {
	if most == 0 || len(list) <= most {
		return [][]evm.Address{list}
	}
	return slices.Collect(slices.Chunk(list, most))
}

// longest returns the length of the longest list of addresses in a filter.
func (w *wanted) longest() int { return max(len(w.contracts), len(w.unindexed)) }

// asked reports whether a log may be in the answer to [wanted.filters]; what is
// not was never asked for.
func (w *wanted) asked(log *evm.Log) bool {
	if len(log.Topics) == 0 || (len(w.contracts) > 0 && !contains(w.contracts, log.Address)) {
		return false
	}
	return string(log.Topics[0][:]) == topicTransfer || slices.Contains(w.anyShape, log.Topics[0])
}

// has reports whether a log is one that is given to callers.
func (w *wanted) has(log *evm.Log) bool {
	if !w.asked(log) {
		return false
	}
	if string(log.Topics[0][:]) != topicTransfer {
		return true
	}
	return len(log.Topics) == 4 || (len(log.Topics) == 1 && contains(w.unindexed, log.Address))
}

// pick returns copies of the wanted logs: those that are not wanted do not stay
// in memory because of them.
func (w *wanted) pick(logs []evm.Log) []evm.Log {
	picked := []evm.Log{}
	for i := range logs {
		if w.has(&logs[i]) {
			log := logs[i]
			log.Topics, log.Data = slices.Clone(log.Topics), slices.Clone(log.Data)
			picked = append(picked, log)
		}
	}
	return picked
}

// mayHold reports whether a bloom filter allows a wanted log.
func (w *wanted) mayHold(b *bloom) bool {
	topic := b.has([]byte(topicTransfer))
	for i := 0; i < len(w.anyShape) && !topic; i++ {
		topic = b.has(w.anyShape[i][:])
	}
	if !topic || len(w.contracts) == 0 {
		return topic
	}
	return slices.ContainsFunc(w.contracts, func(a evm.Address) bool { return b.has(a[:]) })
}
