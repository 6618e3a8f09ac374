package nft

import (
	"encoding/binary"

	"mintburn/internal/evm"
)

// wordSize is the size of an ABI word in bytes.
const wordSize = 32

// wordAt returns the word that starts at byte i of data. It panics if data is too short.
func wordAt(data []byte, i int) [wordSize]byte { return [wordSize]byte(data[i:]) }

// addressOf returns the address in a word. ok is false if one of the upper 12
// bytes is not zero. The ABI calls such a word invalid, and decoders that truncate it
// would see another address than decoders that do not.
func addressOf(word [wordSize]byte) (a evm.Address, ok bool) {
	dirty := binary.BigEndian.Uint64(word[:8]) | uint64(binary.BigEndian.Uint32(word[8:12]))
	copy(a[:], word[12:])
	return a, dirty == 0
}

// parties sets the addresses of a transfer. It returns false if a word is no valid address.
func (t *transfer) parties(from, to [wordSize]byte) bool {
	var ok1, ok2 bool
	t.from, ok1 = addressOf(from)
	t.to, ok2 = addressOf(to)
	return ok1 && ok2
}

// lengthAt returns the length or offset in the word at byte i of data. ok is false for
// 2^64 and above. It panics if data is too short.
func lengthAt(data []byte, i uint64) (n uint64, ok bool) {
	word := data[i : i+wordSize]
	upper := binary.BigEndian.Uint64(word) | binary.BigEndian.Uint64(word[8:]) | binary.BigEndian.Uint64(word[16:])
	return binary.BigEndian.Uint64(word[24:]), upper == 0
}

// arrayAt returns the elements, 32 bytes each, of the uint256[] whose offset is
// in the word at byte head of data. The offset counts from the start of data, need not be
// aligned, and may point anywhere that the array fits: the ABI does not forbid arrays that
// are shared, overlap or leave gaps. Nothing is copied.
func arrayAt(data []byte, head uint64) (elements []byte, reason string) {
	size := uint64(len(data))
	if size < head+wordSize {
		return nil, ReasonOutside
	}
	// size is at least one word here, so that size-wordSize does not wrap.
	offset, ok := lengthAt(data, head)
	if !ok || offset > size-wordSize {
		return nil, ReasonOutside
	}
	start := offset + wordSize
	n, ok := lengthAt(data, offset)
	if !ok || n > (size-start)/wordSize {
		return nil, ReasonArrayOutside
	}
	return data[start : start+n*wordSize], ""
}
