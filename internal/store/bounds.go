package store

import (
	"errors"
	"sync"

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
	// backward: the page ends at its cursor, rather than begins there.
	backward bool
	// after and before are what the arguments decoded to.
	after, before *cursor
	// more: a record beyond the limit was seen.
	more bool
	// fingerprint is that of the list's cursors.
	fingerprint uint64
}

// bounds decodes the arguments. Page sizes may be up to most.
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
		// Of the records before a cursor, clients want the nearest.
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
		return b, nft.Errorf(nft.BadUserInput, "%s is %d: want 0 to %d", name, *size, most)
	}
	b.limit = *size
	return b, nil
}

// belongTo sets the list's fingerprint. It fails unless the cursors have it.
func (b *pageBounds) belongTo(fingerprint uint64) error {
	b.fingerprint = fingerprint
	for _, c := range [...]*cursor{b.after, b.before} {
		if c != nil && c.fingerprint != fingerprint {
			return nft.Errorf(nft.InvalidCursor, "the cursor belongs to another filter or order: use it with the arguments that gave it; only the page size may change")
		}
	}
	return nil
}

// Limit returns the requested page size, in items.
func (b *pageBounds) Limit() int { return b.limit }

// argument returns the name of the page's size.
func (b *pageBounds) argument() string {
	if b.backward {
		return "last"
	}
	return "first"
}

// Number returns the page's number: 1 without a cursor, else one more than
// that of the page that gave the cursor; with before, one less and at least 1.
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

// onceRead runs a page's read once, and holds its error.
type onceRead struct {
	run sync.Once
	err error
}

// errUnread is the error of a page whose reading did not return.
var errUnread = errors.New("internal error: the page could not be read")

// once returns the error of read, which it calls the first time only.
func (r *onceRead) once(read func() error) error {
	r.run.Do(func() {
		// After a panic, later calls must not take the page for an empty one.
		r.err = errUnread
		r.err = read()
	})
	return r.err
}
