package nft_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/testing/expect"
)

// The topics of the metadata-update events, computed from their signatures.
var (
	sigUpdate      = sig("MetadataUpdate(uint256)")
	sigBatchUpdate = sig("BatchMetadataUpdate(uint256,uint256)")
	sigURI         = sig("URI(string,uint256)")
	sigContractURI = sig("ContractURIUpdated()")
)

// refreshes returns the decoded block of one metadata-update event.
func refreshes(first, last evm.Hash) nft.Block {
	return nft.Block{Header: header, Refreshes: []nft.Refresh{{
		Contract: collection, First: evm.Uint256FromWord(first), Last: evm.Uint256FromWord(last), LogIndex: 5,
	}}}
}

func TestDecode_Refreshes(t *testing.T) {
	nothing := nft.Block{Header: header}
	for _, test := range []struct {
		name string
		log  evm.Log
		want nft.Block
	}{
		{"one token", newLog(data(word(7)), sigUpdate), refreshes(word(7), word(7))},
		{"the largest id", newLog(data(maxWord), sigUpdate), refreshes(maxWord, maxWord)},
		{"one token, indexed", newLog(nil, sigUpdate, word(7)), refreshes(word(7), word(7))},
		{"one token, an extra word", newLog(data(word(7), word(8)), sigUpdate), refreshes(word(7), word(7))},
		{"one token, a byte short", newLog(data(word(7))[:31], sigUpdate), nothing},
		{"one token, no data", newLog(nil, sigUpdate), nothing},
		{"a range", newLog(data(word(3), word(9)), sigBatchUpdate), refreshes(word(3), word(9))},
		{"a range of one", newLog(data(word(3), word(3)), sigBatchUpdate), refreshes(word(3), word(3))},
		{"everything", newLog(data(word(0), maxWord), sigBatchUpdate), refreshes(word(0), maxWord)},
		{"a range, indexed", newLog(nil, sigBatchUpdate, word(3), word(9)), refreshes(word(3), word(9))},
		{"a range, the first indexed", newLog(data(word(9)), sigBatchUpdate, word(3)), refreshes(word(3), word(9))},
		{"a range that ends before it starts", newLog(data(word(9), word(3)), sigBatchUpdate), nothing},
		{"a range, a byte short", newLog(data(word(3), word(9))[:63], sigBatchUpdate), nothing},
		{"a range, one word", newLog(data(word(3)), sigBatchUpdate), nothing},
		{"a URI", newLog(numbers(32, 1, 0), sigURI, word(7)), refreshes(word(7), word(7))},
		{"a URI without its string", newLog(nil, sigURI, twoTo64), refreshes(twoTo64, twoTo64)},
		{"a URI, the id not indexed", newLog(numbers(64, 7, 0), sigURI), refreshes(word(7), word(7))},
		{"a URI, only the string indexed", newLog(data(word(7)), sigURI, maxWord), refreshes(word(7), word(7))},
		{"a URI without its id", newLog(numbers(64), sigURI), nothing},
		{"a URI with a topic too many", newLog(nil, sigURI, word(7), word(7)), nothing},
		{"a contract URI", newLog(nil, sigContractURI), refreshes(word(1), word(0))},
		{"a contract URI with arguments", newLog(data(word(7)), sigContractURI, word(7)), refreshes(word(1), word(0))},
		{"a contract's new URI", newLog(numbers(32, 1, 0), sig("ContractURIUpdated(string)")), refreshes(word(1), word(0))},
		{"a contract's new URI, indexed", newLog(nil, sig("ContractURIUpdated(string)"), word(7)), refreshes(word(1), word(0))},
		{"a contract's former and new URI", newLog(numbers(64, 128, 1, 0, 1, 0), sig("ContractURIUpdated(string,string)")), refreshes(word(1), word(0))},
		{"no topics", newLog(data(word(7))), nothing},
	} {
		t.Run(test.name, func(t *testing.T) { checkLog(t, nft.Decoder{}, test.log, test.want) })
	}
}

func TestDecode_RefreshesOfOtherCollections(t *testing.T) {
	log := newLog(data(word(7)), sigUpdate)
	checkLog(t, nft.Decoder{Contracts: map[evm.Address]bool{alice: true}}, log, nft.Block{Header: header})
	checkLog(t, nft.Decoder{Contracts: map[evm.Address]bool{collection: true}}, log, refreshes(word(7), word(7)))
}

// TestDecode_RefreshesInTheOrderOfLogs decodes two events with a mint between them.
func TestDecode_RefreshesInTheOrderOfLogs(t *testing.T) {
	logs := []evm.Log{newLog(data(word(9)), sigUpdate), transfer721(zero, alice, 7), newLog(data(word(7)), sigUpdate), newLog(data(word(8)), sigUpdate)}
	for i, index := range []uint32{9, 2, 1, 4} {
		logs[i].Index = index
	}
	logs[3].Removed = true
	got, err := (&nft.Decoder{}).Decode(header, logs)
	expect.NoError(t, err)
	id := func(n uint64) evm.Uint256 { return evm.NewUint256(n) }
	want := []nft.Refresh{{Contract: collection, First: id(7), Last: id(7), LogIndex: 1}, {Contract: collection, First: id(9), Last: id(9), LogIndex: 9}}
	if diff := cmp.Diff(want, got.Refreshes); diff != "" || len(got.Mints) != 1 {
		t.Errorf("%d mints, refreshes (-want +got):\n%s", len(got.Mints), diff)
	}
}
