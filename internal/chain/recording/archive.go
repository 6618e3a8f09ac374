package recording

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/snappy"

	"mintburn/internal/chain/wire"
)

// The types of the entries of era1 and ere archives that are read
// (https://github.com/eth-clients/e2store-format-specs). Each entry is a type of 2 bytes, a
// length of 4 and 2 zero bytes, little-endian, and then the data.
const (
	entryHead         = 8
	typeHeader        = 0x03
	typeBody          = 0x04
	typeReceipts      = 0x05
	typeSlimReceipts  = 0x0a
	typeIndex         = 0x3266
	typeDynamicIndex  = 0x3267
	archiveBeginning  = "e2\x00\x00\x00\x00\x00\x00"
	maxArchivedBlocks = 8192
	// maxEntries is five entries a block, and as many others again.
	maxEntries = 10 * maxArchivedBlocks
	// maxPart is the largest uncompressed length of a header, a body or a list of receipts in
	// bytes.
	maxPart = 64 << 20
)

// part is the compressed header, body or list of receipts of a block: offset and length of
// an entry's data.
type part struct{ offset, length int64 }

// archive is an era1 file, or an ere file with receipts.
type archive struct {
	file io.ReaderAt
	// headers, bodies and receipts have the same length.
	headers, bodies, receipts []part
	// slim is true if the receipts have no bloom filter.
	slim bool
	// warning is [Item.Warning] of the last block.
	warning string
}

// isArchive reports whether a regular file is an archive, by its first bytes or its name.
func isArchive(path string) (bool, error) {
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	beginning := make([]byte, entryHead)
	n, err := io.ReadFull(file, beginning)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	extension := filepath.Ext(path)
	return string(beginning[:n]) == archiveBeginning || extension == ".era1" || extension == ".ere", err
}

// ArchivedChain returns the chain (EIP-155 id) that the name of an archive names, such as
// mainnet-00000-5ec1ffb8.era1. ok is false for all other names.
func ArchivedChain(path string) (id uint64, ok bool) {
	network, _, ok := strings.Cut(filepath.Base(path), "-")
	if extension := filepath.Ext(path); !ok || extension != ".era1" && extension != ".ere" {
		return 0, false
	}
	id, ok = map[string]uint64{"mainnet": 1, "sepolia": 11155111, "holesky": 17000, "hoodi": 560048}[network]
	return id, ok
}

// sendArchive sends the blocks of an archive.
func (r *Recording) sendArchive(ctx context.Context, p *pipeline, name string) error {
	file, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("opening recording: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("opening recording: %w", err)
	}
	a, err := scanArchive(file, info.Size())
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	z, before := snappy.NewReader(nil), r.read.Load()
	for i := range a.headers {
		text, block, err := a.read(i, z, p.buffer(chunkSize))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		r.read.Add(a.headers[i].length + a.bodies[i].length + a.receipts[i].length)
		if err := p.send(ctx, &chunk{file: name, text: text, archived: block, ready: make(chan struct{})}); err != nil {
			return err
		}
	}
	r.read.Store(before + info.Size())
	return nil
}

// scanArchive lists the entries of an archive. It fails if they are not those of a complete
// archive with receipts. The offsets of the index are not used, because the entries of each
// type are in the order of the blocks.
func scanArchive(file io.ReaderAt, size int64) (*archive, error) {
	a := &archive{file: file}
	var last uint16
	var slim []part
	for offset, entries := int64(0), 0; offset < size; entries++ {
		var head [entryHead]byte
		if _, err := file.ReadAt(head[:], offset); err != nil {
			return nil, atByte(offset, truncated(err))
		}
		data := part{offset + entryHead, int64(binary.LittleEndian.Uint32(head[2:]))}
		last = binary.LittleEndian.Uint16(head[:])
		switch {
		case offset == 0 && string(head[:]) != archiveBeginning:
			return nil, atByte(offset, fmt.Errorf("got %x, want the beginning of an era1 or ere archive, %x", head, archiveBeginning))
		case head[6] != 0 || head[7] != 0:
			return nil, atByte(offset, errors.New("not the beginning of an entry: the archive is damaged"))
		case data.length > size-data.offset:
			return nil, atByte(offset, truncated(io.ErrUnexpectedEOF))
		case entries == maxEntries:
			return nil, atByte(offset, fmt.Errorf("want at most %d entries", maxEntries))
		}
		switch last {
		case typeHeader:
			a.headers = append(a.headers, data)
		case typeBody:
			a.bodies = append(a.bodies, data)
		case typeReceipts:
			a.receipts = append(a.receipts, data)
		case typeSlimReceipts:
			slim = append(slim, data)
		}
		offset = data.offset + data.length
	}
	if len(a.receipts) == 0 {
		a.receipts, a.slim = slim, true
	}
	blocks := len(a.headers)
	switch {
	case blocks == 0:
		return nil, errors.New("the archive has no block headers, want an era1 or ere archive")
	case last != typeIndex && last != typeDynamicIndex:
		return nil, errors.New("the archive does not end with an index: it is truncated")
	case blocks > maxArchivedBlocks:
		return nil, fmt.Errorf("the archive has %d blocks, want at most %d", blocks, maxArchivedBlocks)
	case len(a.receipts) == 0:
		return nil, errors.New("the archive has no receipts (profile noreceipts), want one with receipts")
	case len(a.bodies) != blocks || len(a.receipts) != blocks:
		return nil, fmt.Errorf("the archive has %d headers, %d bodies and receipts of %d blocks, want as many of each", blocks, len(a.bodies), len(a.receipts))
	}
	var count [8]byte
	if _, err := file.ReadAt(count[:], size-int64(len(count))); err != nil {
		return nil, err
	}
	if n := binary.LittleEndian.Uint64(count[:]); n != uint64(blocks) {
		// The index is not used, and each block is proved.
		a.warning = fmt.Sprintf("the archive has %d headers, but an index of %d blocks", blocks, n)
	}
	return a, nil
}

// atByte adds the offset of an entry to an error.
func atByte(offset int64, err error) error { return fmt.Errorf("at byte %d: %w", offset, err) }

// truncated says of the end of a file that it came too early.
func truncated(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the archive ends within an entry: it is truncated or damaged")
	}
	return err
}

// archived is a block of an archive, uncompressed: header, body and receipts follow each other
// in the text of a chunk, and end at these offsets.
type archived struct {
	ends [3]int
	slim bool
	// offset is that of the header in the archive.
	offset  int64
	warning string
}

// read decompresses block i with z, and appends it to text.
func (a *archive) read(i int, z *snappy.Reader, text []byte) ([]byte, *archived, error) {
	block := &archived{slim: a.slim, offset: a.headers[i].offset - entryHead}
	if i == len(a.headers)-1 {
		block.warning = a.warning
	}
	for n, p := range []part{a.headers[i], a.bodies[i], a.receipts[i]} {
		z.Reset(io.NewSectionReader(a.file, p.offset, p.length))
		all := bytes.NewBuffer(text)
		size, err := all.ReadFrom(io.LimitReader(z, maxPart+1))
		switch {
		case err != nil:
			return nil, nil, atByte(p.offset-entryHead, decompressError("snappy", err))
		case size > maxPart:
			return nil, nil, atByte(p.offset-entryHead, fmt.Errorf("the uncompressed data is longer than %d bytes", maxPart))
		}
		text = all.Bytes()
		block.ends[n] = len(text)
	}
	return text, block, nil
}

// items proves the block of a chunk.
func (b *archived) items(c *chunk) ([]Item, error) {
	block, err := wire.ArchivedBlock(c.text[:b.ends[0]], c.text[b.ends[0]:b.ends[1]], c.text[b.ends[1]:], b.slim)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.file, atByte(b.offset, err))
	}
	return []Item{{File: c.file, Block: block, Proven: true, Warning: b.warning}}, nil
}
