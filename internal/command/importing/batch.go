package importing

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"mintburn/internal/evm"
	"mintburn/internal/metadata"
	"mintburn/internal/nft"
	"mintburn/internal/store/digest"
	"mintburn/internal/store/write"
)

// Bounds of a batch. A larger batch writes each index page fewer times, but uses more
// memory, and a crash loses more.
const (
	FullRecords   = 250_000
	FullUnindexed = 50_000 // records, while the database has no indexes
	fullBlocks    = 50_000
	fullDocuments = 16 << 20 // bytes
)

// A batch of this size is worth a transaction if no other batch is being stored.
const (
	someRecords   = 10_000
	someBlocks    = 1_000
	someDocuments = 500
)

// batch is a part of a recording that is stored at once.
type batch struct {
	blocks []nft.Block
	// lines are the positions of the blocks in the recording, as file:line, or as file for
	// archives.
	lines []string
	// records is the number of mints and burns.
	records int
	// numbering is the numbering of logs that the blocks show.
	numbering evm.Numbering
	documents []nft.TokenMetadata
	// collections are the results for collections.
	collections []nft.Resolution
	// documentBytes is the length of the documents and their URIs.
	documentBytes int
}

// full reports whether nothing more may be added to the batch. records is the most
// records that it may hold.
func (b *batch) full(records int) bool {
	return b.records >= records || len(b.blocks) >= fullBlocks || b.documentBytes >= fullDocuments || b.records >= records*3/4 && b.ends()
}

// ends reports whether the batch ends with a group of blocks that have a digest together. Otherwise the
// records of the group are read again for it.
func (b *batch) ends() bool {
	last := len(b.blocks) - 1
	return last >= 0 && (b.blocks[last].Header.Number+1)%digest.Group == 0
}

// worthStoring reports whether the batch is worth a transaction.
func (b *batch) worthStoring() bool {
	return b.ends() && (b.records >= someRecords || len(b.blocks) >= someBlocks) || len(b.documents)+len(b.collections) >= someDocuments
}

func (b *batch) empty() bool {
	return len(b.blocks) == 0 && len(b.documents) == 0 && len(b.collections) == 0
}

func (b *batch) addDocument(d *nft.Document) error {
	b.documentBytes += len(d.URI) + len(d.Raw)
	if d.OfCollection {
		normalised, err := metadata.NormaliseCollection(d.Raw)
		if err != nil {
			return err
		}
		b.collections = append(b.collections, nft.Resolution{
			Task: nft.Task{TokenKey: d.TokenKey, OfCollection: true}, At: d.FetchedAt, URI: d.URI,
			Collection: &nft.CollectionResult{Name: d.Name, Symbol: d.Symbol, Document: &normalised, Raw: d.Raw},
		})
		return nil
	}
	// The standard matters only for the placeholder {id}, which only ERC-1155 URIs have.
	standard := cmp.Or(d.Type, nft.ERC721)
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
	return nil
}

// atLine adds the position of the block to a [write.BlockError].
func (b *batch) atLine(err error) error {
	if bad := new(write.BlockError); errors.As(err, &bad) {
		for n := range b.blocks {
			if b.blocks[n].Header.BlockRef == bad.Block {
				return fmt.Errorf("%s: %w", b.lines[n], err)
			}
		}
	}
	return err
}
