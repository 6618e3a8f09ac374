package tables

import (
	"strings"

	"mintburn/internal/nft"
)

const (
	// SlotBits is how many bits of a position hold the place within the block.
	SlotBits = 30
	// MaxBlock is the largest block number that can be stored: a position has
	// room for it, with one to spare at the end.
	MaxBlock = 1<<33 - 2
	// MaxPosition is the last position.
	MaxPosition = MaxBlock<<SlotBits | (1<<SlotBits - 1)
)

// FirstIn returns the first position of a block, which must be at most
// [MaxBlock].
func FirstIn(block uint64) int64 { return int64(block) << SlotBits }

// LastIn returns the last position of a block. It holds no record.
func LastIn(block uint64) int64 { return FirstIn(block) | (1<<SlotBits - 1) }

// BlockOf returns the block of a position.
func BlockOf(position int64) uint64 { return uint64(position) >> SlotBits }

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

// Storable replaces what a text column of PostgreSQL can't hold, U+0000 and
// bytes that are not UTF-8, by U+FFFD; in SQLite too, so that both give the
// same answers.
func Storable(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", "\uFFFD"), "\uFFFD")
}
