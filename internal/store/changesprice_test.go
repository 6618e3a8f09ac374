package store_test

import (
	"fmt"
	"testing"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/change"
	"mintburn/internal/store/feed"
	"mintburn/internal/store/page"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// TestChanges_Scanned reads batches whose filters leave out almost all records and documents: each
// reads a bounded number and ends with more, and together they find the only ones.
func TestChanges_Scanned(t *testing.T) {
	const blocks, records = 6, 1000
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		begin, err := changesAfter(t, s, feed.Filter{}, nil, 0)
		expect.NoError(t, err)
		parent := blockHash(1, 0)
		var documents []nft.TokenMetadata
		for n := uint64(1); n <= blocks; n++ {
			b := nft.Block{Header: evm.Header{BlockRef: evm.BlockRef{Number: n, Hash: blockHash(1, n)}, ParentHash: parent, Time: 1000 + n}}
			parent = b.Header.Hash
			for i := range records {
				m := nft.Record{Kind: nft.Mint, Contract: collection(0), TokenID: evm.NewUint256(n*records + uint64(i)), Amount: evm.NewUint256(1), To: account(1), LogIndex: uint32(2 * i)}
				if n == blocks && i == records-1 {
					m.To, m.Contract = account(9), collection(1)
				}
				d := m
				d.Kind, d.From, d.To, d.LogIndex = nft.Burn, m.To, evm.Address{}, m.LogIndex+1
				b.Mints, b.Burns = append(b.Mints, m), append(b.Burns, d)
				documents = append(documents, nft.TokenMetadata{TokenKey: nft.TokenKey{Contract: m.Contract, TokenID: m.TokenID}, FetchedAt: 1, Raw: "{}"})
			}
			expect.NoError(t, s.Extend(t.Context(), []nft.Block{b}, evm.Range{From: n, To: n}, false))
		}
		expect.NoError(t, s.PutMetadata(t.Context(), documents))
		for name, c := range map[string]struct {
			filter  feed.Filter
			scanned int
			found   string
		}{
			"records":   {feed.Filter{Addresses: []evm.Address{collection(0), collection(1)}, Accounts: []evm.Address{account(9)}}, 2 * blocks * records, "[mint in 6 burn in 6]"},
			"documents": {feed.Filter{Addresses: []evm.Address{collection(1)}, Kinds: []feed.Kind{feed.Metadata}}, blocks * records, "[document of 6999: true]"},
			// What an index finds is not scanned.
			"an index": {feed.Filter{Addresses: []evm.Address{collection(1)}, Kinds: []feed.Kind{feed.Added}}, 0, "[mint in 6 burn in 6]"},
		} {
			for _, limit := range []int{1, 100} {
				var found []string
				scanned, batch := 0, begin
				for more := true; more; more = batch.More {
					batch, err = changesAfter(t, s, c.filter, &batch.Cursor, limit)
					expect.NoError(t, err)
					if batch.Scanned > apierror.MaxScanned || len(batch.Changes) == 0 && batch.More && batch.Scanned < apierror.MaxScanned-1 {
						t.Errorf("%s, limit %d: a batch of %d changes scanned %d", name, limit, len(batch.Changes), batch.Scanned)
					}
					found, scanned = append(found, describeChanges(batch.Changes)...), scanned+batch.Scanned
				}
				expect.Equal(t, name+": changes", c.found, fmt.Sprint(found))
				// The last rows are read again by the batch after a full one.
				if scanned < c.scanned || scanned > c.scanned+apierror.MaxScanned {
					t.Errorf("%s, limit %d: scanned %d, want about %d", name, limit, scanned, c.scanned)
				}
			}
			// A batch without room ends at the first change.
			batch, err := changesAfter(t, s, c.filter, &begin.Cursor, 0)
			expect.NoError(t, err)
			if len(batch.Changes) > 0 || !batch.More || batch.Scanned > apierror.MaxScanned {
				t.Errorf("%s: a batch of none has %d, more: %t, scanned %d", name, len(batch.Changes), batch.More, batch.Scanned)
			}
		}
	})
}

// TestChanges_ManyEvents reads more events than one effect has: none is lost.
func TestChanges_ManyEvents(t *testing.T) {
	const events = 10_050
	onStores(t, func(t *testing.T, s *write.DB, dsn string) {
		begin, err := changesAfter(t, s, feed.Filter{}, nil, 0)
		expect.NoError(t, err)
		var last int64
		each(t, s, func(snapshot *store.Snapshot) {
			row, _, err := change.Row(t.Context(), snapshot.Snapshot, change.Newest)
			expect.NoError(t, err)
			last = row.ID
		})
		numbers := fmt.Sprintf("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)", events)
		execute(t, dsn,
			fmt.Sprintf("INSERT INTO changes (id, nonce, at, top, final) %s SELECT i + %d, i, 1, -1, -1 FROM n", numbers, last),
			fmt.Sprintf("INSERT INTO change_events (id, event, from_block, to_block, top_before, top) %s SELECT i + %d, 'REPAIR', i, i, -1, -1 FROM n", numbers, last))
		next := uint64(1)
		for batch := begin; ; {
			batch, err = changesAfter(t, s, feed.Filter{Kinds: []feed.Kind{feed.Voided}}, &batch.Cursor, 10_000)
			expect.NoError(t, err)
			for _, c := range batch.Changes {
				if c.Blocks != (evm.Range{From: next, To: next}) {
					t.Fatalf("void blocks %v, want %d", c.Blocks, next)
				}
				next++
			}
			if !batch.More {
				break
			}
		}
		expect.Equal(t, "void blocks", uint64(events), next-1)
	})
}

// TestNames_SearchTotal totals a search up to its bound, exactly, and refuses a larger total.
func TestNames_SearchTotal(t *testing.T) {
	block, _ := manyCollections(apierror.MaxSearchTotal + 1)
	onStores(t, func(t *testing.T, s *write.DB, dsn string) {
		apply(t, s, []nft.Block{block})
		bytes := "CAST(%s AS BLOB)"
		if isPostgres(dsn) {
			bytes = "convert_to(%s, 'UTF8')"
		}
		execute(t, dsn, "INSERT INTO collection_words (id, contract_id, shared) SELECT "+fmt.Sprintf(bytes, "'aa' || id")+", id, 0 FROM contracts",
			"UPDATE collection_words SET id = "+fmt.Sprintf(bytes, "'ab'")+" WHERE contract_id = (SELECT max(contract_id) FROM collection_words)")
		each(t, s, func(snap *store.Snapshot) {
			total := func(search string) (int64, error) {
				p, err := snap.Collections(store.CollectionFilter{Search: search, Partial: true}, page.Args{First: ptr(1)})
				expect.NoError(t, err)
				expect.NoError(t, p.Read(t.Context(), nil))
				expect.Equal(t, "items of the page", 1, p.Len())
				return p.Total(t.Context())
			}
			for search, want := range map[string]int64{"aa": apierror.MaxSearchTotal, "ab": 1} {
				n, err := total(search)
				expect.NoError(t, err)
				expect.Equal(t, search, want, n)
			}
			_, err := total("a")
			wantCode(t, "one more", err, apierror.QueryTooCostly)
		})
	})
}
