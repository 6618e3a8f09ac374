package counter_test

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"mintburn/internal/evm"
	"mintburn/internal/store/counter"
)

// record is a mint or burn.
type record struct {
	counter.Record
	amount evm.Uint256
}

// tally returns the tally of r alone.
func (r record) tally() counter.Tally { return counter.Tally{N: 1, Amount: counter.AmountOf(r.amount)} }

// memory stores records and counters in memory.
type memory struct {
	records []record
	nodes   map[string]counter.Node
	// reads is the number of nodes that were read.
	reads int
}

var _ counter.Rows = (*memory)(nil)

func newMemory() *memory { return &memory{nodes: map[string]counter.Node{}} }

func key(s counter.Scope, level int, bucket uint64) string {
	return string(counter.Key(s, level, bucket))
}

func (m *memory) Nodes(_ context.Context, s counter.Scope, level int, buckets evm.Range) (list []counter.Node, _ error) {
	low, high := key(s, level, buckets.From), key(s, level, buckets.To)
	for name, n := range m.nodes {
		if low <= name && name <= high {
			list = append(list, n)
		}
	}
	m.reads += len(list)
	slices.SortFunc(list, func(a, b counter.Node) int { return cmp.Compare(a.Bucket, b.Bucket) })
	return list, nil
}

func (m *memory) Save(_ context.Context, changes []counter.Change) error {
	for _, c := range changes {
		if c.N == 0 {
			delete(m.nodes, key(c.Scope, c.Level, c.Bucket))
		}
	}
	for _, c := range changes {
		if c.N != 0 {
			m.nodes[key(c.Scope, c.Level, c.Bucket)] = c.Node
		}
	}
	return nil
}

// of returns the records of a scope in a range of blocks, in order.
func (m *memory) of(s counter.Scope, blocks evm.Range) (list []record) {
	f, ok := s.Filter()
	for _, r := range m.records {
		if ok && r.Kind == f.Kind && blocks.From <= r.Block && r.Block <= blocks.To &&
			(f.Account == nil || *f.Account == r.Account) && (f.Contract == nil || *f.Contract == r.Contract) && (f.Token == nil || *f.Token == r.Token) {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b record) int { return cmp.Compare(a.Block, b.Block) })
	return list
}

// tally adds up the records of a scope in a range of blocks.
func (m *memory) tally(s counter.Scope, blocks evm.Range) (sum counter.Tally) {
	for _, r := range m.of(s, blocks) {
		sum = sum.Plus(r.tally())
	}
	return sum
}

func (m *memory) Number(_ context.Context, s counter.Scope, most int64) (int64, error) {
	return min(m.tally(s, evm.Range{To: counter.LastBlock}).N, most), nil
}

func (m *memory) CountBlocks(_ context.Context, s counter.Scope, blocks evm.Range, most int64) (counts []counter.Count, _ error) {
	list, tallies := m.of(s, blocks), map[uint64]counter.Tally{}
	if most > 0 {
		list = list[:min(int64(len(list)), most)]
	}
	for _, r := range list {
		tallies[r.Block] = tallies[r.Block].Plus(r.tally())
	}
	for _, block := range slices.Sorted(maps.Keys(tallies)) {
		counts = append(counts, counter.Count{Block: block, Tally: tallies[block]})
	}
	return counts, nil
}

// total totals the records of a scope in a range of blocks, from its tree if it has one.
// counted is the number of records that were counted one by one to complete the tree's
// sums.
func (m *memory) total(ctx context.Context, s counter.Scope, blocks evm.Range) (total counter.Tally, counted int64, err error) {
	stored := map[counter.Part]counter.Tally{}
	for _, p := range counter.Parts(blocks) {
		nodes, err := m.Nodes(ctx, s, p.Level, p.Buckets)
		if err != nil {
			return total, 0, err
		}
		for _, n := range nodes {
			stored[p] = stored[p].Plus(n.Tally)
		}
	}
	total, uncounted, found := counter.Total(blocks, stored)
	if !found {
		return m.tally(s, blocks), 0, nil
	}
	for _, r := range uncounted {
		few := m.tally(s, r)
		total, counted = total.Plus(few), counted+few.N
	}
	return total, counted, nil
}
