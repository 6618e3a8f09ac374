package evm_test

import (
	"fmt"

	"mintburn/internal/evm"
)

func ExampleParseAddress() {
	address, err := evm.ParseAddress("0x5FbDB2315678afecb367f032d93F642f64180aa3")
	fmt.Println(address, err)
	_, err = evm.ParseAddress("0x5FbDB2")
	fmt.Println(err)
	// Output:
	// 0x5fbdb2315678afecb367f032d93f642f64180aa3 <nil>
	// got "0x5FbDB2", want 0x and 40 hex digits
}

func ExampleParseUint256() {
	for _, text := range []string{"12", "0xff"} {
		id, err := evm.ParseUint256(text)
		fmt.Println(id, err)
	}
	// Output:
	// 12 <nil>
	// 255 <nil>
}

func ExampleParseBlockNumberOrHash() {
	block, err := evm.ParseBlockNumberOrHash("0x24")
	fmt.Println(block.Number, block.Hash == nil, err)
	// Output: 36 true <nil>
}

// A hash is stored in two parts. The first is an indexed integer.
func ExampleJoinHash() {
	hash := evm.TopicTransfer.Hash()
	joined, err := evm.JoinHash(hash.Prefix(), hash.Suffix())
	fmt.Println(hash.Prefix(), joined == hash, err)
	// Output: -2453807943512831845 true <nil>
}

func ExampleRange_Join() {
	indexed := []evm.Range{{From: 0, To: 9}, {From: 20, To: 29}}
	fmt.Println(evm.Range{From: 10, To: 14}.Join(indexed))
	// Output: [{0 14} {20 29}]
}
