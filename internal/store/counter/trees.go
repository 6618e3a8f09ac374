package counter

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// Trees updates the trees within one writing transaction. Records are written first and
// each is passed to [Trees.Add]; [Trees.Flush] then updates the trees.
type Trees struct {
	rows Rows
	// known are the scopes that had a tree before the transaction, created those that
	// got one since.
	known, created map[string]struct{}
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
	return &Trees{rows: rows, known: known, created: map[string]struct{}{}, deltas: map[string]map[uint64]Tally{}, candidates: map[string]struct{}{}}
}

// Created returns the scopes that got a tree in this transaction.
func (t *Trees) Created() map[string]struct{} { return t.created }

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
		few, err := t.rows.Number(ctx, Scope(name), LeafSize+1)
		if err != nil {
			return err
		}
		if few <= LeafSize {
			continue
		}
		tally, err := t.count(ctx, Scope(name), all)
		if err != nil {
			return err
		}
		if err := t.Create(ctx, Scope(name), tally); err != nil {
			return err
		}
	}
	return t.save(ctx)
}

// all is the range of blocks that a tree covers.
var all = Node{}.Span()

// count counts the records of a scope in a range of blocks.
func (t *Trees) count(ctx context.Context, s Scope, blocks evm.Range) (Tally, error) {
	counts, err := t.rows.CountBuckets(ctx, s, blocks, shifts[0], 0)
	if err != nil || len(counts) == 0 {
		return Tally{}, err
	}
	return counts[0].Tally, nil
}

// has reports whether a scope has a tree.
func (t *Trees) has(s Scope) bool {
	_, before := t.known[string(s)]
	_, now := t.created[string(s)]
	return before || now
}

// Create creates the tree of a scope with the given tally of records.
func (t *Trees) Create(ctx context.Context, s Scope, records Tally) error {
	t.created[string(s)] = struct{}{}
	return t.saveLeaf(ctx, s, Node{Tally: records})
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
		path, err := t.path(ctx, Scope(name), block)
		if err != nil {
			return err
		}
		leaf := path[len(path)-1]
		stored, err := t.count(ctx, Scope(name), leaf.Span())
		if err != nil {
			return err
		}
		deltas[block] = stored.Minus(leaf.Tally)
	}
	return nil
}

// path returns the nodes from the root to the leaf that contains a block.
func (t *Trees) path(ctx context.Context, s Scope, block uint64) (path []Node, err error) {
	for node := (Node{Level: -1, Split: true}); node.Split && node.Level < Levels-1; {
		bucket := block >> shifts[node.Level+1]
		stored, err := t.rows.Nodes(ctx, s, node.Level+1, evm.Range{From: bucket, To: bucket})
		if err != nil {
			return nil, err
		}
		if node = node.part(bucket); len(stored) > 0 {
			node = stored[0]
		}
		path = append(path, node)
	}
	return path, nil
}

// grow adds the changes of the given blocks to a node and the nodes below it.
func (t *Trees) grow(ctx context.Context, s Scope, n Node, blocks []uint64, deltas map[uint64]Tally) error {
	for _, block := range blocks {
		n.Tally = n.Plus(deltas[block])
	}
	if !n.Split {
		return t.saveLeaf(ctx, s, n)
	}
	if err := t.put(ctx, s, n); err != nil {
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

// saveLeaf saves a node that is not split, and splits it if it is over full. Its parts
// are counted from the records, which are written already.
func (t *Trees) saveLeaf(ctx context.Context, s Scope, n Node) error {
	var blocks []Count
	if n.overFull() {
		var err error
		if blocks, err = t.rows.CountBuckets(ctx, s, n.Span(), 0, n.N); err != nil {
			return err
		}
	}
	return t.split(ctx, s, n, blocks)
}

// split saves a node and, if it is over full, its parts. blocks are the node's counts by
// block.
func (t *Trees) split(ctx context.Context, s Scope, n Node, blocks []Count) error {
	n.Split = n.overFull()
	if err := t.put(ctx, s, n); err != nil || !n.Split {
		return err
	}
	shift := shifts[n.Level+1]
	for len(blocks) > 0 {
		part := n.part(blocks[0].Bucket >> shift)
		end := 0
		for ; end < len(blocks) && blocks[end].Bucket>>shift == part.Bucket; end++ {
			part.Tally = part.Plus(blocks[end].Tally)
		}
		if err := t.split(ctx, s, part, blocks[:end]); err != nil {
			return err
		}
		blocks = blocks[end:]
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
