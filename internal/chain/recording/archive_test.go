package recording_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mintburn/internal/chain/recording"
	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// items returns the items up to the first error, without the place where they were read.
func items(t testing.TB, r *recording.Recording) (list []recording.Item, err error) {
	t.Helper()
	for item, err := range r.Items(context.Background()) {
		if err != nil {
			return list, err
		}
		item.File, item.Line, item.Numbering = "", 0, ""
		list = append(list, item)
	}
	return list, nil
}

// equalItems compares items; nil and empty data are equal.
var equalItems = cmp.Options{cmpopts.EquateComparable(evm.Hash{}, evm.Address{}), cmp.Comparer(bytes.Equal)}

// ndjson returns recorded blocks as an NDJSON file.
func ndjson(recorded []chaintest.Recorded) []byte {
	var lines bytes.Buffer
	for _, r := range recorded {
		lines.Write(append(r.Line(), '\n'))
	}
	return lines.Bytes()
}

// TestArchive_EqualsNDJSON reads chain-a and real mainnet blocks from archives and as recorded
// JSON.
func TestArchive_EqualsNDJSON(t *testing.T) {
	type chain struct {
		recorded []chaintest.Recorded
		blocks   []*types.Block
		receipts []types.Receipts
	}
	chains := map[string]chain{}
	var a chain
	a.recorded, a.blocks, a.receipts = chaintest.ChainA(t)
	chains["chain-a"] = a
	for _, real := range chaintest.RealBlocks(t) {
		if real.Receipts == nil {
			continue
		}
		block, receipts, err := real.Ethereum(nil)
		expect.NoError(t, err)
		chains["mainnet block "+block.Number().String()] = chain{[]chaintest.Recorded{real.Recorded}, []*types.Block{block}, []types.Receipts{receipts}}
	}
	if len(chains) < 3 {
		t.Fatalf("%d chains, want 3", len(chains))
	}
	for name, c := range chains {
		t.Run(name, func(t *testing.T) {
			want, err := items(t, open(t, bytes.NewReader(ndjson(c.recorded)), "-"))
			expect.NoError(t, err)
			for extension, archive := range map[string]*chaintest.Archive{"era1": chaintest.Era1(c.blocks, c.receipts), "ere": chaintest.Ere(c.blocks, c.receipts)} {
				path := writeFile(t, "a."+extension, archive.Bytes())
				r := open(t, nil, path)
				got, err := items(t, r)
				expect.NoError(t, err)
				expect.Equal(t, extension, want, got, equalItems)
				if read, size := r.Progress(); read != size || size == 0 {
					t.Errorf("%s: progress at the end: %d of %d", extension, read, size)
				}
			}
		})
	}
}

// framed returns an entry with the compressed RLP of a value.
func framed(t testing.TB, of uint16, value any) chaintest.Entry {
	t.Helper()
	data, err := rlp.EncodeToBytes(value)
	expect.NoError(t, err)
	return chaintest.Framed(of, data)
}

// TestArchive_Damaged reads archives that are damaged, truncated or of another kind. The error
// is one line that names the file, and the offset or the block.
func TestArchive_Damaged(t *testing.T) {
	_, blocks, receipts := chaintest.ChainA(t)
	blocks, receipts = blocks[36:40], receipts[36:40]
	era1 := func() *chaintest.Archive { return chaintest.Era1(blocks, receipts) }
	ere := func() *chaintest.Archive { return chaintest.Ere(blocks, receipts) }
	// change returns an archive whose nth entry of a type is another.
	change := func(a *chaintest.Archive, of uint16, n int, to chaintest.Entry) []byte {
		for i := range a.Entries {
			if a.Entries[i].Type == of {
				if n--; n < 0 {
					a.Entries[i] = to
					break
				}
			}
		}
		return a.Bytes()
	}
	without := func(a *chaintest.Archive, of uint16) []byte {
		a.Entries = slices.DeleteFunc(a.Entries, func(e chaintest.Entry) bool { return e.Type == of })
		return a.Bytes()
	}
	header := func(edit func(h *types.Header)) chaintest.Entry {
		h := types.CopyHeader(blocks[1].Header())
		edit(h)
		return framed(t, chaintest.EntryHeader, h)
	}
	// many returns an archive with n empty entries of a type.
	many := func(of uint16, n int) []byte {
		entries := slices.Repeat([]chaintest.Entry{{Type: of}}, n)
		return (&chaintest.Archive{Entries: slices.Insert(entries, 0, chaintest.Entry{Type: chaintest.EntryVersion})}).Bytes()
	}
	whole := era1().Bytes()
	flipped := func(at int) []byte {
		data := bytes.Clone(whole)
		data[at] ^= 1
		return data
	}
	for name, c := range map[string]struct {
		file string
		data []byte
		// want is what follows the file's name.
		want string
		// stored is the number of blocks before the error.
		stored int
	}{
		"empty":                     {"a.era1", nil, "the archive has no block headers, want an era1 or ere archive", 0},
		"a web page":                {"a.ere", []byte("<html>not found</html>"), "at byte 0: got 3c68746d6c3e6e6f, want the beginning of an era1 or ere archive, 6532000000000000", 0},
		"three bytes":               {"a.ere", []byte("e2\x00"), "at byte 0: the archive ends within an entry: it is truncated or damaged", 0},
		"consensus era":             {"archive", (&chaintest.Archive{Entries: []chaintest.Entry{{Type: chaintest.EntryVersion}, {Type: 0x01, Data: []byte("block")}}}).Bytes(), "the archive has no block headers, want an era1 or ere archive", 0},
		"truncated":                 {"a.era1", whole[:len(whole)-100], "at byte", 0},
		"without its index":         {"a.era1", whole[:len(whole)-8-8*6], "the archive does not end with an index: it is truncated", 0},
		"without receipts":          {"a-noreceipts.ere", without(ere(), chaintest.EntrySlimReceipts), "the archive has no receipts (profile noreceipts), want one with receipts", 0},
		"a body is missing":         {"a.ere", change(ere(), chaintest.EntryBody, 2, chaintest.Entry{Type: 0x99}), "the archive has 4 headers, 3 bodies and receipts of 4 blocks, want as many of each", 0},
		"receipts are missing":      {"a.era1", change(era1(), chaintest.EntryReceipts, 2, chaintest.Entry{Type: 0x99}), "the archive has 4 headers, 4 bodies and receipts of 3 blocks, want as many of each", 0},
		"reserved bytes":            {"a.era1", flipped(8 + 6), "at byte 8: not the beginning of an entry: the archive is damaged", 0},
		"a long entry":              {"a.era1", flipped(8 + 5), "at byte 8: the archive ends within an entry: it is truncated or damaged", 0},
		"snappy checksum":           {"a.era1", flipped(8 + 8 + 10 + 5), "at byte 8: decompressing snappy: s2: corrupt input, crc mismatch", 0},
		"snappy cut off":            {"a.ere", change(ere(), chaintest.EntryBody, 1, chaintest.Entry{Type: chaintest.EntryBody, Data: []byte("\xff\x06\x00\x00sNaPpY\x00\x09")}), "decompressing snappy: s2: corrupt input", 1},
		"no snappy":                 {"a.ere", change(ere(), chaintest.EntryBody, 1, chaintest.Entry{Type: chaintest.EntryBody, Data: []byte("plain")}), "decompressing snappy: s2: corrupt input", 1},
		"a snappy bomb":             {"a.ere", change(ere(), chaintest.EntryBody, 1, chaintest.Framed(chaintest.EntryBody, make([]byte, 64<<20+1))), "the uncompressed data is longer than 67108864 bytes", 1},
		"no RLP":                    {"a.ere", change(ere(), chaintest.EntryHeader, 1, chaintest.Framed(chaintest.EntryHeader, []byte("text"))), "header: rlp: ", 1},
		"another transactions root": {"a.ere", change(ere(), chaintest.EntryHeader, 1, header(func(h *types.Header) { h.TxHash[0]++ })), "block 37: the root of the transactions is 0x", 1},
		"another receipts root": {"a.ere", change(ere(), chaintest.EntryHeader, 1, header(func(h *types.Header) { h.ReceiptHash[0]++ })),
			"block 37: the root of the receipts is 0x", 1},
		"another bloom": {"a.ere", change(ere(), chaintest.EntryHeader, 1, header(func(h *types.Header) { h.Bloom[0] ^= 0x80 })), "block 37: the bloom filter does not match the logs", 1},
		"a large number": {"a.ere", change(ere(), chaintest.EntryHeader, 1, header(func(h *types.Header) { h.Number.SetUint64(1 << 33) })),
			"header: got the number 8589934592, want at most 8589934591", 1},
		"another body":     {"a.era1", change(era1(), chaintest.EntryBody, 1, framed(t, chaintest.EntryBody, blocks[0].Body())), "block 37: the root of the transactions is 0x", 1},
		"other receipts":   {"a.era1", change(era1(), chaintest.EntryReceipts, 1, framed(t, chaintest.EntryReceipts, receipts[0])), "block 37: the root of the receipts is 0x", 1},
		"no receipt":       {"a.era1", change(era1(), chaintest.EntryReceipts, 1, framed(t, chaintest.EntryReceipts, types.Receipts{})), "block 37: got 0 receipts, want one for each of", 1},
		"8193 blocks":      {"a.era1", many(chaintest.EntryHeader, 8193), "the archive has 8193 blocks, want at most 8192", 0},
		"too many entries": {"a.era1", many(0x99, 81920), "want at most 81920 entries", 0},
		"five topics": {"a.ere", change(ere(), chaintest.EntrySlimReceipts, 1, framed(t, chaintest.EntrySlimReceipts, slices.Repeat([]*types.SlimReceipt{{Logs: []*types.Log{{Topics: make([]common.Hash, 5)}}}}, len(receipts[1])))),
			"block 37: receipt 0: got a log with 5 topics, want at most 4", 1},
		"fields after the logs": {"a.era1", change(era1(), chaintest.EntryReceipts, 1, framed(t, chaintest.EntryReceipts, slices.Repeat([]any{[]any{[]byte{1}, uint(1), types.Bloom{}, []*types.Log{}, uint(1), uint(1), uint(1)}}, len(receipts[1])))),
			"block 37: receipt 0: got 3 fields after the logs, want at most 2", 1},
		"too many transactions": {"a.era1", change(era1(), chaintest.EntryBody, 1, framed(t, chaintest.EntryBody, []any{make([]struct{}, 1<<20+1)})),
			"block 37: transactions: got more than 1048576 elements, want at most that many", 1},
		"trailing index": {"a.ere", append(ere().Bytes(), make([]byte, 8)...), "the archive does not end with an index: it is truncated", 0},
	} {
		t.Run(name, func(t *testing.T) {
			path := writeFile(t, c.file, c.data)
			got, err := items(t, open(t, nil, path))
			if err == nil || !strings.HasPrefix(err.Error(), path+": ") || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || len(err.Error()) > 300 {
				t.Errorf("error %v, want one of %s: %s", err, path, c.want)
			}
			if len(got) != c.stored {
				t.Errorf("%d blocks before the error, want %d", len(got), c.stored)
			}
		})
	}
}

// TestArchive_OddIndex reads archives whose index says another number of blocks: the last block
// has a warning, if it is proved.
func TestArchive_OddIndex(t *testing.T) {
	_, blocks, receipts := chaintest.ChainA(t)
	for name, c := range map[string]struct {
		archive *chaintest.Archive
		said    byte
		want    string
	}{
		"a.era1":     {chaintest.Era1(blocks[36:40], receipts[36:40]), 5, "the archive has 4 headers, but an index of 5 blocks"},
		"a.ere":      {chaintest.Ere(blocks[36:40], receipts[36:40]), 0, "the archive has 4 headers, but an index of 0 blocks"},
		"right.era1": {chaintest.Era1(blocks[36:40], receipts[36:40]), 4, ""},
	} {
		data := c.archive.Bytes()
		data[len(data)-8] = c.said
		got, err := items(t, open(t, nil, writeFile(t, name, data)))
		expect.NoError(t, err)
		var warnings []string
		for _, item := range got {
			warnings = append(warnings, item.Warning)
		}
		expect.Equal(t, name, []string{"", "", "", c.want}, warnings)
		data[len(data)/2] ^= 1
		if got, err = items(t, open(t, nil, writeFile(t, name, data))); err == nil {
			t.Errorf("%s, damaged: %d blocks without an error", name, len(got))
		}
	}
}

// TestArchive_Interrupted cancels the context after the first block.
func TestArchive_Interrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	read := 0
	var failed error
	for _, err := range open(t, nil, ethereumJSArchive).Items(ctx) {
		if err != nil {
			failed = err
			break
		}
		read++
		cancel()
	}
	if !errors.Is(failed, context.Canceled) || read >= archivedBlocks {
		t.Errorf("error %v after %d blocks, want that of the context", failed, read)
	}
}
