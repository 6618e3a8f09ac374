package metadata

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"mintburn/internal/evm"
)

// function is a contract's function that takes a token id and returns its URI.
type function struct {
	name     string
	selector [4]byte
}

// The functions of ERC-721 and ERC-1155.
var (
	tokenURI = function{"tokenURI", [4]byte{0xC8, 0x7B, 0x56, 0xDD}}
	uri1155  = function{"uri", [4]byte{0x0E, 0x89, 0x34, 0x1C}}
)

// call returns the call of f for a token.
func (f function) call(contract evm.Address, id evm.Uint256) evm.Call {
	word := id.Word()
	return evm.Call{To: contract, Data: append(f.selector[:], word[:]...)}
}

// DecodeURI returns the one string of an ABI-encoded answer, without the U+0000
// that some contracts leave around it, and as text that can be stored: what is
// no UTF-8, and any other U+0000, becomes U+FFFD.
//
// It reads every valid encoding, and those whose last word is cut short, which some
// compilers made. Everything else is an error, including 32 bytes of text (bytes32): it looks like a number.
func DecodeURI(data []byte) (string, error) {
	if len(data) == 0 {
		return "", errors.New("nothing was returned")
	}
	offset, ok := place(data, 0)
	if !ok {
		return "", fmt.Errorf("what was returned is no string: %d bytes", len(data))
	}
	length, ok := place(data, offset)
	if !ok || length > len(data)-offset-32 {
		return "", fmt.Errorf("what was returned is no string: %d bytes", len(data))
	}
	text := string(data[offset+32 : offset+32+length])
	return storable(strings.ToValidUTF8(strings.Trim(text, "\x00"), "\uFFFD")), nil
}

// place reads the 32-byte word at a place in data, which must be a number of at
// most the length of data.
func place(data []byte, at int) (int, bool) {
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
