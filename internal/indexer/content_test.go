package indexer_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/page"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// row is a record with its block.
type row struct {
	nft.Record
	Block evm.BlockRef
	Time  uint64
}

// content is the content of a database.
type content struct {
	Indexed []evm.Range
	// Headers are the headers in the compared range.
	Headers []evm.Header
	// Records are the mints and the burns, Rejected the rejected logs.
	Records  [2][]row
	Rejected []string
}

// readPage returns a page after reading it.
func readPage(ctx context.Context, snap *store.Snapshot, f store.Filter, args page.Args) (*store.RecordPage, error) {
	p, err := snap.Page(f, args)
	if err != nil {
		return nil, err
	}
	return p, p.Read(ctx, nil)
}

// walk reads all records of a filter page by page in one snapshot. It fails if their
// number differs from the total.
func walk(ctx context.Context, snap *store.Snapshot, f store.Filter) ([]row, error) {
	var rows []row
	args := page.Args{First: ptr(100)}
	for {
		page, err := readPage(ctx, snap, f, args)
		if err != nil {
			return nil, err
		}
		for _, item := range page.Items {
			rows = append(rows, row{item.Record, item.Block, item.Time})
		}
		if args.After, err = page.NextCursor(ctx); err != nil {
			return nil, err
		}
		if args.After != nil {
			continue
		}
		total, err := page.Total(ctx)
		if err == nil && total != int64(len(rows)) {
			err = fmt.Errorf("filter %+v: total %d, walked %d records", f, total, len(rows))
		}
		return rows, err
	}
}

// stored reads the database, with the headers of blocks from to to.
func (r *rig) stored(t testing.TB, from, to uint64) (c content) {
	t.Helper()
	ctx := context.Background()
	snap := store.NewSnapshot(r.store.Snapshot())
	defer snap.Close()
	about, err := snap.Chain(ctx)
	expect.NoError(t, err)
	if c.Indexed = about.Indexed; len(c.Indexed) == 0 {
		return c
	}
	for kind := range c.Records {
		c.Records[kind], err = walk(ctx, snap, store.Filter{Kind: nft.Kind(kind)})
		expect.NoError(t, err)
	}
	for number := from; number <= to; number++ {
		header, found, err := r.store.Header(ctx, number)
		expect.NoError(t, err)
		if found {
			c.Headers = append(c.Headers, header)
		}
	}
	db := raw(t, r.dsn)
	defer db.Close()
	rows, err := db.Query("SELECT id, address, tx_hash, topics, data, reason FROM rejected_logs ORDER BY id")
	expect.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var id uint64
		var address, tx, topics, data sql.RawBytes
		var reason string
		expect.NoError(t, rows.Scan(&id, &address, &tx, &topics, &data, &reason))
		c.Rejected = append(c.Rejected, fmt.Sprintf("%d/%d %x %x %x %x %s", id>>30, id&(1<<30-1), []byte(address), []byte(tx), []byte(topics), []byte(data), reason))
	}
	expect.NoError(t, errors.Join(rows.Err()))
	return c
}

// rowsOf returns the mints and the burns of a block.
func rowsOf(b nft.Block) (rows [2][]row) {
	for kind, records := range [][]nft.Record{b.Mints, b.Burns} {
		for _, r := range records {
			rows[kind] = append(rows[kind], row{r, b.Header.BlockRef, b.Header.Time})
		}
	}
	return rows
}

// canonical returns the content that a database must have for blocks from to to of a
// node's chain, computed from the node's own blocks.
func canonical(t testing.TB, node *chaintest.Node, from, to uint64) content {
	t.Helper()
	c := content{Indexed: []evm.Range{{From: from, To: to}}}
	for _, b := range decoded(t, node, from, to) {
		c.Headers = append(c.Headers, b.Header)
		for kind, rows := range rowsOf(b) {
			c.Records[kind] = append(c.Records[kind], rows...)
		}
		for _, r := range b.Rejected {
			var topics []byte
			for _, topic := range r.Log.Topics {
				topics = append(topics, topic[:]...)
			}
			c.Rejected = append(c.Rejected, fmt.Sprintf("%d/%d %x %x %x %x %s", b.Header.Number, r.Log.Index, r.Log.Address[:], r.Log.TxHash[:], topics, r.Log.Data, r.Reason))
		}
	}
	return c
}

// check compares the database with a node's chain from block From to block to:
// records, rejected logs, headers and coverage, and the totals of many filters.
func (r *rig) check(t testing.TB, node *chaintest.Node, to uint64) {
	t.Helper()
	want, got := canonical(t, node, r.From, to), r.stored(t, r.From, to)
	if r.sparse {
		want.Headers, got.Headers = nil, nil
	}
	if !reflect.DeepEqual(want, got) {
		expect.Equal(t, "stored", want, got)
	}
	r.checkTotals(t, want, to)
}

// checkHead is check up to the node's last block.
func (r *rig) checkHead(t testing.TB, node *chaintest.Node) {
	t.Helper()
	r.check(t, node, uint64(len(node.Blocks())-1))
}

// checkTotals compares the records and totals of filters that select few or many
// records with those selected from want.
func (r *rig) checkTotals(t testing.TB, want content, to uint64) {
	t.Helper()
	snap := store.NewSnapshot(r.store.Snapshot())
	defer snap.Close()
	middle := evm.Long(r.From + (to-r.From)/2)
	for kind, records := range want.Records {
		filters := []store.Filter{{ToBlock: &middle}, {FromBlock: &middle}}
		for i := 0; i < len(records); i += 1 + len(records)/3 {
			record := records[i]
			account := record.To
			if record.Kind == nft.Burn {
				account = record.From
			}
			filters = append(filters,
				store.Filter{Address: &record.Contract}, store.Filter{Address: &record.Contract, FromBlock: &middle},
				store.Filter{Account: &account}, store.Filter{Address: &record.Contract, Account: &account},
				store.Filter{Address: &record.Contract, TokenID: &record.TokenID},
				store.Filter{TransactionHash: &record.TxHash}, store.Filter{Block: &evm.BlockNumberOrHash{Hash: &record.Block.Hash}})
		}
		for _, f := range filters {
			f.Kind = nft.Kind(kind)
			got, err := walk(t.Context(), snap, f)
			expect.NoError(t, err)
			var selected []row
			for _, record := range records {
				if selects(f, record) {
					selected = append(selected, record)
				}
			}
			if !slices.Equal(selected, got) {
				t.Fatalf("filter %+v (-canonical +stored):\n%.2000s", f, cmp.Diff(selected, got))
			}
		}
	}
}

func selects(f store.Filter, r row) bool {
	account := r.To
	if r.Kind == nft.Burn {
		account = r.From
	}
	return (f.FromBlock == nil || r.Block.Number >= uint64(*f.FromBlock)) &&
		(f.ToBlock == nil || r.Block.Number <= uint64(*f.ToBlock)) &&
		(f.Address == nil || *f.Address == r.Contract) &&
		(f.Account == nil || *f.Account == account) &&
		(f.TokenID == nil || *f.TokenID == r.TokenID) &&
		(f.TransactionHash == nil || *f.TransactionHash == r.TxHash) &&
		(f.Block == nil || *f.Block.Hash == r.Block.Hash)
}

// sameContent reports whether two databases have the same content.
func sameContent(a, b content) bool { return reflect.DeepEqual(a, b) }
