package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/counter"
	"mintburn/ent/mint"
	"mintburn/ent/setting"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// counters keeps the counter trees right within one writing transaction. Rows
// are written first; add notes what changed, flush applies it.
type counters struct {
	*writer
	// trees are the changes to scopes that have a tree, by scope.
	trees map[string]*tree
	// candidates are scopes without a tree that may have grown to need one.
	candidates map[string]struct{}
	// created are the scopes that got a tree in this transaction.
	created map[string]struct{}
	// changed takes the nodes that are to be written.
	changed *inserter
}

// tree is what changed for one scope: a number of records by block.
type tree struct {
	scope  scope
	deltas map[uint64]int64
}

func newCounters(w *writer) counters {
	changed := w.inserter(insertRun, counter.Table, generatedID(counter.Columns))
	changed.conflict = []entsql.ConflictOption{
		entsql.ConflictColumns(counter.FieldScope, counter.FieldLevel, counter.FieldBucket),
		entsql.ResolveWith(func(u *entsql.UpdateSet) { u.SetExcluded(counter.FieldN).SetExcluded(counter.FieldSplit) }),
	}
	return counters{writer: w, trees: map[string]*tree{}, created: map[string]struct{}{}, changed: changed}
}

// begin reads what other processes may have changed: whether the database is
// being loaded, and for store.treeScopes the trees that they created.
func (w *writer) begin(ctx context.Context) error {
	client, added := w.store.client(w.tx), counter.IDGT(w.store.treesUpTo)
	var err error
	if w.loading, err = client.Setting.Query().Where(setting.ID(settingPostponed)).Exist(ctx); err != nil {
		return fmt.Errorf("reading %s: %w", settingPostponed, err)
	}
	last, err := client.Counter.Query().Where(added).Order(counter.ByID(entsql.OrderDesc())).FirstID(ctx)
	if ent.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading counters: %w", err)
	}
	roots, err := client.Counter.Query().Where(counter.Level(0), added).Select(counter.FieldScope).All(ctx)
	if err != nil {
		return fmt.Errorf("reading counters: %w", err)
	}
	for _, root := range roots {
		w.store.treeScopes[string(root.Scope)] = struct{}{}
	}
	w.store.treesUpTo = last
	return nil
}

// committed makes the trees that this transaction created known.
func (c *counters) committed() {
	maps.Copy(c.store.treeScopes, c.created)
}

// add notes that a record was stored (delta 1) or removed (delta -1).
func (c *counters) add(r *nft.Record, pos, contractID int64, delta int64) {
	if c.loading {
		return
	}
	account := r.To
	if r.Kind == nft.Burn {
		account = r.From
	}
	// One record in 128 looks whether its scopes have grown to need a tree:
	// a scope is then at most a few hundred records late, and the look-ups
	// cost next to nothing.
	sampled := delta > 0 && mix(uint64(pos))>>57 == 0
	names := scopes{kind: r.Kind}
	for _, s := range [...]func() scope{
		names.all,
		func() scope { return names.contract(contractID) },
		func() scope { return names.account(account) },
		func() scope { return names.accountContract(account, contractID) },
		func() scope { return names.token(contractID, r.TokenID) },
	} {
		c.note(s(), blockOf(pos), delta, sampled)
	}
}

// mix spreads x over 64 bits, whatever pattern the values of x have; it is the
// finalizer of SplitMix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func (c *counters) note(s scope, block uint64, delta int64, sampled bool) {
	if t, ok := c.trees[string(s)]; ok {
		t.deltas[block] += delta
		return
	}
	if _, ok := c.store.treeScopes[string(s)]; ok {
		c.trees[string(s)] = &tree{scope: s, deltas: map[uint64]int64{block: delta}}
		return
	}
	if sampled {
		if c.candidates == nil {
			c.candidates = map[string]struct{}{}
		}
		c.candidates[string(s)] = struct{}{}
	}
}

// applyDeltas writes what add noted of scopes that have a tree.
func (c *counters) applyDeltas(ctx context.Context) error {
	for _, name := range slices.Sorted(maps.Keys(c.trees)) {
		t := c.trees[name]
		q := t.scope.query()
		root, err := c.children(ctx, t.scope, node{level: -1}, Range{})
		if err != nil {
			return err
		}
		if err := c.grow(ctx, q, root[0], slices.Sorted(maps.Keys(t.deltas)), t.deltas); err != nil {
			return err
		}
	}
	clear(c.trees)
	return c.changed.flush(ctx)
}

// flush writes what add noted.
func (c *counters) flush(ctx context.Context) error {
	if err := c.applyDeltas(ctx); err != nil {
		return err
	}
	// In this order a scope comes after the one that it is a part of.
	for _, name := range slices.Sorted(maps.Keys(c.candidates)) {
		if whole := scope(name).whole(); whole != nil && !c.hasTree(whole) {
			continue
		}
		if err := c.createTree(ctx, scope(name).query()); err != nil {
			return err
		}
	}
	return errors.Join(c.changed.flush(ctx), c.changed.close())
}

// hasTree reports whether a scope has a tree. One without has few records, and so
// has every part of it, which need not be looked at.
func (c *counters) hasTree(s scope) bool {
	_, before := c.store.treeScopes[string(s)]
	_, now := c.created[string(s)]
	return before || now
}

// createTree gives a scope a tree if it has more than leafSize records.
func (c *counters) createTree(ctx context.Context, q *query) error {
	n, err := c.number(ctx, q.counting(c.store.queries, selection{hi: maxPos, limit: leafSize + 1}))
	if err != nil || n <= leafSize {
		return err
	}
	if n, err = c.number(ctx, q.counting(c.store.queries, selection{hi: maxPos})); err != nil {
		return err
	}
	c.created[string(q.scope)] = struct{}{}
	return c.saveLeaf(ctx, q, node{n: n})
}

// grow adds the changes of the given blocks to a node and to what is below it.
func (c *counters) grow(ctx context.Context, q *query, n node, blocks []uint64, deltas map[uint64]int64) error {
	for _, block := range blocks {
		n.n += deltas[block]
	}
	if !n.split {
		return c.saveLeaf(ctx, q, n)
	}
	if err := c.save(ctx, q.scope, n); err != nil {
		return err
	}
	shift := levelShifts[n.level+1]
	parts, err := c.children(ctx, q.scope, n, Range{From: blocks[0] >> shift, To: blocks[len(blocks)-1] >> shift})
	if err != nil {
		return err
	}
	for len(blocks) > 0 {
		bucket := blocks[0] >> shift
		end := slices.IndexFunc(blocks, func(b uint64) bool { return b>>shift != bucket })
		if end < 0 {
			end = len(blocks)
		}
		part, ok := parts[bucket]
		if !ok {
			part = node{level: n.level + 1, bucket: bucket}
		}
		if err := c.grow(ctx, q, part, blocks[:end], deltas); err != nil {
			return err
		}
		blocks = blocks[end:]
	}
	return nil
}

// saveLeaf saves a node that is not split, after splitting it if it holds too
// much. Its parts are counted from the records, which are written already.
func (c *counters) saveLeaf(ctx context.Context, q *query, n node) error {
	var blocks []bucketCount
	if n.overFull() {
		var err error
		if blocks, err = c.counted(ctx, q, n, len(levelShifts)-1); err != nil {
			return fmt.Errorf("splitting a counter: %w", err)
		}
	}
	return c.split(ctx, q.scope, n, blocks)
}

// overFull reports whether a node holds so much that it is split.
func (n node) overFull() bool { return n.n > leafSize && n.level < len(levelShifts)-1 }

// bucketCount is the number of records of a node's part.
type bucketCount struct {
	bucket uint64
	n      int64
}

// counted counts the records of a node by the buckets of a level, in order.
func (c *counters) counted(ctx context.Context, q *query, n node, level int) ([]bucketCount, error) {
	span := n.span()
	within := selection{lo: firstIn(span.From), hi: lastIn(min(span.To, MaxBlock)), limit: int(n.n), columns: []string{mint.FieldID}}
	few := q.selector(c.store.queries, within).As("few")
	bucket := fmt.Sprintf("%s >> %d AS bucket", few.C(mint.FieldID), slotBits+levelShifts[level])
	var counts []bucketCount
	err := c.query(ctx, c.store.builder().Select().AppendSelectExpr(entsql.Raw(bucket)).AppendSelect(entsql.Count("*")).From(few).
		GroupBy("bucket").OrderBy("bucket"), func(scan func(...any) error) error {
		var b bucketCount
		err := scan(&b.bucket, &b.n)
		counts = append(counts, b)
		return err
	})
	return counts, err
}

// split saves a node and, where it is over full, the parts that its blocks make.
func (c *counters) split(ctx context.Context, s scope, n node, blocks []bucketCount) error {
	n.split = n.overFull()
	if err := c.save(ctx, s, n); err != nil || !n.split {
		return err
	}
	shift := levelShifts[n.level+1]
	for len(blocks) > 0 {
		part := node{level: n.level + 1, bucket: blocks[0].bucket >> shift}
		end := 0
		for ; end < len(blocks) && blocks[end].bucket>>shift == part.bucket; end++ {
			part.n += blocks[end].n
		}
		if err := c.split(ctx, s, part, blocks[:end]); err != nil {
			return err
		}
		blocks = blocks[end:]
	}
	return nil
}

// recount sets the changes of all touched trees, which must be of this block
// alone, to what the records say. They are written already.
func (c *counters) recount(ctx context.Context, block uint64) error {
	for _, t := range c.trees {
		q := t.scope.query()
		n := node{level: -1, split: true}
		for n.split {
			bucket := block >> levelShifts[n.level+1]
			parts, err := c.children(ctx, t.scope, n, Range{From: bucket, To: bucket})
			if err != nil {
				return err
			}
			part, ok := parts[bucket]
			if !ok {
				part = node{level: n.level + 1, bucket: bucket}
			}
			n = part
		}
		span := n.span()
		within := selection{lo: firstIn(span.From), hi: lastIn(min(span.To, MaxBlock))}
		real, err := c.number(ctx, q.counting(c.store.queries, within))
		if err != nil {
			return err
		}
		t.deltas[block] = real - n.n
	}
	return nil
}

// children reads the stored parts of a node within a range of buckets; the
// part of level -1 is the root.
func (c *counters) children(ctx context.Context, s scope, n node, buckets Range) (map[uint64]node, error) {
	found, builder := map[uint64]node{}, c.store.builder()
	err := c.query(ctx, builder.Select(counter.FieldBucket, counter.FieldN, counter.FieldSplit).From(builder.Table(counter.Table)).Where(entsql.And(
		entsql.EQ(counter.FieldScope, []byte(s)), entsql.EQ(counter.FieldLevel, n.level+1),
		entsql.GTE(counter.FieldBucket, buckets.From), entsql.LTE(counter.FieldBucket, buckets.To),
	)), func(scan func(...any) error) error {
		part := node{level: n.level + 1}
		err := scan(&part.bucket, &part.n, &part.split)
		found[part.bucket] = part
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading counters: %w", err)
	}
	return found, nil
}

// save writes a node, at the latest when all is flushed.
func (c *counters) save(ctx context.Context, s scope, n node) error {
	row := ent.Counter{Scope: s, Level: int8(n.level), Bucket: int64(n.bucket), N: n.n, Split: n.split}
	return c.changed.add(ctx, &row)
}

// number runs a statement whose answer is one number.
func (c *counters) number(ctx context.Context, statement entsql.Querier) (n int64, err error) {
	if err := c.query(ctx, statement, func(scan func(...any) error) error { return scan(&n) }); err != nil {
		return 0, fmt.Errorf("counting records: %w", err)
	}
	return n, nil
}

// query is the inverse of the functions of scopes: the records of a scope.
func (s scope) query() *query {
	q := &query{kind: nft.Kind(s[0]), hi: maxPos, scope: s}
	sort, value := s[1], s[2:]
	if sort == 'a' || sort == 'b' {
		q.account(evm.Address(value[:20]))
		value = value[20:]
	}
	if sort == 'b' || sort == 'c' || sort == 't' {
		q.equal(mint.FieldContractID, int64(binary.BigEndian.Uint64(value)))
		value = value[8:]
	}
	if sort == 't' {
		q.equal(mint.FieldTokenID, []byte(value))
	}
	return q
}

// whole returns the scope that s is a part of: the account's of an account in a
// collection, the collection's of a token; nil for the others.
func (s scope) whole() scope {
	names, value := scopes{kind: nft.Kind(s[0])}, s[2:]
	switch s[1] {
	case 'b':
		return names.account(evm.Address(value[:20]))
	case 't':
		return names.contract(int64(binary.BigEndian.Uint64(value)))
	default:
		return nil
	}
}
