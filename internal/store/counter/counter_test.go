package counter_test

import (
	"context"
	"fmt"
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
	for name := range trees.Created() {
		known[name] = struct{}{}
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

// wantSound fails the test if a comparison finds faults.
func wantSound(t *testing.T, m *memory, s counter.Scope) {
	t.Helper()
	if faults := compare(t, m, s); len(faults) > 0 {
		t.Fatalf("scope %q: %d faults, the first of them %+v", s, len(faults), faults[0])
	}
}

// compare compares a whole tree.
func compare(t *testing.T, m *memory, s counter.Scope) (faults []counter.Fault) {
	t.Helper()
	for from, more := uint64(0), true; more; {
		c, err := counter.Compare(t.Context(), m, s, from)
		expect.NoError(t, err)
		faults, from, more = append(faults, c.Faults...), c.Next, c.More
	}
	return faults
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
}

// TestTrees_CreatedWhenNeeded checks that a scope with few records has no tree, and that
// it gets one as it grows.
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

// TestRepair damages a node, and repairs the tree until no faults are left.
func TestRepair(t *testing.T) {
	for name, damage := range map[string]func(*counter.Node) bool{
		"a leaf":          func(n *counter.Node) bool { n.N += 5; return !n.Split },
		"a leaf's amount": func(n *counter.Node) bool { n.Amount = n.Amount.Add(counter.Amount{0, 0, 0, 0, 1}); return !n.Split },
		"a node's amount": func(n *counter.Node) bool { n.Amount = n.Amount.Sub(counter.Amount{1}); return n.Split },
		"a node":          func(n *counter.Node) bool { n.N -= 3; return n.Split },
		"a split leaf":    func(n *counter.Node) bool { split := n.Split; n.Split = true; return !split },
		"an unsplit node": func(n *counter.Node) bool { split := n.Split; n.Split = false; return split },
		"a missing leaf":  func(n *counter.Node) bool { n.Level = -1; return true },
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
					if delete(m.nodes, key(s, stored.Level, stored.Bucket)); n.Level >= 0 {
						m.nodes[key(s, n.Level, n.Bucket)] = n
					}
					break
				}
			}
			if !found {
				t.Fatal("no such node")
			}
			faults := compare(t, m, s)
			if len(faults) == 0 {
				t.Fatal("no faults were found")
			}
			for range 4 {
				for _, f := range faults {
					trees := counter.New(m, known)
					expect.NoError(t, trees.Repair(t.Context(), s, f))
				}
				faults = compare(t, m, s)
			}
			expect.Equal(t, "faults after a repair", []counter.Fault(nil), faults)
		})
	}
}

// nodesOf returns the nodes of a scope from the root down.
func (m *memory) nodesOf(s counter.Scope) (list []counter.Node) {
	for level := range counter.Levels {
		nodes, _ := m.Nodes(context.Background(), s, level, evm.Range{To: counter.LastBlock})
		list = append(nodes, list...)
	}
	return list
}

// TestCompare_Gaps checks that records of a block without a leaf are a fault, between
// leaves of single blocks too.
func TestCompare_Gaps(t *testing.T) {
	m, s := newMemory(), counter.Filter{}.Scope()
	for n := range int64(3 * (counter.LeafSize + 1)) {
		m.records = append(m.records, record{Record: counter.Record{Block: first + uint64(n%3), Position: n}})
	}
	expect.NoError(t, counter.New(m, map[string]struct{}{}).Rebuild(t.Context(), s, counter.Node{}))
	expect.Equal(t, "faults", []counter.Fault(nil), compare(t, m, s))
	delete(m.nodes, key(s, counter.Levels-1, first+1))
	var gaps []evm.Range
	for _, f := range compare(t, m, s) {
		if f.Gap {
			gaps = append(gaps, f.Span)
		}
	}
	expect.Equal(t, "gaps", []evm.Range{{From: first + 1, To: first + 1}}, gaps)
}

// TestRebuild builds the tree of a scope that has none.
func TestRebuild(t *testing.T) {
	m, known := newMemory(), map[string]struct{}{}
	for n := range int64(3 * counter.LeafSize) {
		m.records = append(m.records, record{amount: most, Record: counter.Record{Block: first + uint64(n), Position: n}})
	}
	trees, s := counter.New(m, known), counter.Filter{}.Scope()
	expect.NoError(t, trees.Rebuild(t.Context(), s, counter.Node{}))
	if _, has := trees.Created()[string(s)]; !has {
		t.Error("the tree is not known")
	}
	wantSound(t, m, s)
	total, _, err := m.total(t.Context(), s, evm.Range{To: counter.LastBlock})
	want := counter.Tally{N: 3 * counter.LeafSize, Amount: counter.AmountOf(most).Times(3 * counter.LeafSize)}
	if total != want || err != nil {
		t.Errorf("total %v, error %v", total, err)
	}
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
