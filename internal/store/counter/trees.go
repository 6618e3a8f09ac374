package counter

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// Trees updates the trees within one writing transaction. Records are written first and
// each is passed to [Trees.Add]; [Trees.Flush] then updates the trees.
type Trees struct {
	rows Rows
	// known are the scopes that had a tree before the transaction. changed has true for those
	// that got one since, and false for those that lost theirs.
	known   map[string]struct{}
	changed map[string]bool
	// deltas are the changes to scopes that have a tree, by block.
	deltas map[string]map[uint64]Tally
	// candidates are scopes without a tree that may need one by now.
	candidates map[string]struct{}
	unsaved    []Change
}

// maxUnsaved is the number of changed nodes that are saved together.
const maxUnsaved = 2_048

// New returns the trees of a transaction. known are the scopes that have a tree; the map
// is read until the end of the transaction.
func New(rows Rows, known map[string]struct{}) *Trees {
	return &Trees{rows: rows, known: known, changed: map[string]bool{}, deltas: map[string]map[uint64]Tally{}, candidates: map[string]struct{}{}}
}

// Changed has true for the scopes that got a tree in this transaction, and false for those that
// lost theirs.
func (t *Trees) Changed() map[string]bool { return t.changed }

// Record has the fields of a mint or burn that the trees use.
type Record struct {
	Kind nft.Kind
	// Account received a mint or sent a burn.
	Account  evm.Address
	Contract int64
	Token    evm.Uint256
	Block    uint64
	Position int64
}

// Add notes a change of a record: {1, its amount} if it was stored, the negative of that
// if it was removed, {0, the difference} if its amount is not the one that the trees
// counted.
func (t *Trees) Add(r Record, delta Tally) {
	// One record in 128 makes its scopes candidates for a tree. A scope then gets
	// its tree at most a few hundred records late, and the look-ups cost almost
	// nothing.
	sampled := delta.N > 0 && mix(uint64(r.Position))>>57 == 0
	for _, f := range [...]Filter{
		{Kind: r.Kind},
		{Kind: r.Kind, Contract: &r.Contract},
		{Kind: r.Kind, Account: &r.Account},
		{Kind: r.Kind, Account: &r.Account, Contract: &r.Contract},
		{Kind: r.Kind, Contract: &r.Contract, Token: &r.Token},
	} {
		s := f.Scope()
		if deltas, ok := t.deltas[string(s)]; ok {
			deltas[r.Block] = deltas[r.Block].Plus(delta)
		} else if t.has(s) {
			t.deltas[string(s)] = map[uint64]Tally{r.Block: delta}
		} else if sampled {
			t.candidates[string(s)] = struct{}{}
		}
	}
}

// mix hashes x, so that patterns in its values do not matter. It is the finalizer of
// SplitMix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Flush applies the changes that [Trees.Add] noted, and creates the trees that are needed
// by now.
func (t *Trees) Flush(ctx context.Context) error {
	if err := t.Apply(ctx); err != nil {
		return err
	}
	// In this order a scope comes after the one that contains it.
	for _, name := range slices.Sorted(maps.Keys(t.candidates)) {
		// A scope without a tree has few records, and so has every part of it.
		if whole := Scope(name).whole(); whole != nil && !t.has(whole) {
			continue
		}
		if err := t.createIfLarge(ctx, Scope(name)); err != nil {
			return err
		}
	}
	return t.save(ctx)
}

// createIfLarge creates the tree of a scope that has none, if it has enough records.
func (t *Trees) createIfLarge(ctx context.Context, s Scope) error {
	few, err := t.rows.Number(ctx, s, LeafSize+1)
	if err != nil || few <= LeafSize {
		return err
	}
	return t.Create(ctx, s)
}

// has reports whether a scope has a tree.
func (t *Trees) has(s Scope) bool {
	now, changed := t.changed[string(s)]
	_, before := t.known[string(s)]
	return now || before && !changed
}

// Create creates the tree of a scope of more than [LeafSize] records that has none.
func (t *Trees) Create(ctx context.Context, s Scope) error {
	t.changed[string(s)] = true
	return t.build(ctx, s, Node{}, 0)
}

// Rebuild replaces the tree of a scope, which no other call changes in the transaction, by the
// one that the records give, if any.
func (t *Trees) Rebuild(ctx context.Context, s Scope) error {
	if err := t.drop(ctx, s, Node{}); err != nil {
		return err
	}
	return t.createIfLarge(ctx, s)
}

// Apply applies the changes that [Trees.Add] noted since the last call.
func (t *Trees) Apply(ctx context.Context) error {
	// The new trees are read below.
	if err := t.save(ctx); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(t.deltas)) {
		roots, err := t.rows.Nodes(ctx, Scope(name), 0, evm.Range{})
		if err != nil {
			return err
		}
		if len(roots) == 0 {
			// Another program has removed the tree. Without it, totals are counted.
			t.changed[name] = false
			continue
		}
		deltas := t.deltas[name]
		if err := t.grow(ctx, Scope(name), roots[0], slices.Sorted(maps.Keys(deltas)), deltas); err != nil {
			return err
		}
	}
	clear(t.deltas)
	return t.save(ctx)
}

// Recount replaces the changes that [Trees.Add] noted, which must all be of this block,
// by the difference between the stored records and the trees.
func (t *Trees) Recount(ctx context.Context, block uint64) error {
	for name, deltas := range t.deltas {
		leaf, err := t.leaf(ctx, Scope(name), block)
		if err != nil {
			return err
		}
		stored, err := t.rows.CountBlocks(ctx, Scope(name), leaf.Span(), 0)
		if err != nil {
			return err
		}
		deltas[block] = sumOf(stored).Minus(leaf.Tally)
	}
	return nil
}

// leaf returns the node without parts that contains a block.
func (t *Trees) leaf(ctx context.Context, s Scope, block uint64) (leaf Node, err error) {
	for level, shift := range shifts {
		node := Node{Level: level, Bucket: block >> shift}
		stored, err := t.rows.Nodes(ctx, s, level, evm.Range{From: node.Bucket, To: node.Bucket})
		if err != nil {
			return node, err
		}
		if len(stored) > 0 {
			node = stored[0]
		}
		if leaf = node; !leaf.split() {
			break
		}
	}
	return leaf, nil
}

// grow adds the changes of the given blocks to a node and the nodes below it.
func (t *Trees) grow(ctx context.Context, s Scope, n Node, blocks []uint64, deltas map[uint64]Tally) error {
	before := n.split()
	for _, block := range blocks {
		n.Tally = n.Plus(deltas[block])
	}
	switch {
	case !before && n.split():
		return t.build(ctx, s, n, n.N)
	case before && !n.split():
		if err := t.drop(ctx, s, n); err != nil || n.Level == 0 {
			return err
		}
	}
	if err := t.put(ctx, s, n); err != nil || !n.split() {
		return err
	}
	shift := shifts[n.Level+1]
	stored, err := t.rows.Nodes(ctx, s, n.Level+1, evm.Range{From: blocks[0] >> shift, To: blocks[len(blocks)-1] >> shift})
	if err != nil {
		return err
	}
	for len(blocks) > 0 {
		bucket := blocks[0] >> shift
		end := slices.IndexFunc(blocks, func(b uint64) bool { return b>>shift != bucket })
		if end < 0 {
			end = len(blocks)
		}
		part := n.part(bucket)
		if i, found := slices.BinarySearchFunc(stored, bucket, func(n Node, b uint64) int { return cmp.Compare(n.Bucket, b) }); found {
			part = stored[i]
		}
		if err := t.grow(ctx, s, part, blocks[:end], deltas); err != nil {
			return err
		}
		blocks = blocks[end:]
	}
	return nil
}

// drop removes the nodes below a node that is not split any more, and the root as well: its scope
// has no tree then.
func (t *Trees) drop(ctx context.Context, s Scope, n Node) error {
	level, span := n.Level+1, n.Span()
	if n.Level == 0 {
		t.changed[string(s)] = false
		level, span.To = 0, math.MaxUint64
	}
	for ; level < Levels; level++ {
		stored, err := t.rows.Nodes(ctx, s, level, evm.Range{From: span.From >> shifts[level], To: span.To >> shifts[level]})
		if err != nil {
			return err
		}
		for _, below := range stored {
			if err := t.put(ctx, s, Node{Level: level, Bucket: below.Bucket}); err != nil {
				return err
			}
		}
	}
	return nil
}

// countedAtOnce is how many records are counted at once for a tree, which bounds the memory.
const countedAtOnce = 100_000

// open is the node of a level that the records counted last belong to, with its parts as long as
// it may have none.
type open struct {
	Node
	parts []Node
}

// build saves a node and everything below it, counted from the records, which are written
// already. They are at most most, unless that is 0.
func (t *Trees) build(ctx context.Context, s Scope, n Node, most int64) error {
	levels := []open{{Node: Node{Level: n.Level, Bucket: n.Bucket}}}
	for level := n.Level + 1; level < Levels; level++ {
		levels = append(levels, open{Node: Node{Level: level}})
	}
	blocks, limit := n.Span(), int64(countedAtOnce)
	if most > 0 {
		limit = min(limit, most)
	}
	for more := true; more; {
		counts, err := t.rows.CountBlocks(ctx, s, blocks, limit)
		if err != nil {
			return err
		}
		if more = limit != most && sumOf(counts).N == limit; more {
			// The last block may have more records.
			last := len(counts) - 1
			if last == 0 {
				limit *= 2
			}
			blocks.From, counts = counts[last].Block, counts[:last]
		}
		for _, c := range counts {
			if err := t.extend(ctx, s, levels, c); err != nil {
				return err
			}
		}
	}
	if err := t.finish(ctx, s, levels, 1); err != nil {
		return err
	}
	return t.put(ctx, s, levels[0].Node)
}

// extend adds the records of a block, which follows those added before.
func (t *Trees) extend(ctx context.Context, s Scope, levels []open, c Count) error {
	for i := range levels {
		at := &levels[i]
		if bucket := c.Block >> shifts[at.Level]; bucket != at.Bucket {
			if err := t.finish(ctx, s, levels, i); err != nil {
				return err
			}
			at.Bucket = bucket
		}
	}
	for i := range levels {
		levels[i].Tally = levels[i].Plus(c.Tally)
	}
	return nil
}

// finish makes the nodes of a level and of those below it parts of the nodes above them, the
// lowest first. Once a node has parts, so have all above it, and its parts are saved.
func (t *Trees) finish(ctx context.Context, s Scope, levels []open, from int) error {
	for i := len(levels) - 1; i >= from; i-- {
		at, above := &levels[i], &levels[i-1]
		if at.N > 0 {
			above.parts = append(above.parts, at.Node)
		}
		at.Tally, at.parts = Tally{}, at.parts[:0]
		if !above.split() {
			continue
		}
		for _, part := range above.parts {
			if err := t.put(ctx, s, part); err != nil {
				return err
			}
		}
		above.parts = above.parts[:0]
	}
	return nil
}

// put adds a node to those that [Trees.save] saves, and saves them if there are enough.
func (t *Trees) put(ctx context.Context, s Scope, n Node) error {
	if t.unsaved = append(t.unsaved, Change{s, n}); len(t.unsaved) < maxUnsaved {
		return nil
	}
	return t.save(ctx)
}

func (t *Trees) save(ctx context.Context) error {
	if len(t.unsaved) == 0 {
		return nil
	}
	err := t.rows.Save(ctx, t.unsaved)
	t.unsaved = t.unsaved[:0]
	return err
}
