package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/document"
	"mintburn/internal/store/listing"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// listing reads the rows of a listing as strings.
type exported func(snap *store.Snapshot, r listing.BlockRange, after *string, limit int) (*listing.Rows[string], error)

// texts converts the rows of a listing to strings.
func texts[T any](rows *listing.Rows[T], err error, text func(T) string) (*listing.Rows[string], error) {
	if err != nil {
		return nil, err
	}
	list := &listing.Rows[string]{Cursor: rows.Cursor, More: rows.More, Indexed: rows.Indexed}
	for _, item := range rows.Items {
		list.Items = append(list.Items, text(item))
	}
	return list, nil
}

// blockListings returns the listings of rows of blocks, by name.
func blockListings(t *testing.T) map[string]exported {
	return map[string]exported{
		"blocks": func(snap *store.Snapshot, r listing.BlockRange, after *string, limit int) (*listing.Rows[string], error) {
			rows, err := listing.Of(snap.Snapshot).Headers(t.Context(), r, after, limit)
			return texts(rows, err, headerText)
		},
		"rejected": func(snap *store.Snapshot, r listing.BlockRange, after *string, limit int) (*listing.Rows[string], error) {
			rows, err := listing.Of(snap.Snapshot).RejectedLogs(t.Context(), r, after, limit)
			return texts(rows, err, rejectedText)
		},
	}
}

func headerText(h *evm.Header) string { return fmt.Sprint(h.Number, h.Hash, h.ParentHash, h.Time) }

func rejectedText(r *listing.RejectedLog) string {
	return fmt.Sprint(r.Block.Number, r.Block.Hash, r.Time, r.Log.Index, r.Log.Address, r.Log.TxHash, r.Log.Topics, r.Log.Data, r.Reason)
}

// rowsOfBlocks returns the rows of a listing in a range of blocks.
func rowsOfBlocks(name string, blocks []nft.Block, from, to uint64) (list []string) {
	for i := range blocks {
		b := &blocks[i]
		if b.Header.Number < from || b.Header.Number > to {
			continue
		}
		if name == "blocks" {
			list = append(list, headerText(&b.Header))
			continue
		}
		for _, r := range b.Rejected {
			list = append(list, rejectedText(&listing.RejectedLog{Rejected: r, Block: b.Header.BlockRef, Time: b.Header.Time}))
		}
	}
	return list
}

// walkListing reads a listing from a cursor to its end, and returns the last cursor.
func walkListing(t *testing.T, snap *store.Snapshot, read exported, r listing.BlockRange, after *string, limit int) (list []string, last *string) {
	t.Helper()
	for more := true; more; {
		rows, err := read(snap, r, after, limit)
		expect.NoError(t, err)
		if len(rows.Items) > limit || rows.More && len(rows.Items) == 0 || len(list) > 1000 {
			t.Fatalf("%d rows of at most %d after %d others, more: %v", len(rows.Items), limit, len(list), rows.More)
		}
		list, after, more = append(list, rows.Items...), rows.Cursor, rows.More
	}
	return list, after
}

// walkListings reads a page of each listing in every way.
func walkListings(t *testing.T, snap *store.Snapshot, note func(string)) {
	t.Helper()
	for _, name := range []string{"blocks", "rejected"} {
		list := blockListings(t)[name]
		for _, r := range []listing.BlockRange{{}, {FromBlock: ptr(evm.Long(5)), ToBlock: ptr(evm.Long(500)), Partial: true}} {
			rows, err := list(snap, r, nil, 20)
			expect.NoError(t, err)
			note("export of " + name)
			_, err = list(snap, r, rows.Cursor, 20)
			expect.NoError(t, err)
			note("export of " + name + " after a cursor")
		}
	}
	for _, r := range []listing.BlockRange{{}, {FromBlock: ptr(evm.Long(5)), ToBlock: ptr(evm.Long(500)), Partial: true}} {
		rows, err := listing.Of(snap.Snapshot).Collections(t.Context(), r, nil, 20)
		expect.NoError(t, err)
		note("export of collections")
		_, err = listing.Of(snap.Snapshot).Collections(t.Context(), r, rows.Cursor, 20)
		expect.NoError(t, err)
	}
	address := collection(3)
	for _, of := range []*evm.Address{nil, &address} {
		rows, err := listing.Of(snap.Snapshot).Documents(t.Context(), of, nil, 20)
		expect.NoError(t, err)
		_, err = listing.Of(snap.Snapshot).Documents(t.Context(), of, rows.Cursor, 20)
		expect.NoError(t, err)
		note("export of metadata")
		walkSources(t, snap, of, 20)
		note("export of documents")
	}
	tokens, err := listing.Of(snap.Snapshot).Tokens(t.Context(), listing.TokenFilter{}, nil, 20)
	expect.NoError(t, err)
	_, err = listing.Of(snap.Snapshot).Tokens(t.Context(), listing.TokenFilter{}, tokens.Cursor, 20)
	expect.NoError(t, err)
	note("export of tokens")
}

// TestListings_Blocks walks blocks and rejected logs by pages of all sizes, in ranges, and
// after a reorg.
func TestListings_Blocks(t *testing.T) {
	blocks := branch(1, 1, 4, blockHash(1, 3), 60, between(3, 20))
	blocks[2].Rejected = append(blocks[2].Rejected, nft.Rejected{Log: evm.Log{Index: 1 << 29, Topics: []evm.Hash{}, Data: []byte{}}, Reason: nft.ReasonCap})
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn, write.Options{})
		apply(t, s, blocks[:50])
		type place struct {
			limit  int
			cursor *string
		}
		cursors := map[string][]place{}
		for name, list := range blockListings(t) {
			each(t, s, func(snap *store.Snapshot) {
				for _, limit := range []int{1, 3, 1000} {
					for _, r := range [][2]uint64{{0, 99}, {4, 53}, {10, 20}, {20, 20}} {
						within := listing.BlockRange{Partial: r[0] == 0}
						if !within.Partial {
							within.FromBlock, within.ToBlock = ptr(evm.Long(r[0])), ptr(evm.Long(r[1]))
						}
						got, last := walkListing(t, snap, list, within, nil, limit)
						expect.Equal(t, fmt.Sprint(name, r, limit), rowsOfBlocks(name, blocks[:50], r[0], r[1]), got)
						if r[0] == 0 {
							cursors[name] = append(cursors[name], place{limit, last})
						}
						if r[0] == 10 && last != nil {
							_, err := list(snap, listing.BlockRange{}, last, limit)
							wantCode(t, name+": a cursor of another range", err, apierror.InvalidCursor)
						}
					}
				}
				_, err := list(snap, listing.BlockRange{FromBlock: ptr(evm.Long(3))}, nil, 5)
				wantCode(t, name+" from a block that is not indexed", err, apierror.BlockNotIndexed)
				_, err = list(snap, listing.BlockRange{FromBlock: ptr(evm.Long(5)), ToBlock: ptr(evm.Long(4))}, nil, 5)
				wantCode(t, name+" from a later block", err, apierror.BadUserInput)
			})
		}
		each(t, s, func(snap *store.Snapshot) {
			_, err := blockListings(t)["rejected"](snap, listing.BlockRange{}, cursors["blocks"][0].cursor, 5)
			wantCode(t, "a cursor of blocks", err, apierror.InvalidCursor)
		})
		// Rows that were added since.
		apply(t, s, blocks[50:])
		for name, list := range blockListings(t) {
			each(t, s, func(snap *store.Snapshot) {
				for _, p := range cursors[name] {
					got, last := walkListing(t, snap, list, listing.BlockRange{Partial: true}, p.cursor, p.limit)
					expect.Equal(t, name+" since", rowsOfBlocks(name, blocks, 54, 99), got)
					cursors[name] = append(cursors[name], place{p.limit, last})
				}
			})
		}
		// A reorg of the last 30 blocks.
		other := branch(2, 2, 34, blockHash(1, 33), 25, between(3, 20))
		expect.NoError(t, s.ReplaceAbove(t.Context(), 33, other, false))
		canonical := slices.Concat(blocks[:30], other)
		for name, list := range blockListings(t) {
			each(t, s, func(snap *store.Snapshot) {
				for _, p := range cursors[name] {
					_, err := list(snap, listing.BlockRange{Partial: true}, p.cursor, p.limit)
					gone := wantCode(t, name, err, apierror.CursorReorged)
					expect.Equal(t, "retracted from", any(uint64(34)), gone.Details["retractedFromBlock"])
					rewind := gone.Details["rewindCursor"].(string)
					got, _ := walkListing(t, snap, list, listing.BlockRange{Partial: true}, &rewind, p.limit)
					expect.Equal(t, name+" from the rewind cursor", rowsOfBlocks(name, canonical, 34, 99), got)
				}
			})
		}
	})
}

// TestListings_Holes checks that a listing of all blocks is an error with the missing
// blocks, unless it may be partial.
func TestListings_Holes(t *testing.T) {
	blocks := branch(1, 1, 4, blockHash(1, 3), 30, between(3, 20))
	s := open(t, storetest.SQLite(t), write.Options{})
	apply(t, s, blocks[:10])
	apply(t, s, blocks[20:])
	for name, list := range blockListings(t) {
		each(t, s, func(snap *store.Snapshot) {
			_, err := list(snap, listing.BlockRange{}, nil, 5)
			wantCode(t, name, err, apierror.BlockNotIndexed)
			rows, err := list(snap, listing.BlockRange{Partial: true}, nil, 1000)
			expect.NoError(t, err)
			expect.Equal(t, name, append(rowsOfBlocks(name, blocks[:10], 0, 99), rowsOfBlocks(name, blocks[20:], 0, 99)...), rows.Items)
			expect.Equal(t, "indexed", []evm.Range{{From: 4, To: 13}, {From: 24, To: 33}}, rows.Indexed)
		})
	}
}

// TestListings_Documents walks documents of all collections and of each collection, small
// and large ones, and compares them with the metadata of each token.
func TestListings_Documents(t *testing.T) {
	skipShort(t)
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn, write.Options{})
		apply(t, s, branch(1, 1, 4, blockHash(1, 3), 10, between(20, 200)))
		var items []nft.TokenMetadata
		for c := range 3 {
			for i, id := range integers() {
				m := nft.TokenMetadata{TokenKey: nft.TokenKey{Contract: collection(c), TokenID: id}, FetchedAt: uint64(5 + i), URI: "u", Raw: "{}"}
				m.Attributes = []nft.Attribute{{TraitType: fmt.Sprint("t", i%2), Value: fmt.Sprint(i), Order: 1}}
				if c == 1 && i%9 == 0 {
					m.Description = ptr(strings.Repeat("é", 3<<20))
				}
				items = append(items, m)
			}
		}
		expect.NoError(t, s.PutMetadata(t.Context(), items))
		text := func(m *document.TokenMetadata) string {
			return fmt.Sprintf("%s %s %d %s %+v", m.Contract, m.TokenID, m.FetchedAt, m.URI, m.Attributes)
		}
		each(t, s, func(snap *store.Snapshot) {
			walk := func(address *evm.Address, limit int) (list []string) {
				after := (*string)(nil)
				for more := true; more; {
					rows, err := listing.Of(snap.Snapshot).Documents(t.Context(), address, after, limit)
					expect.NoError(t, err)
					bytes := 0
					for _, m := range rows.Items {
						if m.Description != nil {
							bytes += len(*m.Description)
						}
						list = append(list, text(m))
					}
					if bytes > 16<<20 || len(rows.Items) > limit {
						t.Errorf("%d documents with %d bytes of texts", len(rows.Items), bytes)
					}
					after, more = rows.Cursor, rows.More
				}
				return list
			}
			want := map[evm.Address][]string{}
			for i := range items {
				found, err := snap.MetadataOf(t.Context(), []nft.TokenKey{items[i].TokenKey}, read.AllTexts)
				expect.NoError(t, err)
				want[items[i].Contract] = append(want[items[i].Contract], text(found[items[i].TokenKey]))
			}
			for _, limit := range []int{1, 10, 1000} {
				var all []string
				for c := range 3 {
					address := collection(c)
					got := walk(&address, limit)
					expect.Equal(t, fmt.Sprintf("collection %d by %d", c, limit), want[address], got)
					all = append(all, got...)
				}
				// Collections are in the order of their numbers.
				got := walk(nil, limit)
				slices.Sort(all)
				expect.Equal(t, "all", all, slices.Sorted(slices.Values(got)))
			}
			one, other := collection(0), collection(1)
			rows, err := listing.Of(snap.Snapshot).Documents(t.Context(), &one, nil, 2)
			expect.NoError(t, err)
			_, err = listing.Of(snap.Snapshot).Documents(t.Context(), &other, rows.Cursor, 2)
			wantCode(t, "a cursor of another collection", err, apierror.InvalidCursor)
			nobody := collection(unknown)
			rows, err = listing.Of(snap.Snapshot).Documents(t.Context(), &nobody, nil, 2)
			expect.NoError(t, err)
			expect.Equal(t, "documents of an unknown collection", 0, len(rows.Items))
		})
	})
}
