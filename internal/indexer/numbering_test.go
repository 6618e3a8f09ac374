package indexer_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/chain/recording"
	"mintburn/internal/evm"
	"mintburn/internal/indexer"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/page"
	"mintburn/internal/store/proof"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// shapes are the ways in which real chains number their logs. byPlace means that the
// stored log index is the log's position in the block instead of the node's index.
var shapes = map[string]struct {
	chaintest.Shape
	byPlace bool
}{
	"through the block":                   {},
	"in each transaction":                 {chaintest.Shape{PerTransaction: true, OtherHash: true}, true},
	"in each transaction, and provable":   {chaintest.Shape{PerTransaction: true}, true},
	"with gaps after failed transactions": {chaintest.Shape{Gaps: 2, OtherHash: true}, false},
	"with extra fields":                   {chaintest.Shape{ExtraFields: map[string]any{"timestampMillis": "0x7"}}, false},
	"with state sync":                     {chaintest.Shape{StateSync: true}, false},
}

// identities returns the log index, id and cursor of each record, which clients may keep.
func identities(t testing.TB, s *write.DB) (all []string) {
	t.Helper()
	snap := store.NewSnapshot(s.Snapshot())
	defer snap.Close()
	for _, kind := range []nft.Kind{nft.Mint, nft.Burn} {
		args := page.Args{First: ptr(1000)}
		for {
			page, err := readPage(t.Context(), snap, store.Filter{Kind: kind}, args)
			expect.NoError(t, err)
			for i := range page.Items {
				item := &page.Items[i]
				all = append(all, fmt.Sprintf("block %d %s log %d sub %d: %s %s", item.Block.Number, kind, item.LogIndex, item.SubIndex, item.ID(), page.Cursor(i)))
			}
			args.After, err = page.NextCursor(t.Context())
			expect.NoError(t, err)
			if args.After == nil {
				break
			}
		}
	}
	return all
}

// places returns the expected log indices of a node's chain, by block and kind.
func places(t testing.TB, node *chaintest.Node, byPlace bool) (all []string) {
	t.Helper()
	for _, kind := range []nft.Kind{nft.Mint, nft.Burn} {
		for _, b := range node.Blocks() {
			b.Logs = slices.Clone(b.Logs)
			for i := range b.Logs {
				if byPlace {
					b.Logs[i].Index = uint32(i)
				}
			}
			decoded, err := new(nft.Decoder).Decode(b.Header, b.Logs)
			expect.NoError(t, err)
			records := decoded.Mints
			if kind == nft.Burn {
				records = decoded.Burns
			}
			for _, r := range records {
				all = append(all, fmt.Sprintf("block %d %s log %d sub %d", b.Header.Number, kind, r.LogIndex, r.SubIndex))
			}
		}
	}
	return all
}

// lines returns a node's chain as an import file.
func lines(node *chaintest.Node) io.Reader {
	var text bytes.Buffer
	for number := range node.Blocks() {
		text.Write(append(node.Recorded(uint64(number)).Line(), '\n'))
	}
	return &text
}

// TestStep_Numbering checks, for each way in which chains number their logs, that a record
// has the same log index, id and cursor however its block was read.
func TestStep_Numbering(t *testing.T) {
	long(t)
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chainOfShape := func() *chaintest.Node {
				node := chaintest.NewNode(t, chaintest.NodeOptions{Shape: shape.Shape})
				contents := chaintest.Default()
				contents.Blocks, contents.Records, contents.TxRecords, contents.NoiseShare = 30, 12, 5, 0.2
				node.Generate(contents)
				return node
			}
			node := chainOfShape()
			random := rand.New(rand.NewPCG(1, 2))
			for range 10 {
				node.Mine([]evm.Log{mint(random.Uint64())}, nil, []evm.Log{mint(random.Uint64()), mint(random.Uint64())}, nil, []evm.Log{mint(random.Uint64())})
				// The filter selects one log of this block, which does not show its position.
				other := mint(random.Uint64())
				other.Topics = other.Topics[:3]
				node.Mine([]evm.Log{other, other}, []evm.Log{mint(random.Uint64())})
			}
			want := places(t, node, shape.byPlace)
			var first []string
			check := func(path string, s *write.DB) {
				t.Helper()
				got := identities(t, s)
				var short []string
				for _, line := range got {
					before, _, _ := bytes.Cut([]byte(line), []byte(":"))
					short = append(short, string(before))
				}
				expect.Equal(t, path, want, short)
				if first == nil {
					first = got
				}
				expect.Equal(t, path+", compared with the backfill", first, got)
			}
			for path, depths := range map[string][2]uint64{"backfill": {0, 0}, "headers": {100_000, 0}, "whole": {100_000, 100_000}} {
				final := node.Copy(t, chaintest.NodeOptions{Shape: shape.Shape, Finality: 1}, len(node.Blocks()))
				r := follow(t, storetest.SQLite(t), jsonrpc.Options{}, final)
				r.HeaderDepth, r.ReceiptsDepth = depths[0], depths[1]
				r.settle(t)
				check(path, r.store)
				verifier := &indexer.Verifier{
					Prover: r.Source.(source), Records: proof.Of(r.store), Decoder: r.Decoder, Workers: 3,
					Report: func(difference string) { t.Errorf("%s: %s", path, difference) },
				}
				if !shape.OtherHash && shape.ExtraFields == nil && !shape.StateSync {
					if _, err := verifier.Verify(t.Context(), evm.Range{To: uint64(len(node.Blocks()) - 1)}); err != nil {
						t.Errorf("%s: %v", path, err)
					}
				}
			}
			for path, depth := range map[string]uint64{"head by logs": 0, "head whole": 100_000} {
				all := len(node.Blocks())
				grown := node.Copy(t, chaintest.NodeOptions{Shape: shape.Shape, Finality: 100_000}, all)
				r := follow(t, storetest.SQLite(t), jsonrpc.Options{}, grown)
				r.ReceiptsDepth = depth
				for head := 6; head < all+6; head += 7 {
					grown.Lag(uint64(max(0, all-1-head)))
					r.settle(t)
				}
				check(path, r.store)
			}
			s, err := write.Open(context.Background(), storetest.SQLite(t), write.Options{})
			expect.NoError(t, err)
			t.Cleanup(func() { _ = s.Close() })
			recording, err := recording.Open([]string{"-"}, lines(node))
			expect.NoError(t, err)
			for item, err := range recording.Items(t.Context()) {
				expect.NoError(t, err)
				decoded, err := new(nft.Decoder).Decode(item.Block.Header, item.Block.Logs)
				expect.NoError(t, err)
				if _, err := s.Apply(t.Context(), []nft.Block{decoded}); err != nil {
					t.Fatal(err)
				}
			}
			check("import", s)
		})
	}
}
