package store

import (
	"context"
	"encoding/binary"

	"mintburn/internal/nft"
)

// PageArgs are the Relay arguments of a connection; nil is not given.
type PageArgs struct {
	// First and Last are page sizes from 0 to the store's maximum; at most
	// one may be given. The default is [DefaultPageSize].
	First, Last *int
	// After and Before are cursors; at most one may be given.
	After, Before *string
}

// window is what a page's arguments and its rows say about its place.
type window struct {
	limit int
	// backward: the page ends where it was asked to, rather than begins.
	backward bool
	// after and before are what the arguments decoded to.
	after, before *cursor
	// more: a record beyond the limit was seen.
	more bool
	// afterText and beforeText are the arguments.
	afterText, beforeText *string
}

func (a PageArgs) window(most int) (window, error) {
	w := window{limit: DefaultPageSize, afterText: a.After, beforeText: a.Before}
	size, name := a.First, "first"
	switch {
	case a.First != nil && a.Last != nil:
		return w, nft.Errorf(nft.BadUserInput, "first and last can't be combined: give one of them")
	case a.After != nil && a.Before != nil:
		return w, nft.Errorf(nft.BadUserInput, "after and before can't be combined: give one of them")
	case a.Last != nil:
		size, name = a.Last, "last"
		w.backward = true
	case a.First == nil && a.Before != nil:
		// Who asks for what is before a place wants what is next to it.
		w.backward = true
	}
	if size == nil {
		w.limit = min(w.limit, most)
		return w, nil
	}
	if *size < 0 || *size > most {
		return w, nft.Errorf(nft.BadUserInput, "%s is %d: want 0 to %d", name, *size, most)
	}
	w.limit = *size
	return w, nil
}

// parse decodes the cursors of a walk with this fingerprint.
func (w *window) parse(fingerprint uint64) (err error) {
	if w.afterText != nil {
		if w.after, err = parseCursor(*w.afterText, fingerprint); err != nil {
			return err
		}
	}
	if w.beforeText != nil {
		w.before, err = parseCursor(*w.beforeText, fingerprint)
	}
	return err
}

// Limit returns the page size that was asked for, in items.
func (w *window) Limit() int { return w.limit }

// Number returns the page's number: 1 without a cursor, else one more than
// that of the page that gave the cursor; with before, one less and at least 1.
func (w *window) Number() uint64 {
	switch {
	case w.after != nil:
		return w.after.page + 1
	case w.before != nil:
		return max(1, w.before.page-1)
	default:
		return 1
	}
}

// keyPosition reads the key of a cursor of mints or burns.
func keyPosition(key []byte) int64 { return int64(binary.BigEndian.Uint64(key)) }

func positionKey(pos int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(pos)) }

// Cursor returns the cursor of an item of the page.
func (p *Page) Cursor(item *Transfer) string { return string(p.AppendCursor(nil, item)) }

// AppendCursor appends what [Page.Cursor] returns.
func (p *Page) AppendCursor(b []byte, item *Transfer) []byte {
	c := cursor{
		page: p.Number(), key: positionKey(item.pos), fingerprint: p.query.fingerprint,
		anchored: true, anchor: anchorOf(item.Block.Hash.Head()),
	}
	return c.append(b)
}

// NextCursor returns the cursor of the next page, or nil when there is none.
func (p *Page) NextCursor(ctx context.Context) (*string, error) {
	next, err := p.HasNextPage(ctx)
	if err != nil || !next {
		return nil, err
	}
	if n := len(p.Items); n > 0 {
		text := p.Cursor(&p.Items[n-1])
		return &text, nil
	}
	// A page size of 0 gives no item to continue after, but a place.
	c := cursor{page: p.Number(), key: positionKey(p.place()), fingerprint: p.query.fingerprint}
	if p.after != nil && !p.backward {
		c.anchored, c.anchor = p.after.anchored, p.after.anchor
	}
	text := c.String()
	return &text, nil
}

// anchorOf returns the part of a block's hash that a cursor holds.
func anchorOf(hashHead int64) uint32 { return uint32(uint64(hashHead) >> 32) }
