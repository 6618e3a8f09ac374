package store

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"sync"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/block"
	"mintburn/ent/orphanedblock"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/tables"
)

// cursor is a position in a list. It needs no memory on the server and never
// expires. Its text is base64url without padding of, in order:
//
//	version      1 byte, 1
//	flags        1 byte, 1 if anchored
//	page         uvarint, number of the page that returned the cursor
//	key          1 byte length, then the sort key of the position
//	fingerprint  8 bytes, of the filter and order
//	anchor       4 bytes, first bytes of the block's hash, if anchored
//	checksum     4 bytes, CRC-32C of all bytes before
type cursor struct {
	page        uint64
	key         []byte
	fingerprint uint64
	// anchored means that anchor holds the first bytes of the hash of the
	// position's block.
	anchored bool
	anchor   uint32
}

const (
	cursorVersion = 1
	// maxCursor bounds the text: 1+1+10+1+53+8+4+4 bytes in base64, rounded up.
	maxCursor = 128
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (c *cursor) String() string { return string(c.append(make([]byte, 0, 2*maxCursor))) }

// append appends the text of c.
func (c *cursor) append(text []byte) []byte {
	// The raw bytes go behind the longest possible text, so they need no separate
	// allocation.
	text = slices.Grow(text, 2*maxCursor)
	b := text[len(text)+maxCursor : len(text)+maxCursor]
	b = append(b, cursorVersion, 0)
	if c.anchored {
		b[1] = 1
	}
	b = binary.AppendUvarint(b, c.page)
	b = append(append(b, byte(len(c.key))), c.key...)
	b = binary.BigEndian.AppendUint64(b, c.fingerprint)
	if c.anchored {
		b = binary.BigEndian.AppendUint32(b, c.anchor)
	}
	b = binary.BigEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	return cursorText.AppendEncode(text, b)
}

// parseCursor decodes a cursor of any list. Its error is an [nft.Error] with the
// code INVALID_CURSOR.
func parseCursor(text string) (*cursor, error) {
	c := decodeCursor(text)
	if c == nil {
		return nil, nft.Errorf(nft.InvalidCursor, "invalid cursor: want one that this API returned, unchanged")
	}
	return c, nil
}

// decodeCursor is parseCursor, but returns nil instead of an error.
func decodeCursor(text string) *cursor {
	if len(text) > maxCursor {
		return nil
	}
	b, err := cursorText.DecodeString(text)
	if err != nil || len(b) < 4 {
		return nil
	}
	body, sum := b[:len(b)-4], binary.BigEndian.Uint32(b[len(b)-4:])
	if crc32.Checksum(body, castagnoli) != sum || len(body) < 2 || body[0] != cursorVersion || body[1] > 1 {
		return nil
	}
	c := &cursor{anchored: body[1] == 1}
	body = body[2:]
	page, n := binary.Uvarint(body)
	if n <= 0 || page == 0 || page > 1<<53 {
		return nil
	}
	c.page, body = page, body[n:]
	tail := 8
	if c.anchored {
		tail += 4
	}
	if len(body) < 1 || len(body) != 1+int(body[0])+tail {
		return nil
	}
	c.key, body = body[1:1+body[0]], body[1+body[0]:]
	c.fingerprint = binary.BigEndian.Uint64(body)
	if c.anchored {
		c.anchor = binary.BigEndian.Uint32(body[8:])
	}
	if c.String() != text {
		return nil
	}
	return c
}

// keyPosition decodes the key of a cursor of mints or burns.
func keyPosition(key []byte) int64 { return int64(binary.BigEndian.Uint64(key)) }

func positionKey(pos int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(pos)) }

// requireCanonical returns an error if the block of an anchored cursor is no longer
// canonical. c may be nil. The errors have the codes INVALID_CURSOR and CURSOR_REORGED.
func requireCanonical(ctx context.Context, s *Snapshot, c *cursor) error {
	if c == nil || !c.anchored {
		return nil
	}
	number := tables.BlockOf(keyPosition(c.key))
	var canonical ent.Block
	found, err := s.cached(ctx, statementKey{name: "anchor"}, func(client *ent.Client) entsql.Querier {
		return client.Block.Query().Where(block.ID(int64(number))).Select(block.FieldHashPrefix).Selector()
	}, []any{int64(number)}, func(row *database.Row) error { return canonical.ReadRow(row, block.FieldHashPrefix) })
	if err != nil || found && anchorOf(canonical.HashPrefix) == c.anchor {
		return database.Wrap(err, "reading block %d", number)
	}
	ancestor, known, err := commonAncestor(ctx, s, number, c.anchor)
	if err != nil {
		return err
	}
	if !known {
		return nft.Errorf(nft.InvalidCursor, "the cursor's block at height %d is not known here: start again without a cursor", number)
	}
	// No record has the ancestor's last position, so the rewound cursor works in
	// both directions: paging continues right after the ancestor's records, or
	// with the last of them.
	rewound := *c
	rewound.anchor = anchorOf(ancestor.Hash.Prefix())
	rewound.key = positionKey(tables.LastIn(ancestor.Number))
	reorged := nft.Errorf(nft.CursorReorged, "the cursor's block at height %d was orphaned by a reorg: drop the records from block %d on and continue from rewindCursor", number, ancestor.Number+1)
	reorged.Details = map[string]any{"rewindCursor": rewound.String(), "retractedFromBlock": ancestor.Number + 1}
	return reorged
}

// commonAncestor returns the last canonical block of an orphaned block's branch. It returns
// false if the branch is not stored.
func commonAncestor(ctx context.Context, s *Snapshot, number uint64, anchor uint32) (evm.Header, bool, error) {
	rows, err := s.client().OrphanedBlock.Query().Where(orphanedblock.Number(int64(number))).All(ctx)
	if err != nil {
		return evm.Header{}, false, fmt.Errorf("looking up orphaned blocks at %d: %w", number, err)
	}
	var parent *evm.Hash
	for _, row := range rows {
		if anchorOf(row.Hash.Prefix()) == anchor {
			parent = &row.ParentHash
		}
	}
	for parent != nil && number > 0 {
		number--
		header, found, err := header(ctx, s, number)
		if err != nil || found && header.Hash == *parent {
			return header, found, err
		}
		orphaned, found, err := orphanedHeader(ctx, s, orphanedblock.Hash(*parent))
		if err != nil || !found {
			return evm.Header{}, false, err
		}
		parent = &orphaned.ParentHash
	}
	return evm.Header{}, false, nil
}

// PageArgs are the Relay arguments of a connection; nil means not given.
type PageArgs struct {
	// First and Last are page sizes from 0 to the store's maximum; at most
	// one may be given. The default is [DefaultPageSize].
	First, Last *int
	// After and Before are cursors; at most one may be given.
	After, Before *string
}

// pageBounds are the decoded arguments of a page, and whether items exceeded its limit.
type pageBounds struct {
	limit int
	// backward means that the page is read from its end: it contains the last items of
	// the list, or those right before the cursor.
	backward bool
	// after and before are the decoded cursors.
	after, before *cursor
	// more means that an item beyond the limit was read.
	more bool
	// fingerprint identifies the list in its cursors.
	fingerprint uint64
}

// bounds decodes the arguments. most is the maximum page size.
func (a PageArgs) bounds(most int) (b pageBounds, err error) {
	b.limit = DefaultPageSize
	size, name := a.First, "first"
	switch {
	case a.First != nil && a.Last != nil:
		return b, nft.Errorf(nft.BadUserInput, "first and last can't be combined: want one of them")
	case a.After != nil && a.Before != nil:
		return b, nft.Errorf(nft.BadUserInput, "after and before can't be combined: want one of them")
	case a.Last != nil:
		size, name = a.Last, "last"
		b.backward = true
	case a.First == nil && a.Before != nil:
		// Clients want the records closest to the cursor.
		b.backward = true
	}
	if a.After != nil {
		if b.after, err = parseCursor(*a.After); err != nil {
			return b, err
		}
	}
	if a.Before != nil {
		if b.before, err = parseCursor(*a.Before); err != nil {
			return b, err
		}
	}
	if size == nil {
		b.limit = min(b.limit, most)
		return b, nil
	}
	if *size < 0 || *size > most {
		return b, nft.Errorf(nft.BadUserInput, "%s: got %d, want 0 to %d", name, *size, most)
	}
	b.limit = *size
	return b, nil
}

// belongTo sets the list's fingerprint. It fails if the cursor has another one.
func (b *pageBounds) belongTo(fingerprint uint64) error {
	b.fingerprint = fingerprint
	if c := b.given(); c != nil && c.fingerprint != fingerprint {
		return nft.Errorf(nft.InvalidCursor, "the cursor belongs to another filter or order: use it with the arguments that gave it; only the page size may change")
	}
	return nil
}

// given returns the cursor of the arguments, or nil.
func (b *pageBounds) given() *cursor { return cmp.Or(b.after, b.before) }

// side returns the cursor that bounds the end of the page, or its beginning, and whether an
// item beyond the limit was read there.
func (b *pageBounds) side(end bool) (bound *cursor, more bool) {
	if end {
		return b.before, b.more && !b.backward
	}
	return b.after, b.more && b.backward
}

// precedingToken returns the key right before an empty page of tokens. The empty key sorts
// before every token id.
func (b *pageBounds) precedingToken() ([]byte, error) {
	switch {
	case b.after != nil && !b.backward:
		return b.after.key, nil
	case b.before == nil || !b.backward || len(b.before.key) == 0:
		return []byte{}, nil
	}
	var id evm.Uint256
	if err := id.Scan(b.before.key); err != nil {
		return nil, nft.Errorf(nft.InvalidCursor, "invalid cursor: want one that this connection returned")
	}
	if id == (evm.Uint256{}) {
		return []byte{}, nil
	}
	return id.Minus(evm.NewUint256(1)).Bytes(), nil
}

// precedingPosition returns the position right before an empty page.
func (b *pageBounds) precedingPosition(q *query) int64 {
	first, last := q.lo, q.hi
	if q.desc {
		first, last = q.hi, q.lo
	}
	switch {
	case b.after != nil && !b.backward:
		return keyPosition(b.after.key)
	case b.before != nil && b.backward:
		return keyPosition(b.before.key) - q.step()
	case b.backward:
		return last
	default:
		return first - q.step()
	}
}

// emptyCursor returns the cursor that continues after an empty page of positions: a page of
// size 0 has no item to continue after, but it has a position.
func (b *pageBounds) emptyCursor(q *query) *cursor {
	c := b.cursorAt(positionKey(b.precedingPosition(q)))
	if b.after != nil && !b.backward {
		c.anchored, c.anchor = b.after.anchored, b.after.anchor
	}
	return c
}

// cursorAt returns the cursor of a key without an anchor.
func (b *pageBounds) cursorAt(key []byte) *cursor {
	return &cursor{page: b.Number(), key: key, fingerprint: b.fingerprint}
}

// Limit returns the requested page size, in items.
func (b *pageBounds) Limit() int { return b.limit }

// argument returns the name of the page size argument.
func (b *pageBounds) argument() string {
	if b.backward {
		return "last"
	}
	return "first"
}

// Number returns the page's number: 1 without a cursor; with after, one more than the page
// that returned the cursor; with before, one less, but at least 1.
func (b *pageBounds) Number() uint64 {
	switch {
	case b.after != nil:
		return b.after.page + 1
	case b.before != nil:
		return max(1, b.before.page-1)
	default:
		return 1
	}
}

// Selected are the fields of a page that a query selects besides the items.
type Selected struct {
	// Total, Indexed and Metadata select the results of these methods of the page. Next
	// selects HasNextPage or what depends on it, Previous HasPreviousPage.
	Total, Next, Previous, Indexed, Metadata bool
	// Buckets are the intervals of the selected buckets.
	Buckets Intervals
	// Texts are the selected texts of the metadata.
	Texts Texts
}

// neighbours reports whether items exist beyond a page.
type neighbours interface {
	HasNextPage(ctx context.Context) (bool, error)
	HasPreviousPage(ctx context.Context) (bool, error)
}

// readNeighbours reads the selected neighbours of a page. Later calls of the page's methods
// return the errors.
func readNeighbours(ctx context.Context, s *Snapshot, p neighbours, also Selected) {
	_ = s.db.Together(ctx, 2, func(ctx context.Context, i int) error {
		switch {
		case i == 0 && also.Next:
			_, _ = p.HasNextPage(ctx)
		case i == 1 && also.Previous:
			_, _ = p.HasPreviousPage(ctx)
		}
		return nil
	})
}

// once reads a value once, and keeps the result.
type once[T any] struct {
	run   sync.Once
	value T
	err   error
}

// errUnread is the error of a value whose read panicked.
var errUnread = errors.New("internal error: the page could not be read")

// get returns the result of read, which it calls only the first time.
func (o *once[T]) get(read func() (T, error)) (T, error) {
	o.run.Do(func() {
		// After a panic, later calls must not return the zero value without an error.
		o.err = errUnread
		o.value, o.err = read()
	})
	return o.value, o.err
}
