package metadata

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"mintburn/internal/evm"
)

// function is a contract function that takes a token id and returns its URI.
type function struct {
	name     string
	selector [4]byte
}

// The URI functions of ERC-721 and ERC-1155.
var (
	tokenURI = function{"tokenURI", [4]byte{0xC8, 0x7B, 0x56, 0xDD}}
	uri1155  = function{"uri", [4]byte{0x0E, 0x89, 0x34, 0x1C}}
)

// call returns the contract call of f for a token.
func (f function) call(contract evm.Address, id evm.Uint256) evm.Call {
	word := id.Word()
	return evm.Call{To: contract, Data: append(f.selector[:], word[:]...)}
}

// DecodeURI returns the string of an ABI-encoded result. It trims U+0000, with which some
// contracts pad the string, and replaces invalid UTF-8 and any other U+0000 by U+FFFD, so
// that the string can be stored.
//
// It accepts every valid encoding, and a truncated last word, which some compilers
// produced. Everything else is an error, including 32 bytes of text (bytes32), which looks
// like a number.
func DecodeURI(data []byte) (string, error) {
	if len(data) == 0 {
		return "", errors.New("the result is empty")
	}
	offset, ok := wordAt(data, 0)
	if !ok {
		return "", fmt.Errorf("the result is not a string: %d bytes", len(data))
	}
	length, ok := wordAt(data, offset)
	if !ok || length > len(data)-offset-32 {
		return "", fmt.Errorf("the result is not a string: %d bytes", len(data))
	}
	text := string(data[offset+32 : offset+32+length])
	return storable(strings.ToValidUTF8(strings.Trim(text, "\x00"), "\uFFFD")), nil
}

// wordAt reads the 32-byte word at an offset in data as a number. It returns false
// if the word is outside data or the number is larger than the length of data.
func wordAt(data []byte, at int) (int, bool) {
	if at > len(data)-32 {
		return 0, false
	}
	word := data[at : at+32]
	for _, b := range word[:24] {
		if b != 0 {
			return 0, false
		}
	}
	n := binary.BigEndian.Uint64(word[24:])
	return int(min(n, uint64(len(data)))), n <= uint64(len(data))
}
