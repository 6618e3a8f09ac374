package foldtest

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/feed"
	"mintburn/internal/store/listing"
	"mintburn/internal/store/page"
	"mintburn/internal/store/read"
)

// texts are those of an export.
const texts = read.AllTexts &^ (read.TextRaw | read.TextDisplayTypes | read.FetchState)

// Record is a mint or burn of a copy.
type Record struct {
	nft.Record
	Block evm.BlockRef
	Time  uint64
}

// Copy is what a reader has, by ids and tokens. A document is its text in an unspecified form.
type Copy struct {
	Records   map[string]Record
	Documents map[nft.TokenKey]string
	// Final is the height of the last final block, 0 for none.
	Final uint64
}

// Reader folds the feed with a filter.
type Reader struct {
	Copy
	filter feed.Filter
	random *rand.Rand
	cursor *string
	// Expired counts how often the reader began again from an export.
	Expired int
}

// NewReader returns a reader that begins with the present state of the database.
func NewReader(t testing.TB, s *read.DB, filter feed.Filter, random *rand.Rand) *Reader {
	t.Helper()
	r := &Reader{filter: filter, random: random}
	r.begin(t, s)
	return r
}

// begin copies an export, after the cursor of now.
func (r *Reader) begin(t testing.TB, s *read.DB) {
	t.Helper()
	inSnapshot(t, s, func(snapshot *store.Snapshot) {
		batch, err := feed.Read(t.Context(), snapshot, r.filter, nil, 0, texts)
		if err != nil {
			t.Fatalf("reading the cursor of now: %v", err)
		}
		r.cursor = &batch.Cursor
		r.Copy = exported(t, snapshot, r.filter)
	})
}

// Read reads some batches of random sizes. It may stop anywhere, even within a batch, and applies
// what it read.
func (r *Reader) Read(t testing.TB, s *read.DB) {
	t.Helper()
	for range r.random.IntN(4) {
		if !r.batch(t, s) {
			return
		}
	}
}

// batch applies a batch, and reports whether there is more.
func (r *Reader) batch(t testing.TB, s *read.DB) (more bool) {
	t.Helper()
	inSnapshot(t, s, func(snapshot *store.Snapshot) {
		b, err := feed.Read(t.Context(), snapshot, r.filter, r.cursor, 1+r.random.IntN(1+r.random.IntN(60)), texts)
		if expired := new(apierror.Error); errors.As(err, &expired) && expired.Code == apierror.ChangesExpired {
			r.Expired++
			r.begin(t, s)
			return
		}
		if err != nil {
			t.Fatalf("reading the feed: %v", err)
		}
		changes, cursor := b.Changes, b.Cursor
		if n := len(changes); n > 0 && r.random.IntN(8) == 0 {
			// A reader that is cut off continues after the last change that it has seen.
			changes = changes[:1+r.random.IntN(n)]
			cursor = changes[len(changes)-1].Cursor
		}
		for i := range changes {
			r.apply(&changes[i])
		}
		r.cursor, more = &cursor, b.More || cursor != b.Cursor
	})
	return more
}

// apply folds a change.
func (r *Reader) apply(c *feed.Change) {
	switch c.Kind {
	case feed.Voided:
		minted := map[nft.TokenKey]bool{}
		maps.DeleteFunc(r.Records, func(_ string, record Record) bool {
			void := c.Blocks.From <= record.Block.Number && record.Block.Number <= c.Blocks.To
			if key := keyOf(&record.Record); record.Kind == nft.Mint {
				minted[key] = minted[key] || !void
			}
			return void
		})
		for key, left := range minted {
			if !left {
				delete(r.Documents, key)
			}
		}
	case feed.Added:
		record := &c.Page.Items[c.Item]
		r.Records[record.ID()] = Record{record.Record, record.Block, record.Time}
	case feed.Metadata:
		delete(r.Documents, c.Token)
		if c.Document != nil {
			r.Documents[c.Token] = textOf(c.Document)
		}
	case feed.Finalized:
		r.Final = c.Block.Number
	}
}

func keyOf(r *nft.Record) nft.TokenKey {
	return nft.TokenKey{Contract: r.Contract, TokenID: r.TokenID}
}

// Compare reads the rest of the feed, and compares the copy with an export.
func (r *Reader) Compare(t testing.TB, s *read.DB) {
	t.Helper()
	for r.batch(t, s) {
	}
	inSnapshot(t, s, func(snapshot *store.Snapshot) {
		want := exported(t, snapshot, r.filter)
		if r.filter.Kinds != nil && !slices.Contains(r.filter.Kinds, feed.Metadata) || r.filter.Accounts != nil {
			want.Documents = map[nft.TokenKey]string{}
			r.Documents = map[nft.TokenKey]string{}
		}
		if diff := cmp.Diff(want.Records, r.Records); diff != "" {
			t.Fatalf("the records of a folded copy differ, filter %v (-database +copy):\n%s", r.filter, diff)
		}
		if diff := cmp.Diff(want.Documents, r.Documents); diff != "" {
			t.Fatalf("the documents of a folded copy differ, filter %v (-database +copy):\n%s", r.filter, diff)
		}
	})
}

// exported returns the records and documents of the database that a filter selects.
func exported(t testing.TB, s *store.Snapshot, f feed.Filter) Copy {
	t.Helper()
	c := Copy{Records: map[string]Record{}, Documents: map[nft.TokenKey]string{}}
	for _, kind := range []nft.Kind{nft.Mint, nft.Burn} {
		most := s.DB.MaxPageSize()
		for args := (page.Args{First: &most}); ; {
			p, err := s.Page(store.Filter{Kind: kind, Partial: true}, args)
			if err == nil {
				err = p.Read(t.Context(), nil)
			}
			if err != nil {
				t.Fatalf("exporting records: %v", err)
			}
			for i := range p.Items {
				if record := &p.Items[i]; selects(f, &record.Record) {
					c.Records[record.ID()] = Record{record.Record, record.Block, record.Time}
				}
			}
			if len(p.Items) < most {
				break
			}
			args.After = new(p.Cursor(len(p.Items) - 1))
		}
	}
	for after, more := (*string)(nil), true; more; {
		rows, err := listing.Of(s.Snapshot).Documents(t.Context(), nil, after, s.DB.MaxPageSize())
		if err != nil {
			t.Fatalf("exporting documents: %v", err)
		}
		for _, m := range rows.Items {
			if f.Addresses == nil || slices.Contains(f.Addresses, m.Contract) {
				c.Documents[m.TokenKey] = textOf(m)
			}
		}
		after, more = rows.Cursor, rows.More
	}
	return c
}

// selects reports whether a filter selects a record.
func selects(f feed.Filter, r *nft.Record) bool {
	account := r.From
	if r.Kind == nft.Mint {
		account = r.To
	}
	return (f.Addresses == nil || slices.Contains(f.Addresses, r.Contract)) && (f.Accounts == nil || slices.Contains(f.Accounts, account))
}

// textOf returns a document without its trait counts.
func textOf(m *store.TokenMetadata) string {
	attributes := slices.Clone(m.Attributes)
	for i := range attributes {
		attributes[i].TraitCount = ""
	}
	value := func(text *string) string {
		if text == nil {
			return "null"
		}
		return *text
	}
	return fmt.Sprint(m.Type, m.URI, m.FetchedAt, m.UpdatedAt, value(m.Name), value(m.Description), value(m.Image), value(m.ImageData), value(m.AnimationURL), attributes)
}

func inSnapshot(t testing.TB, s *read.DB, f func(*store.Snapshot)) {
	t.Helper()
	snapshot := store.NewSnapshot(s.Snapshot())
	defer func() {
		if err := snapshot.Close(); err != nil {
			t.Fatalf("closing a snapshot: %v", err)
		}
	}()
	f(snapshot)
}
