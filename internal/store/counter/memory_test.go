package counter_test

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/counter"
)

// record is what a counter knows of a mint or burn.
type record struct {
	kind     nft.Kind
	account  evm.Address
	contract int64
	token    evm.Uint256
	block    uint64
	position int64
}

// memory has records and counters, as a database does.
type memory struct {
	records []record
	nodes   map[string]counter.Node
	// reads is how many nodes were read.
	reads int
}

var (
	_ counter.Rows   = (*memory)(nil)
	_ counter.Reader = (*memory)(nil)
)

func newMemory() *memory { return &memory{nodes: map[string]counter.Node{}} }

func key(s counter.Scope, level int, bucket uint64) string {
	return string(append(bytes.Clone(s), byte(level), byte(bucket>>32), byte(bucket>>24), byte(bucket>>16), byte(bucket>>8), byte(bucket)))
}

func (m *memory) Nodes(_ context.Context, s counter.Scope, level int, buckets evm.Range) (list []counter.Node, _ error) {
	prefix := key(s, level, 0)
	for name, n := range m.nodes {
		if len(name) == len(prefix) && name[:len(prefix)-5] == prefix[:len(prefix)-5] && buckets.From <= n.Bucket && n.Bucket <= buckets.To {
			list = append(list, n)
		}
	}
	m.reads += len(list)
	slices.SortFunc(list, func(a, b counter.Node) int { return cmp.Compare(a.Bucket, b.Bucket) })
	return list, nil
}

func (m *memory) Save(_ context.Context, changes []counter.Change) error {
	for _, c := range changes {
		m.nodes[key(c.Scope, c.Level, c.Bucket)] = c.Node
	}
	return nil
}

// of returns the records of a scope in a range of blocks, in order.
func (m *memory) of(s counter.Scope, blocks evm.Range) (list []record) {
	f, ok := s.Filter()
	for _, r := range m.records {
		if ok && r.kind == f.Kind && blocks.From <= r.block && r.block <= blocks.To &&
			(f.Account == nil || *f.Account == r.account) && (f.Contract == nil || *f.Contract == r.contract) && (f.Token == nil || *f.Token == r.token) {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b record) int { return cmp.Compare(a.block, b.block) })
	return list
}

func (m *memory) CountEach(ctx context.Context, s counter.Scope, blocks []evm.Range) (counts []int64, _ error) {
	for _, r := range blocks {
		n, _ := m.Count(ctx, s, r, 0)
		counts = append(counts, n)
	}
	return counts, nil
}

func (m *memory) Count(_ context.Context, s counter.Scope, blocks evm.Range, most int64) (int64, error) {
	n := int64(len(m.of(s, blocks)))
	if most > 0 {
		n = min(n, most)
	}
	return n, nil
}

func (m *memory) CountBuckets(_ context.Context, s counter.Scope, blocks evm.Range, shift uint, most int64) (counts []counter.Count, _ error) {
	list, numbers := m.of(s, blocks), map[uint64]int64{}
	for _, r := range list[:min(int64(len(list)), most)] {
		numbers[r.block>>shift]++
	}
	for _, bucket := range slices.Sorted(maps.Keys(numbers)) {
		counts = append(counts, counter.Count{Bucket: bucket, N: numbers[bucket]})
	}
	return counts, nil
}

// total totals a range of blocks of a scope, by its tree if there is one. counted
// is how many records were counted beside the tree.
func (m *memory) total(ctx context.Context, s counter.Scope, blocks evm.Range) (n int64, counted int, err error) {
	stored := map[counter.Part]counter.Sum{}
	for _, p := range counter.Parts(blocks) {
		nodes, err := m.Nodes(ctx, s, p.Level, p.Buckets)
		if err != nil {
			return 0, 0, err
		}
		sum := counter.Sum{}
		for _, n := range nodes {
			sum = counter.Sum{N: sum.N + n.N, Split: sum.Split || n.Split}
		}
		if len(nodes) > 0 {
			stored[p] = sum
		}
	}
	n, uncounted, found := counter.Total(blocks, stored)
	if !found {
		return int64(len(m.of(s, blocks))), 0, nil
	}
	for _, r := range uncounted {
		counted += len(m.of(s, r))
	}
	return n + int64(counted), counted, nil
}
