package chaintest

import (
	"bytes"
	"encoding/binary"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/klauspost/compress/snappy"
)

// Entry is an entry of an e2store file.
type Entry struct {
	Type uint16
	Data []byte
}

// The types of entries of era1 and ere archives
// (https://github.com/eth-clients/e2store-format-specs).
const (
	EntryVersion         = 0x3265
	EntryHeader          = 0x03
	EntryBody            = 0x04
	EntryReceipts        = 0x05
	EntryTotalDifficulty = 0x06
	EntryAccumulator     = 0x07
	EntrySlimReceipts    = 0x0a
	EntryIndex           = 0x3266
	EntryDynamicIndex    = 0x3267
)

// Archive contains the entries of an era1 or ere file without its index.
type Archive struct {
	Entries []Entry
	// Ere selects the form of the index.
	Ere bool
	// Start is the number of the first block.
	Start uint64
}

// Era1 returns an archive of blocks with their receipts. Its accumulator is zero.
func Era1(blocks []*types.Block, receipts []types.Receipts) *Archive {
	a := &Archive{Start: blocks[0].NumberU64(), Entries: []Entry{{Type: EntryVersion}}}
	for i, b := range blocks {
		a.Entries = append(a.Entries, Framed(EntryHeader, mustRLP(b.Header())), Framed(EntryBody, mustRLP(b.Body())),
			Framed(EntryReceipts, mustRLP(receipts[i])), totalDifficulty(b))
	}
	a.Entries = append(a.Entries, Entry{EntryAccumulator, make([]byte, 32)})
	return a
}

// Ere returns an archive of blocks with their receipts, which it writes without bloom filters.
func Ere(blocks []*types.Block, receipts []types.Receipts) *Archive {
	a := &Archive{Ere: true, Start: blocks[0].NumberU64(), Entries: []Entry{{Type: EntryVersion}}}
	for _, b := range blocks {
		a.Entries = append(a.Entries, Framed(EntryHeader, mustRLP(b.Header())))
	}
	for _, b := range blocks {
		a.Entries = append(a.Entries, Framed(EntryBody, mustRLP(b.Body())))
	}
	for _, list := range receipts {
		slim := []*types.SlimReceipt{}
		for _, r := range list {
			slim = append(slim, (*types.SlimReceipt)(r))
		}
		a.Entries = append(a.Entries, Framed(EntrySlimReceipts, mustRLP(slim)))
	}
	return a
}

// Bytes returns the file.
func (a *Archive) Bytes() []byte {
	var file []byte
	offsets := map[uint16][]int{}
	for _, e := range a.Entries {
		offsets[e.Type] = append(offsets[e.Type], len(file))
		file = e.append(file)
	}
	components := []uint16{EntryHeader}
	if a.Ere {
		components = slices.DeleteFunc([]uint16{EntryHeader, EntryBody, EntrySlimReceipts}, func(t uint16) bool { return offsets[t] == nil })
	}
	index := Entry{EntryIndex, binary.LittleEndian.AppendUint64(nil, a.Start)}
	count := len(offsets[EntryHeader])
	for i := range count {
		for _, t := range components {
			if i < len(offsets[t]) {
				index.Data = binary.LittleEndian.AppendUint64(index.Data, uint64(offsets[t][i]-len(file)))
			}
		}
	}
	if a.Ere {
		index.Type = EntryDynamicIndex
		index.Data = binary.LittleEndian.AppendUint64(index.Data, uint64(len(components)))
	}
	index.Data = binary.LittleEndian.AppendUint64(index.Data, uint64(count))
	return index.append(file)
}

// append appends the entry to a file.
func (e Entry) append(file []byte) []byte {
	file = binary.LittleEndian.AppendUint16(file, e.Type)
	file = binary.LittleEndian.AppendUint32(file, uint32(len(e.Data)))
	return append(append(file, 0, 0), e.Data...)
}

// Framed returns an entry with compressed data.
func Framed(of uint16, data []byte) Entry {
	var b bytes.Buffer
	z := snappy.NewBufferedWriter(&b)
	// Writes to a buffer never fail.
	_, _ = z.Write(data)
	_ = z.Close()
	return Entry{of, b.Bytes()}
}

// totalDifficulty returns an entry with a number that nobody reads.
func totalDifficulty(b *types.Block) Entry {
	data := new(big.Int).Add(b.Difficulty(), b.Number()).FillBytes(make([]byte, 32))
	slices.Reverse(data)
	return Entry{EntryTotalDifficulty, data}
}

func mustRLP(v any) []byte {
	data, err := rlp.EncodeToBytes(v)
	if err != nil {
		panic(err)
	}
	return data
}
