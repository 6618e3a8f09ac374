package store_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/listing"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// walkSources reads the documents by pages of a size, as they were fetched.
func walkSources(t *testing.T, snap *store.Snapshot, address *evm.Address, limit int) (list []*nft.Document) {
	t.Helper()
	after := (*string)(nil)
	for more := true; more; {
		rows, err := listing.Of(snap.Snapshot).Sources(t.Context(), address, after, limit)
		expect.NoError(t, err)
		bytes := 0
		for _, d := range rows.Items {
			bytes += len(d.Raw)
		}
		if bytes > 16<<20 || len(rows.Items) > limit || rows.More && len(rows.Items) == 0 {
			t.Fatalf("%d documents with %d bytes, more: %v", len(rows.Items), bytes, rows.More)
		}
		list, after, more = append(list, rows.Items...), rows.Cursor, rows.More
	}
	return list
}

// TestListings_Sources walks the documents of collections and tokens, small and large ones. Those
// without a document are left out.
func TestListings_Sources(t *testing.T) {
	skipShort(t)
	onBoth(t, func(t *testing.T, dsn string) {
		s, c, q := openQueue(t, dsn)
		apply(t, s, []nft.Block{drop(100, collection(4), 1, 1), drop(101, collection(2), 1, 3), drop(102, collection(8), 1, 1)})
		for tasks := claimAny(t, q, 10); len(tasks) > 0; tasks = claimAny(t, q, 10) {
			for _, task := range tasks {
				r := c.failed(task, "no document", 0)
				if task.OfCollection {
					r.Collection = &nft.CollectionResult{Name: ptr("Failed")}
				}
				finish(t, q, r)
			}
		}
		var want []*nft.Document
		for n := range 8 {
			d := &nft.Document{TokenKey: nft.TokenKey{Contract: collection(n)}, OfCollection: true, FetchedAt: c.now + uint64(n), URI: "", Raw: `{"name":"\1"}`}
			if n >= 2 {
				d.Raw, d.Symbol = strings.Repeat("é", 3<<20), ptr("S")
			}
			if n == 3 {
				d.Raw, d.Name, d.URI = "{}", ptr("Named"), "u"
			}
			want = append(want, d)
			if n == 4 {
				continue
			}
			for i, id := range integers() {
				d := &nft.Document{TokenKey: nft.TokenKey{Contract: collection(n), TokenID: id}, FetchedAt: uint64(5 + i), URI: "u", Raw: `{"name":"\\"}`, Type: nft.ERC721}
				if n == 3 {
					d.URI, d.Type = "{id}", nft.ERC1155
				}
				if n == 5 && i%9 == 0 {
					d.Raw = strings.Repeat("é", 2<<20)
				}
				want = append(want, d)
			}
		}
		for _, d := range want {
			if d.OfCollection {
				_, err := write.PutCollections(t.Context(), s, []nft.Resolution{{
					Task: nft.Task{TokenKey: d.TokenKey, OfCollection: true}, At: d.FetchedAt, URI: d.URI,
					Collection: &nft.CollectionResult{Document: &nft.CollectionMetadata{}, Raw: d.Raw, Name: d.Name, Symbol: d.Symbol},
				}})
				expect.NoError(t, err)
				continue
			}
			expect.NoError(t, s.PutMetadata(t.Context(), []nft.TokenMetadata{{TokenKey: d.TokenKey, Type: d.Type, FetchedAt: d.FetchedAt, URI: d.URI, Raw: d.Raw}}))
		}
		// A former name stays where no document has another.
		want[slices.IndexFunc(want, func(d *nft.Document) bool { return d.Contract == collection(4) })].Name = ptr("Failed")
		want[slices.IndexFunc(want, func(d *nft.Document) bool { return d.Contract == collection(2) })].Name = ptr("Failed")
		each(t, s, func(snap *store.Snapshot) {
			same := gocmp.Options{cmpopts.EquateComparable(evm.Uint256{}), cmpopts.EquateComparable(evm.Address{})}
			for _, limit := range []int{1, 10, 1000} {
				for n := range 8 {
					address := collection(n)
					of := slices.DeleteFunc(slices.Clone(want), func(d *nft.Document) bool { return d.Contract != address })
					expect.Equal(t, "a collection", of, walkSources(t, snap, &address, limit), same)
				}
				// Collections 4 and 2 were stored first.
				all := slices.Clone(want)
				slices.SortStableFunc(all, func(a, b *nft.Document) int {
					order := func(d *nft.Document) int {
						at := slices.Index([]evm.Address{collection(4), collection(2)}, d.Contract)
						if at < 0 {
							at = 2
						}
						if !d.OfCollection {
							at += 10
						}
						return at
					}
					return cmp.Compare(order(a), order(b))
				})
				expect.Equal(t, "all", all, walkSources(t, snap, nil, limit), same)
			}
			one, other := collection(0), collection(1)
			rows, err := listing.Of(snap.Snapshot).Sources(t.Context(), &one, nil, 2)
			expect.NoError(t, err)
			_, err = listing.Of(snap.Snapshot).Sources(t.Context(), &other, rows.Cursor, 2)
			wantCode(t, "a cursor of another collection", err, apierror.InvalidCursor)
			_, err = listing.Of(snap.Snapshot).Documents(t.Context(), &one, rows.Cursor, 2)
			wantCode(t, "a cursor of another listing", err, apierror.InvalidCursor)
			nobody := collection(unknown)
			expect.Equal(t, "documents of an unknown collection", 0, len(walkSources(t, snap, &nobody, 5)))
		})
	})
}
