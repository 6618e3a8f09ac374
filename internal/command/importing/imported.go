package importing

import (
	"context"
	"errors"
	"fmt"

	"mintburn/internal/command/console"
	"mintburn/internal/evm"
	"mintburn/internal/store/write"
)

// Imported counts the data that an import stored.
type Imported struct {
	write.Applied
	// documents are those that are stored now, outdatedDocuments those whose token has a newer
	// one.
	documents, outdatedDocuments, rejectedDocuments int
	// collections and outdatedCollections are the same for the documents of collections.
	collections, outdatedCollections int
	// Last is the highest block of the files, stored now or before. It is nil if they
	// contain none.
	Last *evm.Header
}

// add counts a stored batch.
func (i *Imported) add(b batch, applied write.Applied) {
	i.Blocks += applied.Blocks
	i.Proven += applied.Proven
	i.Known += applied.Known
	i.Mints += applied.Mints
	i.Burns += applied.Burns
	i.Rejected += applied.Rejected
	for n := range b.documents {
		if b.documents[n].Outdated {
			i.outdatedDocuments++
		} else {
			i.documents++
		}
	}
	for n := range b.blocks {
		if h := b.blocks[n].Header; i.Last == nil || h.Number > i.Last.Number {
			i.Last = &h
		}
	}
}

// Finalize marks the last block as finalized, unless a later block already is. It fails if
// the files contain no block.
func (i Imported) Finalize(ctx context.Context, s *write.DB) error {
	if i.Last == nil {
		return errors.New("--final: the files contain no block")
	}
	return s.SetFinalized(ctx, *i.Last)
}

// String returns the counts as the rest of a sentence that begins with "Imported".
func (i Imported) String() string {
	s := fmt.Sprintf("%s with %s and %s", console.Count(i.Blocks, "block"), console.Count(i.Mints, "mint"), console.Count(i.Burns, "burn"))
	for _, part := range []struct {
		n          int
		noun, text string
	}{
		{i.Rejected, "malformed log", " rejected"},
		{i.documents, "token document", ""},
		{i.outdatedDocuments, "token document", " older than the stored ones"},
		{i.collections, "collection document", ""},
		{i.outdatedCollections, "collection document", " older than the stored ones"},
		{i.rejectedDocuments, "document", " rejected"},
		{i.Proven, "block", " verified"},
		{i.Known, "block", " already stored"},
	} {
		if part.n > 0 {
			s += ", " + console.Count(part.n, part.noun) + part.text
		}
	}
	return s
}
