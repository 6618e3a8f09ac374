package indexer_test

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// ledger contains the records of every block of every branch.
type ledger struct {
	mu     sync.Mutex // guards blocks
	blocks map[evm.Hash]entry
	// sparse is true if the last stored header may be below the last indexed block.
	sparse bool
}

// entry is one block.
type entry struct {
	parent  evm.Hash
	records [2][]row
}

// add adds the blocks of a node that are not known yet.
func (l *ledger) add(t testing.TB, node *chaintest.Node) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.blocks == nil {
		l.blocks = map[evm.Hash]entry{}
	}
	for _, b := range node.Blocks() {
		if _, known := l.blocks[b.Header.Hash]; known {
			continue
		}
		decoded, err := new(nft.Decoder).Decode(b.Header, b.Logs)
		expect.NoError(t, err)
		l.blocks[b.Header.Hash] = entry{parent: b.Header.ParentHash, records: rowsOf(decoded)}
	}
}

// branch returns the records of the chain that ends with a block.
func (l *ledger) branch(head evm.Hash) (records [2][]row, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var path []entry
	for hash := head; hash != (evm.Hash{}); {
		e, ok := l.blocks[hash]
		if !ok {
			return records, fmt.Errorf("block %s was never mined", hash)
		}
		path = append(path, e)
		hash = e.parent
	}
	for i := len(path) - 1; i >= 0; i-- {
		for kind := range records {
			records[kind] = append(records[kind], path[i].records[kind]...)
		}
	}
	return records, nil
}

// watch reads snapshots continuously until the returned function is called. Each must
// contain exactly the records of the branch that ends with its head.
func (l *ledger) watch(t *testing.T, dsn string) (stop func()) {
	s, err := write.Open(t.Context(), dsn, write.Options{})
	expect.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	looks := 0
	go func() {
		defer close(ended)
		for ; ctx.Err() == nil && !t.Failed(); looks++ {
			if err := l.look(s); err != nil {
				t.Errorf("a reader: %v", err)
			}
		}
	}()
	return func() {
		cancel()
		<-ended
		if looks == 0 {
			t.Error("no snapshot was read")
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// look checks the records of one snapshot.
func (l *ledger) look(s *write.DB) error {
	ctx := context.Background()
	snap := store.NewSnapshot(s.Snapshot())
	defer snap.Close()
	about, err := snap.Chain(ctx)
	if err != nil || len(about.Indexed) == 0 {
		return err
	}
	if last := about.Indexed[len(about.Indexed)-1].To; !l.sparse && (about.Head == nil || about.Head.Number != last) {
		return fmt.Errorf("indexed are %v, the head is %+v", about.Indexed, about.Head)
	}
	if len(about.Indexed) > 1 || about.Indexed[0].From > 0 {
		return l.lookApart(ctx, snap, about.Indexed)
	}
	var head evm.BlockRef
	if about.Head != nil {
		head = about.Head.BlockRef
	}
	want, err := l.branch(head.Hash)
	if err != nil {
		return err
	}
	for kind := range want {
		got, err := walk(ctx, snap, store.Filter{Kind: nft.Kind(kind)})
		if err != nil {
			return err
		}
		if !reflect.DeepEqual(want[kind], got) {
			return fmt.Errorf("head %d %s: %d %ss, want those of its branch (%d)", head.Number, head.Hash, len(got), nft.Kind(kind), len(want[kind]))
		}
	}
	return nil
}

// lookApart checks ranges with gaps between them: the records of each block must be
// complete.
func (l *ledger) lookApart(ctx context.Context, snap *store.Snapshot, indexed []evm.Range) error {
	for _, r := range indexed {
		from, to := evm.Long(r.From), evm.Long(r.To)
		for _, kind := range []nft.Kind{nft.Mint, nft.Burn} {
			got, err := walk(ctx, snap, store.Filter{Kind: kind, FromBlock: &from, ToBlock: &to})
			if err != nil {
				return err
			}
			blocks := map[evm.BlockRef][]row{}
			for _, record := range got {
				blocks[record.Block] = append(blocks[record.Block], record)
			}
			l.mu.Lock()
			for block, records := range blocks {
				if want := l.blocks[block.Hash].records[kind]; !reflect.DeepEqual(want, records) {
					err = fmt.Errorf("block %d %s: %d %ss, want %d", block.Number, block.Hash, len(records), kind, len(want))
				}
			}
			l.mu.Unlock()
			if err != nil {
				return err
			}
		}
	}
	return nil
}
