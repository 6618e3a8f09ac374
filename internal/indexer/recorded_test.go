package indexer_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/apierror"
	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/evm"
	"mintburn/internal/indexer"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/page"
	"mintburn/internal/store/proof"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// play adds recorded blocks to a node's chain.
func play(t testing.TB, node *chaintest.Node, blocks []chaintest.Recorded) {
	t.Helper()
	expect.NoError(t, node.Play(blocks...))
}

// TestStep_RecordedChain indexes the recorded chain from the scripted node, at once and
// in parts.
func TestStep_RecordedChain(t *testing.T) {
	blocks, want := chaintest.Values[chaintest.Recorded](t, "chain-a/bundle.ndjson.gz"), chaintest.WantAnswers(t)
	for name, databaseOf := range storetest.Databases() {
		for _, parts := range []int{1, 7} {
			t.Run(fmt.Sprintf("%s, %d parts", name, parts), func(t *testing.T) {
				if parts > 1 {
					long(t)
				}
				node := chaintest.NewNode(t, chaintest.NodeOptions{})
				r := follow(t, databaseOf(t), jsonrpc.Options{}, node)
				for part := range slices.Chunk(blocks, (len(blocks)+parts-1)/parts) {
					play(t, node, part)
					r.settle(t)
				}
				r.checkKey(t, want, 360)
				r.checkHead(t, node)
				r.proveAll(t, node)
			})
		}
	}
}

// proveAll proves every stored block.
func (r *rig) proveAll(t testing.TB, node *chaintest.Node) {
	t.Helper()
	client, err := jsonrpc.Dial([]string{node.URL}, jsonrpc.Options{})
	expect.NoError(t, err)
	defer client.Close()
	v := &indexer.Verifier{
		Prover: client, Records: proof.Of(r.store), Decoder: new(nft.Decoder), Workers: 3,
		Report: func(difference string) { t.Error(difference) },
	}
	last := uint64(len(node.Blocks()) - 1)
	if n, err := v.Verify(t.Context(), evm.Range{From: r.From, To: last}); n.Differences > 0 || err != nil {
		t.Fatalf("%d differences, error %v", n.Differences, err)
	}
}

// abandoned is a recorded branch that was orphaned, with the expected answers.
type abandoned struct {
	LastCommonBlock uint64     `json:"last_common_block"`
	Hashes          []evm.Hash `json:"orphaned_hashes"`
	OnlyThere       evm.Hash   `json:"orphan_only_tx"`
	Orphaned        struct{ Mints, Burns []chaintest.Answer }
	Canonical       struct{ Mints, Burns int }
	InBoth          []struct {
		Tx    evm.Hash
		Block uint64 `json:"canonical_block"`
	} `json:"txs_in_both"`

	blocks []chaintest.Recorded
}

func readAbandoned(t testing.TB) []abandoned {
	t.Helper()
	all := chaintest.Values[abandoned](t, "chain-a/reorgs-expected.ndjson")
	for i, dump := range chaintest.Values[[]struct {
		LastCommonBlock uint64 `json:"last_common_block"`
		Orphaned        struct {
			Blocks   []json.RawMessage
			Receipts []struct{ Receipts []json.RawMessage }
		}
	}](t, "chain-a/reorgs.json.gz")[0] {
		if dump.LastCommonBlock != all[i].LastCommonBlock || len(dump.Orphaned.Blocks) != len(all[i].Hashes) {
			t.Fatalf("branch %d: blocks above %d and answers above %d", i, dump.LastCommonBlock, all[i].LastCommonBlock)
		}
		for j, block := range dump.Orphaned.Blocks {
			all[i].blocks = append(all[i].blocks, chaintest.Recorded{Block: block, Receipts: dump.Orphaned.Receipts[j].Receipts})
		}
	}
	return all
}

// TestStep_RecordedReorg follows each abandoned branch, and then the canonical one,
// which is shorter, as long, or longer.
func TestStep_RecordedReorg(t *testing.T) {
	long(t)
	canonical := chaintest.Values[chaintest.Recorded](t, "chain-a/bundle.ndjson.gz")
	for name, databaseOf := range storetest.Databases() {
		for _, branch := range readAbandoned(t) {
			depth := uint64(len(branch.blocks))
			for longer, head := range map[string]uint64{
				"no longer":    branch.LastCommonBlock + depth,
				"longer":       branch.LastCommonBlock + depth + 1,
				"much longer":  uint64(len(canonical) - 1),
				"even shorter": branch.LastCommonBlock + depth - 1,
			} {
				if head == branch.LastCommonBlock || name == "postgres" && longer != "longer" {
					continue
				}
				t.Run(fmt.Sprintf("%s, depth %d, %s", name, depth, longer), func(t *testing.T) {
					node := chaintest.NewNode(t, chaintest.NodeOptions{})
					r := follow(t, databaseOf(t), jsonrpc.Options{}, node)
					play(t, node, canonical[:branch.LastCommonBlock+1])
					play(t, node, branch.blocks)
					r.settleAt(t, node)
					r.checkOrphans(t, branch)
					gone := r.above(t, branch.LastCommonBlock)
					play(t, node, canonical[branch.LastCommonBlock+1:head+1])
					r.settleAt(t, node)
					r.checkFresh(t, node)
					r.checkOrphaned(t, node, branch, gone)
					play(t, node, canonical[head+1:])
					r.settle(t)
					r.checkKey(t, chaintest.WantAnswers(t), 360)
				})
			}
		}
	}
}

// checkOrphans compares the stored records of an abandoned branch, before the reorg,
// with the expected answers.
func (r *rig) checkOrphans(t testing.TB, branch abandoned) {
	t.Helper()
	var got [2][]chaintest.Answer
	for kind, records := range r.stored(t, 0, 0).Records {
		for _, record := range records {
			if record.Block.Number > branch.LastCommonBlock {
				got[kind] = append(got[kind], answerOf(record))
			}
		}
	}
	expect.Equal(t, "records of the abandoned branch", [2][]chaintest.Answer{branch.Orphaned.Mints, branch.Orphaned.Burns}, got)
}

// checkFresh compares the database with a fresh one that indexed only the canonical
// chain.
func (r *rig) checkFresh(t testing.TB, node *chaintest.Node) {
	t.Helper()
	fresh, head := follow(t, storetest.SQLite(t), jsonrpc.Options{}, node), uint64(len(node.Blocks())-1)
	fresh.settle(t)
	want, got := fresh.stored(t, 0, head), r.stored(t, 0, head)
	if !reflect.DeepEqual(want, got) {
		t.Fatalf("(-fresh +after the reorg):\n%.3000s", cmp.Diff(want, got))
	}
}

// gone is an orphaned record as a reader got it before the reorg.
type gone struct {
	filter     store.Filter
	id, cursor string
}

// above returns the records above a block, in both orders, with and without a filter by
// contract.
func (r *rig) above(t testing.TB, block uint64) (all []gone) {
	t.Helper()
	snap := store.NewSnapshot(r.store.Snapshot())
	defer snap.Close()
	add := func(f store.Filter) {
		listed, err := readPage(t.Context(), snap, f, page.Args{Last: ptr(100)})
		if f.Order == store.Desc {
			listed, err = readPage(t.Context(), snap, f, page.Args{First: ptr(100)})
		}
		expect.NoError(t, err)
		for i := range listed.Items {
			if item := &listed.Items[i]; item.Block.Number > block {
				all = append(all, gone{f, item.ID(), listed.Cursor(i)})
			}
		}
	}
	for kind, records := range r.stored(t, 0, 0).Records {
		contracts := map[evm.Address]bool{}
		for _, record := range records {
			if record.Block.Number > block {
				contracts[record.Contract] = true
			}
		}
		for _, order := range []store.Order{store.Asc, store.Desc} {
			add(store.Filter{Kind: nft.Kind(kind), Order: order})
			for contract := range contracts {
				add(store.Filter{Kind: nft.Kind(kind), Order: order, Address: &contract})
			}
		}
	}
	return all
}

// wantCode fails the test unless the error has the code, and returns the error.
func wantCode(t testing.TB, err error, code apierror.Code) *apierror.Error {
	t.Helper()
	var e *apierror.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("got %v, want an error with the code %s", err, code)
	}
	return e
}

// checkOrphaned queries the orphaned records by block hash, transaction, id and cursor.
// Cursors must be rewound.
func (r *rig) checkOrphaned(t testing.TB, node *chaintest.Node, branch abandoned, records []gone) {
	t.Helper()
	blocks, snap := node.Blocks(), store.NewSnapshot(r.store.Snapshot())
	defer snap.Close()
	if len(records) != 4*(len(branch.Orphaned.Mints)+len(branch.Orphaned.Burns)) {
		t.Fatalf("%d records were orphaned", len(records))
	}
	for i, hash := range branch.Hashes {
		number := branch.LastCommonBlock + 1 + uint64(i)
		want := map[string]any{"blockNumber": number, "canonicalHash": nil}
		if number < uint64(len(blocks)) {
			want["canonicalHash"] = blocks[number].Header.Hash.String()
		}
		for _, kind := range []nft.Kind{nft.Mint, nft.Burn} {
			_, err := readPage(t.Context(), snap, store.Filter{Kind: kind, Block: &evm.BlockNumberOrHash{Hash: &hash}}, page.Args{})
			expect.Equal(t, fmt.Sprintf("block %d %s", number, hash), want, wantCode(t, err, apierror.BlockNotCanonical).Details)
		}
	}
	if list := r.ofTransaction(t, snap, branch.OnlyThere); len(list) > 0 {
		t.Errorf("the transaction of the abandoned branch is stored: %v", list)
	}
	for _, tx := range branch.InBoth {
		if tx.Block >= uint64(len(blocks)) {
			continue
		}
		list := r.ofTransaction(t, snap, tx.Tx)
		if len(list) == 0 {
			t.Errorf("transaction %s is gone", tx.Tx)
		}
		for _, record := range list {
			if record.Block != blocks[tx.Block].Header.BlockRef {
				t.Errorf("transaction %s is in block %v, want %v", tx.Tx, record.Block, blocks[tx.Block].Header.BlockRef)
			}
		}
	}
	want := canonical(t, node, 0, uint64(len(blocks)-1))
	for _, g := range records {
		if found, err := snap.Node(t.Context(), g.id, page.Selected{}); found != nil || err != nil {
			t.Errorf("id %s: got %v and error %v", g.id, found, err)
		}
		r.checkRewind(t, snap, want, branch.LastCommonBlock, g)
	}
}

func (r *rig) ofTransaction(t testing.TB, snap *store.Snapshot, hash evm.Hash) (all []row) {
	t.Helper()
	for _, kind := range []nft.Kind{nft.Mint, nft.Burn} {
		list, err := walk(t.Context(), snap, store.Filter{Kind: kind, TransactionHash: &hash})
		expect.NoError(t, err)
		all = append(all, list...)
	}
	return all
}

// checkRewind reads on from the rewind cursor in the error for an orphaned cursor. A
// reader that drops the retracted blocks and continues there must get the canonical
// chain.
func (r *rig) checkRewind(t testing.TB, snap *store.Snapshot, canonical content, common uint64, g gone) {
	t.Helper()
	var kept, replaced []row
	for _, record := range canonical.Records[g.filter.Kind] {
		switch {
		case g.filter.Address != nil && *g.filter.Address != record.Contract:
		case record.Block.Number <= common:
			kept = append(kept, record)
		default:
			replaced = append(replaced, record)
		}
	}
	following, preceding := replaced, kept
	if g.filter.Order == store.Desc {
		slices.Reverse(kept)
		slices.Reverse(replaced)
		following, preceding = kept, replaced
	}
	for name, direction := range map[string]struct {
		args func(cursor *string, page int) page.Args
		want []row
	}{
		"after":  {func(c *string, n int) page.Args { return page.Args{After: c, First: &n} }, following},
		"before": {func(c *string, n int) page.Args { return page.Args{Before: c, Last: &n} }, preceding},
	} {
		_, err := readPage(t.Context(), snap, g.filter, direction.args(&g.cursor, 7))
		e := wantCode(t, err, apierror.CursorReorged)
		if e.Details["retractedFromBlock"] != common+1 {
			t.Fatalf("retracted from block %v, want %d", e.Details["retractedFromBlock"], common+1)
		}
		rewind, _ := e.Details["rewindCursor"].(string)
		page, err := readPage(t.Context(), snap, g.filter, direction.args(&rewind, 1000))
		if err != nil {
			t.Fatalf("%s the rewind cursor: %v", name, err)
		}
		var got []row
		for _, item := range page.Items {
			got = append(got, row{item.Record, item.Block, item.Time})
		}
		want := direction.want
		if len(want) > 1000 {
			// The page contains the records next to the cursor.
			if want = want[:1000]; name == "before" {
				want = direction.want[len(direction.want)-1000:]
			}
		}
		if !slices.Equal(want, got) {
			t.Fatalf("%s the rewind cursor of %+v: %d records, want %d, or others", name, g.filter, len(got), len(want))
		}
	}
}
