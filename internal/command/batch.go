package command

import (
	"errors"
	"fmt"
	"strings"

	"mintburn/internal/evm"
	"mintburn/internal/metadata"
	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// Bounds of a batch. A large batch writes each page of the indexes fewer times,
// but takes memory, and a crash loses it.
const (
	fullRecords   = 250_000
	fullUnindexed = 50_000 // records, while the database has no indexes
	fullBlocks    = 50_000
	fullDocuments = 16 << 20 // bytes
)

// A batch of this size is worth a transaction when nothing else is being stored.
const (
	someRecords   = 10_000
	someBlocks    = 1_000
	someDocuments = 500
)

// batch is the part of a recording that is stored at once.
type batch struct {
	blocks []nft.Block
	// lines are the places of the blocks in the recording, file:line.
	lines []string
	// records is the number of mints and burns.
	records int
	// numbering is what the blocks show.
	numbering evm.Numbering
	documents []nft.TokenMetadata
	// documentBytes is the length of the documents.
	documentBytes int
}

// full reports whether nothing more may be added to a batch of this many records.
func (b *batch) full(records int) bool {
	return b.records >= records || len(b.blocks) >= fullBlocks || b.documentBytes >= fullDocuments
}

// worthStoring reports whether the batch is worth a transaction.
func (b *batch) worthStoring() bool {
	return b.records >= someRecords || len(b.blocks) >= someBlocks || len(b.documents) >= someDocuments
}

func (b *batch) empty() bool { return len(b.blocks) == 0 && len(b.documents) == 0 }

func (b *batch) addDocument(d *nft.Document) error {
	// A recorded document does not say its standard; only ERC-1155 URIs have
	// the placeholder whose replacement depends on it.
	standard := nft.ERC721
	if strings.Contains(d.URI, "{id}") {
		standard = nft.ERC1155
	}
	normalised, err := metadata.Normalise(d.Raw, standard, d.TokenID)
	if err != nil {
		return err
	}
	b.documents = append(b.documents, nft.TokenMetadata{
		TokenKey: d.TokenKey, Type: standard, FetchedAt: d.FetchedAt, URI: d.URI, Raw: d.Raw, Metadata: normalised,
	})
	b.documentBytes += len(d.URI) + len(d.Raw)
	return nil
}

// atLine adds the line of the block that an error is about.
func (b *batch) atLine(err error) error {
	if bad := new(store.BlockError); errors.As(err, &bad) {
		for n := range b.blocks {
			if b.blocks[n].Header.BlockRef == bad.Block {
				return fmt.Errorf("%s: %w", b.lines[n], err)
			}
		}
	}
	return err
}
