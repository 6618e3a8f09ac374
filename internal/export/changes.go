package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/feed"
	"mintburn/internal/store/read"
)

// changedTexts are the texts of an exported document.
const changedTexts = read.AllTexts &^ (read.TextRaw | read.TextDisplayTypes | read.FetchState)

// ReadChanges returns the changes after a cursor in a snapshot of its own, as [feed.Read] does, at
// most [feed.MaxBatch]. It also returns the errors of [feed.Read].
func ReadChanges(ctx context.Context, s *read.DB, f feed.Filter, after *string) (batch *feed.Batch, err error) {
	snapshot := store.NewSnapshot(s.Snapshot())
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	return feed.Read(ctx, snapshot, f, after, feed.MaxBatch, changedTexts)
}

// WriteChanges writes changes as NDJSON. A record and a document are the objects that an export
// writes.
func WriteChanges(out io.Writer, changes []feed.Change) error {
	var l lineBuffer
	for i := range changes {
		if err := appendChange(&l, &changes[i]); err != nil {
			return err
		}
		l.text = append(l.text, '\n')
		if err := drain(out, &l.text, false); err != nil {
			return err
		}
	}
	return drain(out, &l.text, true)
}

// appendChange appends a change, with lower-case names of its kind and cause.
func appendChange(l *lineBuffer, c *feed.Change) (err error) {
	text := func(format string, values ...any) { l.text = fmt.Appendf(l.text, format, values...) }
	text(`{"kind":%q,"cursor":%q`, strings.ToLower(string(c.Kind)), c.Cursor)
	switch c.Kind {
	case feed.Added:
		record, name := &c.Page.Items[c.Item], "mint"
		if record.Kind == nft.Burn {
			name = "burn"
		}
		text(`,%q:`, name)
		err = appendObject(l, transferColumns, record)
	case feed.Voided:
		text(`,"from_block":%d,"to_block":%d,"cause":%q`, c.Blocks.From, c.Blocks.To, strings.ToLower(string(c.Cause)))
	case feed.Finalized:
		text(`,"block_number":%d,"block_hash":%q`, c.Block.Number, c.Block.Hash)
	case feed.Metadata:
		text(`,"token_address":%q,"token_id":%q,"metadata":`, c.Token.Contract, c.Token.TokenID)
		if c.Document == nil {
			text("null")
		} else {
			err = appendObject(l, documentColumns, c.Document)
		}
	}
	text("}")
	return err
}
