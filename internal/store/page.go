package store

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"hash/fnv"
	"slices"
	"sync"

	"mintburn/internal/nft"
	"mintburn/internal/store/read"
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

// parseCursor decodes a cursor of any list, and returns nil for nil. Its error is an
// [nft.Error] with the code INVALID_CURSOR.
func parseCursor(text *string) (c *cursor, err error) {
	if text != nil {
		if c = decodeCursor(*text); c == nil {
			err = nft.Errorf(nft.InvalidCursor, "invalid cursor: want one that this API returned, unchanged")
		}
	}
	return c, err
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

// fingerprintOf returns the fingerprint of a description of a list.
func fingerprintOf(list []byte) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(list)
	return h.Sum64()
}

// Args are the Relay arguments of a connection; nil means not given.
type Args struct {
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
func (a Args) bounds(most int) (b pageBounds, err error) {
	b.limit = min(DefaultPageSize, most)
	size, name := a.First, "first"
	switch {
	case a.First != nil && a.Last != nil:
		return b, nft.Errorf(nft.BadUserInput, "first and last can't be combined: want one of them")
	case a.After != nil && a.Before != nil:
		return b, nft.Errorf(nft.BadUserInput, "after and before can't be combined: want one of them")
	case a.Last != nil:
		size, name, b.backward = a.Last, "last", true
	case a.First == nil && a.Before != nil:
		// Clients want the records closest to the cursor.
		b.backward = true
	}
	if b.after, err = parseCursor(a.After); err != nil {
		return b, err
	}
	if b.before, err = parseCursor(a.Before); err != nil {
		return b, err
	}
	if size == nil {
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

// cursorAt returns the cursor of a key without an anchor.
func (b *pageBounds) cursorAt(key []byte) *cursor {
	return &cursor{page: b.Number(), key: key, fingerprint: b.fingerprint}
}

// Limit returns the requested page size, in items.
func (b *pageBounds) Limit() int { return b.limit }

// argument returns the name of the page size argument.
func argument(b *pageBounds) string {
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

// PageArgs are the Relay arguments of a page; nil means not given.
type PageArgs = Args

// Page is one page of a list.
type Page[T any] struct {
	// Items are the items, in the order of the list.
	Items []T
	AnyPage
}

func (p *Page[T]) set(items []T) { p.Items, p.len = items, len(items) }

// take sets the items, which were read in the page's direction, with at most one beyond the
// limit.
func (p *Page[T]) take(items []T) {
	p.more = len(items) > p.limit
	p.set(items[:min(len(items), p.limit)])
	if p.backward {
		slices.Reverse(p.Items)
	}
}

// AnyPage is a page of any list, without its items. [AnyPage.Read] reads it; before that only
// its limit and number are set. Its methods may read from the snapshot that created it, which
// must be open.
type AnyPage struct {
	pageBounds
	snapshot *read.Snapshot
	list     paged
	len      int

	reading once[struct{}]
	total   once[int64]
	beyond  [2]once[bool] // before the page, and after it
}

// paged is what differs between the pages of lists.
type paged interface {
	// key returns the key of the i-th item, or for -1 the place right before an empty page,
	// which may be an error.
	key(i int) (itemKey, error)
	// read reads the items. It may read the fields in also. alone means that nothing else
	// is read from the snapshot.
	read(ctx context.Context, also Selected, alone bool) error
	// exists reports whether an item follows the page, or precedes it. bound is the cursor on
	// that side.
	exists(ctx context.Context, follows bool, bound *cursor) (bool, error)
	// count returns the number of items of the list.
	count(ctx context.Context) (int64, error)
}

// itemKey is the sort key of an item: its token id or, if that is nil, its position. The
// block of an anchored position has the anchor.
type itemKey struct {
	tokenID  []byte
	pos      int64
	anchored bool
	anchor   uint32
}

// beginPage sets the arguments of a page of a list.
func beginPage(p *AnyPage, s *read.Snapshot, list paged, args PageArgs) (err error) {
	p.snapshot, p.list = s, list
	p.pageBounds, err = args.bounds(s.DB.MaxPageSize())
	return err
}

// Len returns the number of items.
func (p *AnyPage) Len() int { return p.len }

// Read reads the page once; later calls return the result of the first. It is safe for
// concurrent use. If that saves round trips, it also reads the fields that selected returns;
// selected may be nil. The method of [Snapshot] that returned the page lists its errors.
func (p *AnyPage) Read(ctx context.Context, selected func(context.Context) Selected) error {
	_, err := p.reading.get(func() (none struct{}, err error) {
		if selected == nil || !p.snapshot.Tx.Gathers() {
			return none, p.list.read(ctx, Selected{}, false)
		}
		also := selected(ctx)
		// Without a cursor nothing has to be read beyond the page.
		alone := p.given() == nil && !also.Total && !also.Indexed && !also.Metadata && also.Buckets == 0
		return none, p.list.read(ctx, also, alone)
	})
	return err
}

// neighbours returns the reads of the selected neighbours, whose errors the page's methods
// return.
func neighbours(p *AnyPage, also Selected) (reads []func(context.Context) error) {
	if also.Next {
		reads = append(reads, func(ctx context.Context) error { _, _ = p.HasNextPage(ctx); return nil })
	}
	if also.Previous {
		reads = append(reads, func(ctx context.Context) error { _, _ = p.HasPreviousPage(ctx); return nil })
	}
	return reads
}

// together runs reads in one round trip, if possible.
func together(ctx context.Context, p *AnyPage, reads []func(context.Context) error) error {
	switch len(reads) {
	case 0:
		return nil
	case 1:
		return reads[0](ctx)
	}
	return p.snapshot.Tx.Together(ctx, len(reads), func(ctx context.Context, i int) error { return reads[i](ctx) })
}

// HasNextPage reports whether items follow the page in its order.
func (p *AnyPage) HasNextPage(ctx context.Context) (bool, error) { return p.continues(ctx, true) }

// HasPreviousPage reports whether items precede the page in its order.
func (p *AnyPage) HasPreviousPage(ctx context.Context) (bool, error) { return p.continues(ctx, false) }

func (p *AnyPage) continues(ctx context.Context, follows bool) (bool, error) {
	bound, beyond := p.after, &p.beyond[0]
	if follows {
		bound, beyond = p.before, &p.beyond[1]
	}
	if more := p.more && p.backward != follows; more || bound == nil {
		return more, nil
	}
	return beyond.get(func() (bool, error) { return p.list.exists(ctx, follows, bound) })
}

// Total returns the exact number of items over all pages.
func (p *AnyPage) Total(ctx context.Context) (int64, error) {
	return p.total.get(func() (int64, error) { return p.list.count(ctx) })
}

// Cursor returns the cursor of the i-th item.
func (p *AnyPage) Cursor(i int) string { return string(p.AppendCursor(nil, i)) }

// AppendCursor appends the cursor of the i-th item.
func (p *AnyPage) AppendCursor(b []byte, i int) []byte {
	key, _ := p.list.key(i)
	return p.append(b, &key)
}

// append appends the cursor of a key.
func (p *AnyPage) append(b []byte, key *itemKey) []byte {
	if key.tokenID != nil {
		return p.cursorAt(key.tokenID).append(b)
	}
	c := p.cursorAt(positionKey(key.pos))
	c.anchored, c.anchor = key.anchored, key.anchor
	return c.append(b)
}

// NextCursor returns the cursor of the next page, or nil when there is none. A page of size 0
// has no item to continue after, but it has a place in the list.
func (p *AnyPage) NextCursor(ctx context.Context) (*string, error) {
	next, err := p.HasNextPage(ctx)
	if err != nil || !next {
		return nil, err
	}
	last, err := p.list.key(p.len - 1)
	if err != nil {
		return nil, err
	}
	return new(string(p.append(nil, &last))), nil
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
