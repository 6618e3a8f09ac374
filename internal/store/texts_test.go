package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/ent/token"
	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/page"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// sized returns metadata with texts of about n bytes, each of which begins with its name.
func sized(key nft.TokenKey, n int) nft.TokenMetadata {
	text := func(name string) string { return name + key.TokenID.String() + strings.Repeat("é", n/2) }
	return nft.TokenMetadata{
		TokenKey: key, Type: nft.ERC721, State: nft.Resolved, FetchedAt: 5, UpdatedAt: 5, URI: text("uri"), Raw: text("raw"),
		Metadata: nft.Metadata{
			Name: ptr(text("name")), Description: ptr(text("description")), Image: ptr(text("image")), ExternalURL: ptr(text("external")),
			ImageData: ptr(text("data")), BackgroundColor: ptr(text("color")), YoutubeURL: ptr(text("video")), AnimationURL: ptr(text("animation")),
			Attributes: []nft.Attribute{
				{TraitType: "a \"trait\" \\", Value: text("value"), MaxValue: ptr(1e21), Order: 1}, {TraitType: "\u2028\b", TraitCount: ptr(evm.Long(7)), Order: 3},
			},
		},
	}
}

// only returns m with only the selected texts.
func only(m nft.TokenMetadata, texts read.Texts) *nft.TokenMetadata {
	for text, clear := range map[read.Texts]func(){
		read.TextAttributes: func() { m.Attributes = nil }, read.TextURI: func() { m.URI = "" }, read.TextRaw: func() { m.Raw = "" },
	} {
		if texts&text == 0 {
			clear()
		}
	}
	for _, text := range tables.Texts {
		if texts&read.TextOf(text.Column) == 0 {
			*text.Of(&m.Metadata) = nil
		}
	}
	return &m
}

// TestTexts_Selected checks that only the selected texts of a token are read, unchanged,
// whether they are long or short.
func TestTexts_Selected(t *testing.T) {
	onStores(t, func(t *testing.T, s *write.DB, dsn string) {
		var items []nft.TokenMetadata
		for i, size := range []int{0, 10, 700, 800, 20_000} {
			items = append(items, sized(nft.TokenKey{Contract: collection(0), TokenID: evm.NewUint256(uint64(i))}, size))
		}
		expect.NoError(t, s.PutMetadata(t.Context(), items))
		var wrong int
		if err := raw(t, dsn).QueryRowContext(t.Context(), `SELECT count(*) FROM tokens WHERE text_bytes <> octet_length(name) + octet_length(description) + octet_length(image) +
			octet_length(external_url) + octet_length(image_data) + octet_length(background_color) + octet_length(youtube_url) + octet_length(animation_url) +
			octet_length(attributes) + octet_length(uri) + octet_length(raw)`).Scan(&wrong); err != nil || wrong > 0 {
			t.Errorf("%d tokens have another length than is stored, error %v", wrong, err)
		}
		sets := []read.Texts{0, read.AllTexts &^ read.TextAttributes, read.AllTexts, read.TextOf(token.FieldName) | read.TextRaw, read.TraitCounts}
		for text := read.Texts(1); text < read.TraitCounts; text <<= 1 {
			sets = append(sets, text, read.AllTexts&^text)
		}
		snap := snapshot(t, s)
		for _, texts := range sets {
			p, err := snap.MetadataPage(collection(0), nil, page.Args{}, texts)
			expect.NoError(t, err)
			expect.NoError(t, p.Read(t.Context(), nil))
			for i, m := range p.Items {
				if one := texts < read.TextDisplayTypes && texts&(texts-1) == 0 && texts > 0; one && i > 0 && m.Bytes == 0 {
					t.Errorf("texts %b of token %s are not counted", texts, m.TokenID)
				}
			}
			var want []*nft.TokenMetadata
			for _, m := range items {
				m.Attributes = append([]nft.Attribute(nil), m.Attributes...)
				if texts&read.TraitCounts != 0 {
					m.Attributes[0].TraitCount = ptr(evm.Long(len(items)))
				}
				want = append(want, only(m, texts))
			}
			if diff := cmp.Diff(want, plainAll(t, p.Items), sameMetadata); diff != "" {
				t.Fatalf("texts %b (-want +got):\n%.2000s", texts, diff)
			}
		}
	})
}

// TestTexts_URIOfAFailedToken has a long URI and an empty one.
func TestTexts_URIOfAFailedToken(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s, c := open(t, dsn, write.Options{}), newClock()
		apply(t, s, []nft.Block{drop(100, collection(1), 5, 1), drop(101, collection(1), 6, 1)})
		q := c.queue(s)
		uris := map[string]string{"5": strings.Repeat("é", 50_000), "6": ""}
		var keys []nft.TokenKey
		for _, task := range claim(t, q, 2) {
			r := c.failed(task, "no", 0)
			r.URI = uris[task.TokenID.String()]
			finish(t, q, r)
			keys = append(keys, task.TokenKey)
		}
		snap := snapshot(t, s)
		for texts, read := range map[read.Texts]bool{read.TextRaw: false, read.TextURI: true, read.AllTexts: true} {
			found, err := snap.MetadataOf(t.Context(), keys, texts)
			expect.NoError(t, err)
			for _, key := range keys {
				want := ""
				if read {
					want = uris[key.TokenID.String()]
				}
				if got := found[key]; got == nil || got.URI != want || got.Error != "no" {
					t.Errorf("texts %b of token %s: %+v, want a URI of %d bytes", texts, key.TokenID, got, len(want))
				}
			}
		}
	})
}

// budget is a memory budget for texts, in bytes.
type budget struct{ left int64 }

func (b *budget) hold(n int64) (int64, error) {
	if n > b.left {
		return n - b.left, nil
	}
	b.left -= n
	return 0, nil
}

// TestTexts_Bound checks that a page of texts that exceeds the budget is refused before the
// texts are read, and that a page of as many items as the error says is read.
func TestTexts_Bound(t *testing.T) {
	const tokens, size = 10, 100_000
	onBoth(t, func(t *testing.T, dsn string) {
		sent := &statements{}
		s := openNoting(t, dsn, sent)
		var items []nft.TokenMetadata
		var blocks []nft.Block
		for id := range uint64(tokens) {
			m := sized(nft.TokenKey{Contract: collection(1), TokenID: evm.NewUint256(id)}, 0)
			m.Image = ptr(strings.Repeat("i", size))
			if id == 0 {
				m.Image = ptr(strings.Repeat("i", 5*size/2))
			}
			items, blocks = append(items, m), append(blocks, drop(100+id, collection(1), id, 1))
		}
		apply(t, s, blocks)
		expect.NoError(t, s.PutMetadata(t.Context(), items))
		listed := func(snap *store.Snapshot, args page.Args) error {
			p, err := snap.MetadataPage(collection(1), nil, args, read.TextOf(token.FieldImage)|read.TextOf(token.FieldName))
			expect.NoError(t, err)
			// PostgreSQL reads the page again when it turns out to need a second statement.
			return snap.Tx.Finish(t.Context(), 1, func(ctx context.Context, _ int) error {
				return p.Read(ctx, func(context.Context) page.Selected { return page.Selected{} })
			})
		}
		nested := func(snap *store.Snapshot, args page.Args) error {
			p := pageOf(t, snap, store.Filter{}, args)
			_, err := p.Metadata(t.Context(), allTexts)
			return err
		}
		for _, test := range []struct {
			name string
			ask  func(*store.Snapshot, page.Args) error
			size func(n int) page.Args
			fit  int
			want string
		}{
			{"tokens", listed, func(n int) page.Args { return page.Args{First: &n} }, 2, "ask for first: 2"},
			{"last tokens", listed, func(n int) page.Args { return page.Args{Last: &n} }, 3, "ask for last: 3"},
			{"mints", nested, func(n int) page.Args { return page.Args{First: &n} }, 2, "ask for first: 2"},
			{"last mints", nested, func(n int) page.Args { return page.Args{Last: &n} }, 3, "ask for last: 3"},
		} {
			for n, refused := range map[int]bool{tokens: true, test.fit + 1: true, test.fit: false} {
				b := &budget{left: 4*size - 1}
				sent.take()
				var err error
				each(t, s, func(snap *store.Snapshot) {
					snap.Hold = b.hold
					err = test.ask(snap, test.size(n))
				})
				for _, st := range sent.take() {
					if refused && strings.Contains(st.query, "image") && !strings.Contains(st.query, "octet_length") {
						t.Errorf("%s: the texts are read before they are refused: %s", test.name, st.query)
					}
				}
				if !refused {
					if err != nil || b.left > size {
						t.Errorf("%s, %d: error %v, %d bytes are left", test.name, n, err, b.left)
					}
					continue
				}
				if e := wantCode(t, test.name, err, apierror.QueryTooCostly); !strings.HasSuffix(e.Message, test.want) || e.Details["fit"] != test.fit || b.left != 4*size-1 {
					t.Errorf("%s, %d: %q, fit %v, want %q", test.name, n, e.Message, e.Details["fit"], test.want)
				}
			}
		}
		// Short texts add up.
		short := sized(nft.TokenKey{Contract: collection(2), TokenID: evm.NewUint256(1)}, 500)
		expect.NoError(t, s.PutMetadata(t.Context(), []nft.TokenMetadata{short}))
		snap := snapshot(t, s)
		snap.Hold = (&budget{left: 100_000}).hold
		for range 100 {
			if _, err := snap.MetadataOf(t.Context(), []nft.TokenKey{short.TokenKey}, read.AllTexts); err != nil {
				wantCode(t, "the same again", err, apierror.QueryTooCostly)
				return
			}
		}
		t.Error("short texts never exceed the budget")
	})
}

// TestTexts_BesideDocuments checks that the memory for small fields does not depend on the
// documents next to them.
func TestTexts_BesideDocuments(t *testing.T) {
	skipShort(t)
	const tokens, size = 100, 4 << 20
	s := open(t, storetest.SQLite(t), write.Options{})
	document := strings.Repeat("d", size)
	for id := range uint64(tokens) {
		m := nft.TokenMetadata{
			TokenKey: nft.TokenKey{Contract: collection(0), TokenID: evm.NewUint256(id)}, FetchedAt: 5, URI: "u", Raw: document,
			Metadata: nft.Metadata{Name: ptr(fmt.Sprint(id)), Attributes: []nft.Attribute{{TraitType: "t", Value: "v", Order: 1}}},
		}
		expect.NoError(t, s.PutMetadata(t.Context(), []nft.TokenMetadata{m}))
	}
	read := func() {
		snap := store.NewSnapshot(s.Snapshot())
		defer snap.Close()
		p, err := snap.MetadataPage(collection(0), nil, page.Args{First: ptr(tokens)}, read.TextOf(token.FieldName)|read.TextAttributes|read.TraitCounts)
		expect.NoError(t, err)
		if err := p.Read(t.Context(), nil); err != nil || len(p.Items) != tokens || *p.Items[7].Name != "7" || p.Items[7].Attributes[0].TraitCount != "1" {
			t.Fatalf("%d tokens, error %v", len(p.Items), err)
		}
	}
	read()
	if n := allocated(read); n > 512<<10 {
		t.Errorf("reading %d names next to documents of %d bytes allocates %d bytes", tokens, size, n)
	}
}

// TestTraits_CountedWhenTheyChange checks that the numbers of distinct values are read once
// for each version of a collection's traits, whoever changes them.
func TestTraits_CountedWhenTheyChange(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		writer := open(t, dsn, write.Options{})
		sent := &statements{}
		reader := openNoting(t, dsn, sent)
		put := func(id uint64, values ...string) {
			t.Helper()
			m := nft.TokenMetadata{TokenKey: nft.TokenKey{Contract: collection(0), TokenID: evm.NewUint256(id)}, Raw: strings.Join(values, " "), FetchedAt: id}
			for i, value := range values {
				m.Attributes = append(m.Attributes, nft.Attribute{TraitType: "trait", Value: value, Order: evm.Long(i)})
			}
			expect.NoError(t, writer.PutMetadata(t.Context(), []nft.TokenMetadata{m}))
		}
		// want reads twice. The second time, the counts are cached.
		want := func(when, count string) {
			t.Helper()
			for i := range 2 {
				sent.take()
				each(t, reader, func(snap *store.Snapshot) {
					p := tokensOf(t, snap, collection(0), nil, page.Args{First: ptr(1)})
					expect.Equal(t, when, string(p.Items[0].Attributes[0].TraitCount), count)
				})
				if n := len(sent.take()); i > 0 && n != 1 {
					t.Errorf("%s: read again with %d statements, want 1", when, n)
				}
			}
		}
		put(1, "a")
		want("one value", "1")
		put(2, "b", "c")
		want("three values", "3")
		put(2, "b")
		put(3, "b")
		want("two values", "2")

		execute(t, dsn, "UPDATE traits SET distinct_values = 7")
		reader = openNoting(t, dsn, sent)
		want("damaged", "7")
		if lines, _ := checkAll(t, writer, true); len(lines) != 1 {
			t.Errorf("got %q, want one damaged count", lines)
		}
		want("repaired", "2")
	})
}
