package counter_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/expect"
	"mintburn/internal/nft"
	"mintburn/internal/store/counter"
)

// span is where the blocks of the tests are: in the middle nodes of every level
// end.
const first, blocks = 3<<24 - 300, 600

// scopes are one of each sort, of the record's values.
func scopes(r record) []counter.Filter {
	return []counter.Filter{
		{Kind: r.kind},
		{Kind: r.kind, Contract: &r.contract},
		{Kind: r.kind, Account: &r.account},
		{Kind: r.kind, Account: &r.account, Contract: &r.contract},
		{Kind: r.kind, Contract: &r.contract, Token: &r.token},
	}
}

// random is a record; half of them are of one contract and account.
func random(rng *rand.Rand, position int64) record {
	n := rng.IntN(2) * rng.IntN(9)
	return record{
		account: evm.Address{byte(n)}, contract: int64(n), token: evm.NewUint256(uint64(n % 2)),
		block: first + uint64(rng.IntN(blocks)), position: position,
	}
}

// write stores and removes records in one transaction.
func write(t *testing.T, m *memory, known map[string]struct{}, added, removed []record) {
	t.Helper()
	trees := counter.New(m, known)
	for _, r := range removed {
		m.records = slices.DeleteFunc(m.records, func(other record) bool { return other.position == r.position })
		trees.Add(r.kind, r.account, r.contract, r.token, r.block, r.position, -1)
	}
	for _, r := range added {
		m.records = append(m.records, r)
		trees.Add(r.kind, r.account, r.contract, r.token, r.block, r.position, 1)
	}
	expect.NoError(t, trees.Flush(t.Context()))
	for name := range trees.Created() {
		known[name] = struct{}{}
	}
}

// wantTotals compares totals of random ranges with the records, and each tree.
func wantTotals(t *testing.T, m *memory, rng *rand.Rand) {
	t.Helper()
	for _, f := range scopes(record{token: evm.NewUint256(0)}) {
		for range 8 {
			r := evm.Range{From: first + uint64(rng.IntN(blocks))}
			r.To = r.From + uint64(rng.IntN(blocks))
			if rng.IntN(4) == 0 {
				r = evm.Range{To: counter.LastBlock}
			}
			n, counted, err := m.total(t.Context(), f.Scope(), r)
			if want := len(m.of(f.Scope(), r)); err != nil || n != int64(want) || counted > 2*counter.LeafSize {
				t.Fatalf("scope %q, blocks %d to %d: total %d with %d counted and error %v, want %d", f.Scope(), r.From, r.To, n, counted, err, want)
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

// TestTrees_LaterThanNeeded: a scope of few records has no tree, and one that has
// grown gets one.
func TestTrees_LaterThanNeeded(t *testing.T) {
	m, known, all := newMemory(), map[string]struct{}{}, string(counter.Filter{}.Scope())
	for n := range int64(9 * counter.LeafSize) {
		write(t, m, known, []record{{block: first + uint64(n)%7, position: n}}, nil)
		if _, has := known[all]; has && n < counter.LeafSize {
			t.Fatalf("a tree for %d records", n+1)
		}
	}
	if _, has := known[all]; !has {
		t.Error("no tree")
	}
	wantSound(t, m, counter.Scope(all))
}

// TestTrees_Recount: rows that were changed by other means are counted anew.
func TestTrees_Recount(t *testing.T) {
	m, known := newMemory(), map[string]struct{}{}
	var records []record
	for n := range int64(4 * counter.LeafSize) {
		records = append(records, record{block: first + uint64(n)%4, position: n})
	}
	write(t, m, known, records, nil)
	// Two records of a block vanish, and one is written again.
	m.records = slices.DeleteFunc(m.records, func(r record) bool { return r.position == 0 || r.position == 4 })
	trees := counter.New(m, known)
	m.records = append(m.records, records[0])
	trees.Add(nft.Mint, evm.Address{}, 0, evm.Uint256{}, first, 0, 1)
	expect.NoError(t, trees.Recount(t.Context(), first))
	expect.NoError(t, trees.Flush(t.Context()))
	for _, f := range scopes(record{}) {
		wantSound(t, m, f.Scope())
	}
}

// TestRepair damages nodes, and compares and repairs until nothing differs.
func TestRepair(t *testing.T) {
	for name, damage := range map[string]func(*counter.Node) bool{
		"a leaf":          func(n *counter.Node) bool { n.N += 5; return !n.Split },
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

// nodesOf returns the nodes of a scope from the leaves up.
func (m *memory) nodesOf(s counter.Scope) (list []counter.Node) {
	for level := range counter.Levels {
		nodes, _ := m.Nodes(context.Background(), s, level, evm.Range{To: counter.LastBlock})
		list = append(nodes, list...)
	}
	return list
}

// TestCompare_Gaps: records of a block that no leaf counts are a difference, between
// leaves of single blocks too.
func TestCompare_Gaps(t *testing.T) {
	m, s := newMemory(), counter.Filter{}.Scope()
	for n := range int64(3 * (counter.LeafSize + 1)) {
		m.records = append(m.records, record{block: first + uint64(n%3), position: n})
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

// TestRebuild gives a tree to a scope that lost its own.
func TestRebuild(t *testing.T) {
	m, known := newMemory(), map[string]struct{}{}
	for n := range int64(3 * counter.LeafSize) {
		m.records = append(m.records, record{block: first + uint64(n), position: n})
	}
	trees, s := counter.New(m, known), counter.Filter{}.Scope()
	expect.NoError(t, trees.Rebuild(t.Context(), s, counter.Node{}))
	if _, has := trees.Created()[string(s)]; !has {
		t.Error("the tree is not known")
	}
	wantSound(t, m, s)
	if n, _, err := m.total(t.Context(), s, evm.Range{To: counter.LastBlock}); n != 3*counter.LeafSize || err != nil {
		t.Errorf("total %d, error %v", n, err)
	}
}

func TestScope_IsReadAsItWasWritten(t *testing.T) {
	account, contract, token := evm.Address{1, 2}, int64(7), evm.NewUint256(1<<40)
	for _, f := range scopes(record{kind: nft.Burn, account: account, contract: contract, token: token}) {
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
