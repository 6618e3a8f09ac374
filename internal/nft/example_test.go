package nft_test

import (
	"fmt"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// A Transfer event of ERC-721 from the zero address is a mint.
func ExampleDecoder_Decode() {
	var log evm.Log
	for _, topic := range []string{
		"0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef", // Transfer(address,address,uint256)
		"0x0000000000000000000000000000000000000000000000000000000000000000", // from
		"0x00000000000000000000000030a7fc0e1daafae02efbd196f2a9babddccecae3", // to
		"0x000000000000000000000000000000000000000000000000000000000000000f", // token id
	} {
		hash, err := evm.ParseHash(topic)
		if err != nil {
			fmt.Println(err)
			return
		}
		log.Topics = append(log.Topics, hash)
	}
	block, err := new(nft.Decoder).Decode(evm.Header{}, []evm.Log{log})
	for _, m := range block.Mints {
		fmt.Println(m.Type, m.TokenID, "to", m.To)
	}
	fmt.Println(len(block.Burns), "burns,", len(block.Rejected), "rejected,", err)
	// Output:
	// ERC721 15 to 0x30a7fc0e1daafae02efbd196f2a9babddccecae3
	// 0 burns, 0 rejected, <nil>
}
