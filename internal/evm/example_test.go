package evm_test

import (
	"fmt"

	"mintburn/internal/evm"
)

func ExampleParseAddress() {
	address, err := evm.ParseAddress("0x5FbDB2315678afecb367f032d93F642f64180aa3")
	fmt.Println(address, err)
	// Output: 0x5fbdb2315678afecb367f032d93f642f64180aa3 <nil>
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
