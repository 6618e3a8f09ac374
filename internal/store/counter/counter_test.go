package counter_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/counter"
	"mintburn/internal/testing/expect"
)

// The tests use this many blocks from first on. In their middle, at 3<<24, a node of
// every level below the root begins.
const first, blocks = 3<<24 - 300, 600

// scopes returns a filter of each sort that selects r.
func scopes(r record) []counter.Filter {
	return []counter.Filter{
		{Kind: r.Kind},
		{Kind: r.Kind, Contract: &r.Contract},
		{Kind: r.Kind, Account: &r.Account},
		{Kind: r.Kind, Account: &r.Account, Contract: &r.Contract},
		{Kind: r.Kind, Contract: &r.Contract, Token: &r.Token},
	}
}

// most is the largest amount of a record.
var most = evm.Uint256{math.MaxUint64, math.MaxUint64, math.MaxUint64, math.MaxUint64}

// random returns a random record. More than half share one contract, account and token.
func random(rng *rand.Rand, position int64) record {
	n := rng.IntN(2) * rng.IntN(9)
	amount := evm.NewUint256(1)
	switch rng.IntN(6) {
	case 0:
		amount = most
	case 1:
		amount = evm.NewUint256(rng.Uint64N(3))
	case 2:
		for i := range amount {
			amount[i] = rng.Uint64()
		}
	}
	return record{amount: amount, Record: counter.Record{
		Account: evm.Address{byte(n)}, Contract: int64(n), Token: evm.NewUint256(uint64(n % 2)),
		Block: first + uint64(rng.IntN(blocks)), Position: position,
	}}
}

// write stores and removes records in one transaction.
func write(t *testing.T, m *memory, known map[string]struct{}, added, removed []record) {
	t.Helper()
	trees := counter.New(m, known)
	for _, r := range removed {
		m.records = slices.DeleteFunc(m.records, func(other record) bool { return other.Position == r.Position })
		trees.Add(r.Record, counter.Tally{}.Minus(r.tally()))
	}
	for _, r := range added {
		m.records = append(m.records, r)
		trees.Add(r.Record, r.tally())
	}
	expect.NoError(t, trees.Flush(t.Context()))
	for name, has := range trees.Changed() {
		if known[name] = struct{}{}; !has {
			delete(known, name)
		}
	}
}

// wantTotals compares the totals of random ranges, and each tree, with the records.
func wantTotals(t *testing.T, m *memory, rng *rand.Rand) {
	t.Helper()
	for _, f := range scopes(record{}) {
		for range 8 {
			r := evm.Range{From: first + uint64(rng.IntN(blocks))}
			r.To = r.From + uint64(rng.IntN(blocks))
			if rng.IntN(4) == 0 {
				r = evm.Range{To: counter.LastBlock}
			}
			total, counted, err := m.total(t.Context(), f.Scope(), r)
			if want := m.tally(f.Scope(), r); err != nil || total != want || counted > 2*counter.LeafSize {
				t.Fatalf("scope %q, blocks %d to %d: total %v with %d counted and error %v, want %v", f.Scope(), r.From, r.To, total, counted, err, want)
			}
		}
		wantSound(t, m, f.Scope())
	}
}

// wantSound fails the test if a scope has a tree that differs from the one that the records give.
func wantSound(t *testing.T, m *memory, s counter.Scope) {
	t.Helper()
	if stored := m.nodesOf(s); len(stored) > 0 {
		expect.Equal(t, fmt.Sprintf("nodes of scope %q", s), m.tree(s), stored)
	}
}

// tree returns the nodes that the tree of a scope must have, in the order of nodesOf.
func (m *memory) tree(s counter.Scope) (list []counter.Node) {
	records := m.of(s, evm.Range{To: counter.LastBlock})
	if len(records) <= counter.LeafSize {
		return nil
	}
	divided := map[uint64]bool{0: true} // the buckets of the level above that have parts
	for level := range counter.Levels {
		nodes, above := map[uint64]counter.Tally{}, counter.Shift(max(level-1, 0))
		for _, r := range records {
			if level == 0 || divided[r.Block>>above] {
				nodes[r.Block>>counter.Shift(level)] = nodes[r.Block>>counter.Shift(level)].Plus(r.tally())
			}
		}
		clear(divided)
		var found []counter.Node
		for _, bucket := range slices.Sorted(maps.Keys(nodes)) {
			divided[bucket] = nodes[bucket].N > counter.LeafSize
			found = append(found, counter.Node{Level: level, Bucket: bucket, Tally: nodes[bucket]})
		}
		list = append(found, list...)
	}
	return list
}

// TestRebuild_Portions builds a tree from more records than are counted at once, many of them in
// one block.
func TestRebuild_Portions(t *testing.T) {
	m, s, one := newMemory(), counter.Filter{}.Scope(), evm.NewUint256(1)
	add := func(block uint64, records int) {
		for range records {
			m.records = append(m.records, record{amount: one, Record: counter.Record{Block: block}})
		}
	}
	for block := range uint64(120_000) {
		add(block*block%(1<<26), 1)
	}
	add(1<<25+7, 230_000)
	add(1<<26+1, counter.LeafSize)
	trees := counter.New(m, nil)
	expect.NoError(t, trees.Rebuild(t.Context(), s))
	expect.NoError(t, trees.Flush(t.Context()))
	expect.Equal(t, "nodes", m.tree(s), m.nodesOf(s))
}

// TestTrees_RandomHistories adds and removes records in random order.
func TestTrees_RandomHistories(t *testing.T) {
	rng, m, known, next := rand.New(rand.NewPCG(1, 2)), newMemory(), map[string]struct{}{}, int64(0)
	for range 12 {
		var added, removed []record
		for range rng.IntN(900) {
			added, next = append(added, random(rng, next)), next+1
		}
		if len(m.records) > 0 && rng.IntN(2) == 0 {
			removed = slices.Clone(m.records[:rng.IntN(len(m.records))])
		}
		write(t, m, known, added, removed)
		wantTotals(t, m, rng)
	}
	if len(known) < 5 {
		t.Errorf("only %d trees", len(known))
	}
	write(t, m, known, nil, slices.Clone(m.records))
	wantTotals(t, m, rng)
	if len(known) > 0 || len(m.nodes) > 0 {
		t.Errorf("%d trees and %d nodes of no record", len(known), len(m.nodes))
	}
}

// TestTrees_CreatedWhenNeeded checks that a scope with few records has no tree, that it gets
// one as it grows, and that it loses it.
func TestTrees_CreatedWhenNeeded(t *testing.T) {
	m, known, all := newMemory(), map[string]struct{}{}, string(counter.Filter{}.Scope())
	for n := range int64(9 * counter.LeafSize) {
		write(t, m, known, []record{{Record: counter.Record{Block: first + uint64(n)%7, Position: n}}}, nil)
		if _, has := known[all]; has && n < counter.LeafSize {
			t.Fatalf("a tree for %d records", n+1)
		}
	}
	if _, has := known[all]; !has {
		t.Error("no tree")
	}
	wantSound(t, m, counter.Scope(all))
	write(t, m, known, nil, slices.Clone(m.records[counter.LeafSize+1:]))
	wantSound(t, m, counter.Scope(all))
	if _, has := known[all]; !has {
		t.Errorf("no tree for %d records", len(m.records))
	}
	write(t, m, known, nil, slices.Clone(m.records[:1]))
	if len(known) > 0 || len(m.nodes) > 0 {
		t.Errorf("%d trees and %d nodes for %d records", len(known), len(m.nodes), len(m.records))
	}
}

// TestTrees_Recount checks that Recount includes changes that were not passed to Add.
func TestTrees_Recount(t *testing.T) {
	m, known := newMemory(), map[string]struct{}{}
	var records []record
	for n := range int64(4 * counter.LeafSize) {
		records = append(records, record{Record: counter.Record{Block: first + uint64(n)%4, Position: n}})
	}
	write(t, m, known, records, nil)
	// Delete two records of a block without a call of Add, and write one of them again.
	m.records = slices.DeleteFunc(m.records, func(r record) bool { return r.Position == 0 || r.Position == 4 })
	trees := counter.New(m, known)
	m.records = append(m.records, records[0])
	trees.Add(records[0].Record, records[0].tally())
	expect.NoError(t, trees.Recount(t.Context(), first))
	expect.NoError(t, trees.Flush(t.Context()))
	for _, f := range scopes(record{}) {
		wantSound(t, m, f.Scope())
	}
}

// TestRebuild damages a node, and rebuilds the tree.
func TestRebuild(t *testing.T) {
	for name, damage := range map[string]func(*counter.Node) bool{
		"a leaf": func(n *counter.Node) bool { n.N += 5; return !isSplit(*n) },
		"a leaf's amount": func(n *counter.Node) bool {
			n.Amount = n.Amount.Add(counter.Amount{0, 0, 0, 0, 1})
			return !isSplit(*n)
		},
		"a node's amount": func(n *counter.Node) bool { n.Amount = n.Amount.Sub(counter.Amount{1}); return isSplit(*n) },
		"a node":          func(n *counter.Node) bool { n.N -= 3; return isSplit(*n) },
		"a split leaf":    func(n *counter.Node) bool { split := isSplit(*n); n.N += counter.LeafSize; return !split },
		"an unsplit node": func(n *counter.Node) bool { split := isSplit(*n); n.N = 1; return split },
		"a missing node":  func(n *counter.Node) bool { n.Level = -1; return true },
		"a node of no tree": func(n *counter.Node) bool {
			n.Bucket += 1 << 20
			return true
		},
		"a node of no block": func(n *counter.Node) bool { n.Bucket |= 1 << 60; return true },
		"an empty leaf":      func(n *counter.Node) bool { n.Tally, n.Bucket = counter.Tally{}, n.Bucket+blocks; return n.Level == 4 },
	} {
		t.Run(name, func(t *testing.T) {
			rng, m, known := rand.New(rand.NewPCG(3, 4)), newMemory(), map[string]struct{}{}
			var records []record
			for n := range int64(5_000) {
				records = append(records, random(rng, n))
			}
			write(t, m, known, records, nil)
			s := counter.Filter{}.Scope()
			found := false
			for _, n := range m.nodesOf(s) {
				stored := n
				if n.Level > 0 && damage(&n) {
					found = true
					if n.Bucket == stored.Bucket {
						delete(m.nodes, key(s, stored.Level, stored.Bucket))
					}
					if n.Level >= 0 {
						m.nodes[key(s, n.Level, n.Bucket)] = n
					}
					break
				}
			}
			if !found {
				t.Fatal("no such node")
			}
			trees := counter.New(m, known)
			expect.NoError(t, trees.Rebuild(t.Context(), s))
			expect.NoError(t, trees.Flush(t.Context()))
			wantSound(t, m, s)
		})
	}
}

func isSplit(n counter.Node) bool { return n.N > counter.LeafSize && n.Level < counter.Levels-1 }

// nodesOf returns the nodes of a scope from the root down.
func (m *memory) nodesOf(s counter.Scope) (list []counter.Node) {
	for level := range counter.Levels {
		nodes, _ := m.Nodes(context.Background(), s, level, evm.Range{To: counter.LastBlock})
		list = append(nodes, list...)
	}
	return list
}

func TestScope_FilterIsInverse(t *testing.T) {
	account, contract, token := evm.Address{1, 2}, int64(7), evm.NewUint256(1<<40)
	for _, f := range scopes(record{Record: counter.Record{Kind: nft.Burn, Account: account, Contract: contract, Token: token}}) {
		s := f.Scope()
		again, ok := s.Filter()
		if !ok || fmt.Sprint(again.Scope()) != fmt.Sprint(s) {
			t.Errorf("%q: read as %+v, %t", s, again, ok)
		}
		for n := range s {
			if _, ok := s[:n].Filter(); ok && n != 2 {
				t.Errorf("%q is read", s[:n])
			}
		}
		of, level, bucket, ok := counter.ParseKey(counter.Key(s, 5, 1<<33-1))
		expect.Equal(t, "key", fmt.Sprint(s, 5, 1<<33-1, true), fmt.Sprint(of, level, bucket, ok))
		if _, _, _, ok := counter.ParseKey(counter.Key(s, 6, 0)); ok {
			t.Errorf("level 6 of %q is read", s)
		}
		if _, ok := append(s, 0).Filter(); ok {
			t.Errorf("%q and a byte is read", s)
		}
	}
	for _, s := range []string{"", "\x00", "\x02*", "\x00x"} {
		if _, ok := counter.Scope(s).Filter(); ok {
			t.Errorf("%q is read", s)
		}
	}
}
