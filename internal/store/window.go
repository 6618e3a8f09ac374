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

// pageBounds are the decoded arguments of a page, and whether records follow.
type pageBounds struct {
	limit int
	// backward: the page ends where it was asked to, rather than begins.
	backward bool
	// after and before are what the arguments decoded to.
	after, before *cursor
	// more: a record beyond the limit was seen.
	more bool
	// fingerprint is that of the list's cursors.
	fingerprint uint64
}

// bounds decodes the arguments. Page sizes may be up to most.
func (a PageArgs) bounds(most int) (w pageBounds, err error) {
	w.limit = DefaultPageSize
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
		// Of the records before a cursor, clients want the nearest.
		w.backward = true
	}
	if a.After != nil {
		if w.after, err = parseCursor(*a.After); err != nil {
			return w, err
		}
	}
	if a.Before != nil {
		if w.before, err = parseCursor(*a.Before); err != nil {
			return w, err
		}
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

// belongTo sets the list's fingerprint. It fails unless the cursors have it.
func (w *pageBounds) belongTo(fingerprint uint64) error {
	w.fingerprint = fingerprint
	for _, c := range [...]*cursor{w.after, w.before} {
		if c != nil && c.fingerprint != fingerprint {
			return nft.Errorf(nft.InvalidCursor, "the cursor belongs to another filter or order: use it with the arguments that gave it; only the page size may change")
		}
	}
	return nil
}

// Limit returns the requested page size, in items.
func (w *pageBounds) Limit() int { return w.limit }

// Number returns the page's number: 1 without a cursor, else one more than
// that of the page that gave the cursor; with before, one less and at least 1.
func (w *pageBounds) Number() uint64 {
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

// Len returns the number of items.
func (p *Page) Len() int { return len(p.Items) }

// AppendCursorAt appends the cursor of the i-th item.
func (p *Page) AppendCursorAt(b []byte, i int) []byte { return p.AppendCursor(b, &p.Items[i]) }

// Cursor returns the cursor of an item of the page.
func (p *Page) Cursor(item *Transfer) string { return string(p.AppendCursor(nil, item)) }

// AppendCursor appends what [Page.Cursor] returns.
func (p *Page) AppendCursor(b []byte, item *Transfer) []byte {
	c := cursor{
		page: p.Number(), key: positionKey(item.pos), fingerprint: p.fingerprint,
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
	c := cursor{page: p.Number(), key: positionKey(p.place()), fingerprint: p.fingerprint}
	if p.after != nil && !p.backward {
		c.anchored, c.anchor = p.after.anchored, p.after.anchor
	}
	text := c.String()
	return &text, nil
}

// anchorOf returns the part of a block's hash that a cursor holds.
func anchorOf(hashHead int64) uint32 { return uint32(uint64(hashHead) >> 32) }
