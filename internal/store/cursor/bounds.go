package cursor

import (
	"cmp"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/store/query"
)

// Args are the Relay arguments of a connection; nil means not given.
type Args struct {
	// First and Last are page sizes from 0 to the store's maximum; at most
	// one may be given. The default is [DefaultPageSize].
	First, Last *int
	// After and Before are cursors; at most one may be given.
	After, Before *string
}

// Bounds are the decoded arguments of a page, and whether items exceeded its limit.
type Bounds struct {
	Size int
	// Backward means that the page is read from its end: it contains the last items of
	// the list, or those right before the cursor.
	Backward bool
	// After and Before are the decoded cursors.
	After, Before *Cursor
	// More means that an item beyond the limit was read.
	More bool
	// fingerprint identifies the list in its cursors.
	fingerprint uint64
}

// Bounds decodes the arguments. most is the maximum page size.
func (a Args) Bounds(most int) (b Bounds, err error) {
	b.Size = min(DefaultPageSize, most)
	size, name := a.First, "first"
	switch {
	case a.First != nil && a.Last != nil:
		return b, apierror.Errorf(apierror.BadUserInput, "first and last can't be combined: want one of them")
	case a.After != nil && a.Before != nil:
		return b, apierror.Errorf(apierror.BadUserInput, "after and before can't be combined: want one of them")
	case a.Last != nil:
		size, name, b.Backward = a.Last, "last", true
	case a.First == nil && a.Before != nil:
		// Clients want the records closest to the cursor.
		b.Backward = true
	}
	if b.After, err = Parse(a.After); err != nil {
		return b, err
	}
	if b.Before, err = Parse(a.Before); err != nil {
		return b, err
	}
	if size == nil {
		return b, nil
	}
	if *size < 0 || *size > most {
		return b, apierror.Errorf(apierror.BadUserInput, "%s: got %d, want 0 to %d", name, *size, most)
	}
	b.Size = *size
	return b, nil
}

// BelongTo sets the list's fingerprint. It fails if the cursor has another one.
func (b *Bounds) BelongTo(fingerprint uint64) error {
	b.fingerprint = fingerprint
	if c := b.Given(); c != nil && c.Fingerprint != fingerprint {
		return apierror.Errorf(apierror.InvalidCursor, "the cursor belongs to another filter or order: use it with the arguments that gave it; only the page size may change")
	}
	return nil
}

// Given returns the cursor of the arguments, or nil.
func (b *Bounds) Given() *Cursor { return cmp.Or(b.After, b.Before) }

// CursorAt returns the cursor of a key without an anchor.
func (b *Bounds) CursorAt(key []byte) *Cursor {
	return &Cursor{Page: b.Number(), Key: key, Fingerprint: b.fingerprint}
}

// Limit returns the requested page size, in items.
func (b *Bounds) Limit() int { return b.Size }

// Argument returns the name of the page size argument.
func Argument(b *Bounds) string {
	if b.Backward {
		return "last"
	}
	return "first"
}

// Number returns the page's number: 1 without a cursor; with after, one more than the page
// that returned the cursor; with before, one less, but at least 1.
func (b *Bounds) Number() uint64 {
	switch {
	case b.After != nil:
		return b.After.Page + 1
	case b.Before != nil:
		return max(1, b.Before.Page-1)
	default:
		return 1
	}
}

// Key is the sort key of an item: its token id or, if that is nil, its position. The
// block of an anchored position has the anchor.
type Key struct {
	TokenID  []byte
	Pos      int64
	Anchored bool
	Anchor   uint32
}

// Positions returns the range of a query's positions beyond the cursor, which the page is
// read from.
func Positions(b *Bounds, q *query.Query) (lo, hi int64) {
	if c := b.Given(); c != nil {
		return q.Beyond(PositionOf(c.Key), q.Lo, q.Hi, c == b.After)
	}
	return q.Lo, q.Hi
}

// PrecedingPosition returns the position right before an empty page. It has an anchor if it
// is the cursor's.
func PrecedingPosition(b *Bounds, q *query.Query) Key {
	first, last := q.Lo, q.Hi
	if q.Desc {
		first, last = q.Hi, q.Lo
	}
	switch {
	case b.After != nil && !b.Backward:
		return Key{Pos: PositionOf(b.After.Key), Anchored: b.After.Anchored, Anchor: b.After.Anchor}
	case b.Before != nil && b.Backward:
		return Key{Pos: PositionOf(b.Before.Key) - q.Step()}
	case b.Backward:
		return Key{Pos: last}
	default:
		return Key{Pos: first - q.Step()}
	}
}

// DefaultPageSize is the size of a page if none is given, in items.
const DefaultPageSize = 20

// PrecedingToken returns the key right before an empty page of tokens. The empty key sorts
// before every token id.
func PrecedingToken(b *Bounds) (Key, error) {
	switch {
	case b.After != nil && !b.Backward:
		return Key{TokenID: b.After.Key}, nil
	case b.Before == nil || !b.Backward || len(b.Before.Key) == 0:
		return Key{TokenID: []byte{}}, nil
	}
	var id evm.Uint256
	if err := id.Scan(b.Before.Key); err != nil {
		return Key{}, apierror.Errorf(apierror.InvalidCursor, "invalid cursor: want one that this connection returned")
	}
	if id == (evm.Uint256{}) {
		return Key{TokenID: []byte{}}, nil
	}
	return Key{TokenID: id.Minus(evm.NewUint256(1)).Bytes()}, nil
}
