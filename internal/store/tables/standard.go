package tables

import "mintburn/internal/nft"

// The bits of a contract's standards; a record has one of them.
const (
	ERC721  = 1
	ERC1155 = 2
)

// StandardOf returns the bit of a standard.
func StandardOf(t nft.ContractType) int8 {
	if t == nft.ERC1155 {
		return ERC1155
	}
	return ERC721
}

// TypeOf returns the standard of a collection whose records have these
// standards. A contract with both is called ERC-721. One without records has its
// documents alone: only an ERC-1155 URI has {id}.
func TypeOf(standards int8, uriHasID bool) nft.ContractType {
	if standards == ERC1155 || standards == 0 && uriHasID {
		return nft.ERC1155
	}
	return nft.ERC721
}
