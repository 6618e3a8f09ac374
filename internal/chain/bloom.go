package chain

import (
	"encoding/binary"
	"fmt"
	"hash"
	"io"

	"github.com/ethereum/go-ethereum/crypto/keccak"

	"mintburn/internal/evm"
)

// bloom is a header's logsBloom: the 2048-bit filter of the addresses and
// topics of all logs of the block (Yellow Paper, 4.4.1, function M).
type bloom [256]byte

// set sets a bit and reports whether in has it too.
func (b *bloom) set(bit uint16, in *bloom) bool {
	// The filter is a big-endian number: bit 0 is in the last byte.
	i, mask := len(b)-1-int(bit/8), byte(1)<<(bit%8)
	b[i] |= mask
	return in[i]&mask != 0
}

// bloomChecker holds logs against filters. It remembers the bits of values
// seen lately: a Keccak hash costs about as much as parsing half a log, and
// most addresses and topics come again and again.
type bloomChecker struct {
	hasher keccakHasher
	hash   [32]byte // scratch
	seen   []bloomEntry
}

// keccakHasher gives a hash by Read without a copy of its state, which Sum
// makes.
type keccakHasher interface {
	hash.Hash
	io.Reader
}

// bloomEntry is the three bits of a value; size is 0 in an unused entry.
type bloomEntry struct {
	value [32]byte
	size  uint8
	bits  [3]uint16
}

// bloomEntries is the number of values remembered, a power of two.
const bloomEntries = 1 << 12

func newBloomChecker() *bloomChecker {
	return &bloomChecker{hasher: keccak.NewLegacyKeccak256().(keccakHasher), seen: make([]bloomEntry, bloomEntries)}
}

// check fails when filter lacks a log that is in the block, or, if the logs
// are all that the block has, when it has a bit that comes from none of them.
func (c *bloomChecker) check(filter *bloom, logs []evm.Log, complete bool) error {
	var union bloom
	for i := range logs {
		log := &logs[i]
		if log.Pending || log.Removed {
			continue
		}
		found := c.add(&union, filter, log.Address[:])
		for t := range log.Topics {
			found = c.add(&union, filter, log.Topics[t][:]) && found
		}
		if !found {
			return fmt.Errorf("the log with index %d is not in the block's logsBloom", log.Index)
		}
	}
	if complete && union != *filter {
		return fmt.Errorf("the block's logsBloom has more logs than the %d in its receipts: receipts are missing", len(logs))
	}
	return nil
}

// add adds value to union and reports whether it is in filter.
func (c *bloomChecker) add(union, filter *bloom, value []byte) bool {
	bits := c.bits(value)
	a, b, d := union.set(bits[0], filter), union.set(bits[1], filter), union.set(bits[2], filter)
	return a && b && d
}

// bits returns the bits of a value of 20 or 32 bytes.
func (c *bloomChecker) bits(value []byte) [3]uint16 {
	var key [32]byte
	copy(key[:], value)
	// Multiplying mixes the words into the upper bits; a value made to collide
	// costs a hash, no more.
	mixed := binary.LittleEndian.Uint64(key[:]) ^ binary.LittleEndian.Uint64(key[8:])
	mixed = (mixed*0x9e3779b97f4a7c15 ^ binary.LittleEndian.Uint64(key[16:])) * 0x9e3779b97f4a7c15
	mixed = (mixed ^ binary.LittleEndian.Uint64(key[24:])) * 0x9e3779b97f4a7c15
	entry := &c.seen[mixed>>52&(bloomEntries-1)]
	if int(entry.size) == len(value) && entry.value == key {
		return entry.bits
	}
	// A hash never returns an error.
	c.hasher.Reset()
	c.hasher.Write(value)
	c.hasher.Read(c.hash[:])
	*entry = bloomEntry{value: key, size: uint8(len(value))}
	for i := range entry.bits {
		entry.bits[i] = binary.BigEndian.Uint16(c.hash[2*i:]) & 2047
	}
	return entry.bits
}
