package store

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/contract"
	"mintburn/ent/counter"
	"mintburn/ent/mint"
	"mintburn/ent/predicate"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// mostWithout is the number of records above which a scope must have a tree. One
// record in 128 looks whether its scopes need one: that none of the 3,584 after
// leafSize does has a chance of 10^-12.
const mostWithout = 8 * leafSize

// repair counts the records of a fault's blocks anew, as far as one leaf counts
// them, and adds up the nodes above. Rows are never removed: the next process to
// create a tree would get their ids, and others would not notice it, see
// [writer.begin].
func (c *counters) repair(ctx context.Context, q *query, f treeFault) error {
	for at := f.span.From; at <= f.span.To; {
		if f.gap {
			first, found, err := c.firstRecord(ctx, q, Range{From: at, To: f.span.To})
			if err != nil || !found {
				return err
			}
			at = first
		}
		leaf, err := c.repairLeaf(ctx, q, at)
		if err != nil || !f.gap {
			return err
		}
		at = leaf.To + 1
	}
	return nil
}

// firstRecord returns the first block of a range that has records of a query.
func (c *counters) firstRecord(ctx context.Context, q *query, r Range) (block uint64, found bool, err error) {
	first := q.selector(c.store.queries, selection{lo: firstIn(r.From), hi: lastIn(min(r.To, MaxBlock)), limit: 1, columns: []string{mint.FieldID}})
	err = c.query(ctx, first, func(scan func(...any) error) error {
		var pos int64
		err := scan(&pos)
		block, found = blockOf(pos), true
		return err
	})
	return block, found, err
}

// repairLeaf counts the records of the leaf that holds a block, and returns its
// blocks.
func (c *counters) repairLeaf(ctx context.Context, q *query, block uint64) (Range, error) {
	var path []node
	leaf := node{level: -1, split: true}
	for leaf.split && leaf.level < len(levelShifts)-1 {
		if leaf.level >= 0 {
			path = append(path, leaf)
		}
		bucket := block >> levelShifts[leaf.level+1]
		parts, err := c.children(ctx, q.scope, leaf, Range{From: bucket, To: bucket})
		if err != nil {
			return Range{}, err
		}
		part, found := parts[bucket]
		if !found {
			part = node{level: leaf.level + 1, bucket: bucket}
		}
		leaf = part
	}
	if err := c.rebuild(ctx, q, leaf); err != nil {
		return Range{}, err
	}
	for _, n := range slices.Backward(path) {
		if err := c.addUp(ctx, q.scope, n); err != nil {
			return Range{}, err
		}
	}
	// The next leaf has nodes in common with this one.
	return leaf.span(), c.changed.flush(ctx)
}

// addUp makes a node the sum of its parts.
func (c *counters) addUp(ctx context.Context, s scope, n node) error {
	if err := c.changed.flush(ctx); err != nil {
		return err
	}
	span, shift := n.span(), levelShifts[n.level+1]
	parts, err := c.children(ctx, s, n, Range{From: span.From >> shift, To: span.To >> shift})
	if err != nil {
		return err
	}
	n.n = 0
	for _, part := range parts {
		n.n += part.n
	}
	return c.save(ctx, s, n)
}

// rebuild counts the records of a node and makes all that is below it.
func (c *counters) rebuild(ctx context.Context, q *query, n node) (err error) {
	span := n.span()
	if n.n, err = c.number(ctx, q.counting(c.store.queries, selection{lo: firstIn(span.From), hi: lastIn(min(span.To, MaxBlock))})); err != nil {
		return err
	}
	for level := n.level + 1; level < len(levelShifts); level++ {
		shift := levelShifts[level]
		err := c.store.client(c.tx).Counter.Update().Where(counter.Scope(q.scope), counter.Level(int8(level)),
			counter.BucketGTE(int64(span.From>>shift)), counter.BucketLTE(int64(span.To>>shift))).SetN(0).SetSplit(false).Exec(ctx)
		if err != nil {
			return fmt.Errorf("clearing counters: %w", err)
		}
	}
	return c.build(ctx, q, n)
}

// build saves a node with its number of records, and makes its parts.
func (c *counters) build(ctx context.Context, q *query, n node) error {
	n.split = n.overFull()
	if err := c.save(ctx, q.scope, n); err != nil || !n.split {
		return err
	}
	// Not all levels at once: there may be millions of blocks.
	parts, err := c.counted(ctx, q, n, n.level+1)
	if err != nil {
		return err
	}
	for _, part := range parts {
		if err := c.build(ctx, q, node{level: n.level + 1, bucket: part.bucket, n: part.n}); err != nil {
			return err
		}
	}
	return nil
}

// strayNodes looks for counters that no tree reaches. They would count as soon as
// the node above is split.
func (c *checker) strayNodes(ctx context.Context) error {
	return c.pages(ctx, counter.Table, func(s *Snapshot, above, last int64) error {
		rows, err := s.client().Counter.Query().Where(counter.IDGT(int(above)), counter.IDLTE(int(last)), stray).Order(counter.ByID()).All(ctx)
		if err != nil {
			return fmt.Errorf("reading counters: %w", err)
		}
		var ids []int
		for _, row := range rows {
			of := scope(row.Scope)
			if !of.valid() {
				continue // The check of the trees reports it.
			}
			c.differ("counters of %s: level %d, part %d, counts %d records, and no tree has it", s.scopeName(ctx, of), row.Level, row.Bucket, row.N)
			ids = append(ids, row.ID)
		}
		if len(ids) == 0 {
			return nil
		}
		return c.repair(ctx, func(ctx context.Context, w *writer) error {
			for part := range slices.Chunk(ids, maxArgs) {
				// Meanwhile a tree may have got it.
				err := w.store.client(w.tx).Counter.Update().Where(counter.IDIn(part...), stray).SetN(0).SetSplit(false).Exec(ctx)
				if err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// stray selects the counters that are no roots and below no node that is split.
func stray(s *entsql.Selector) {
	builder := entsql.Dialect(s.Dialect())
	above := builder.Table(counter.Table).As("above")
	parent := builder.Select(above.C(counter.FieldID)).From(above).Where(entsql.And(
		entsql.ColumnsEQ(above.C(counter.FieldScope), s.C(counter.FieldScope)),
		entsql.P(func(b *entsql.Builder) {
			b.WriteString(above.C(counter.FieldSplit) + " AND " + above.C(counter.FieldLevel) + " = " + s.C(counter.FieldLevel) + " - 1 AND ")
			b.WriteString(above.C(counter.FieldBucket) + " = " + s.C(counter.FieldBucket) + " >> CASE " + s.C(counter.FieldLevel))
			for level := 1; level < len(levelShifts); level++ {
				b.WriteString(fmt.Sprintf(" WHEN %d THEN %d", level, levelShifts[level-1]-levelShifts[level]))
			}
			b.WriteString(" ELSE 0 END")
		})))
	s.Where(entsql.And(
		entsql.P(func(b *entsql.Builder) {
			b.Wrap(func(b *entsql.Builder) { b.WriteString(s.C(counter.FieldN) + " <> 0 OR " + s.C(counter.FieldSplit)) })
		}),
		entsql.Or(
			entsql.And(entsql.EQ(s.C(counter.FieldLevel), 0), entsql.NEQ(s.C(counter.FieldBucket), 0)),
			entsql.LT(s.C(counter.FieldLevel), 0),
			entsql.And(entsql.GT(s.C(counter.FieldLevel), 0), entsql.NotExists(parent)),
		)))
}

// missingTrees looks for scopes of many records without a tree: their totals are
// right and slow.
func (c *checker) missingTrees(ctx context.Context) error {
	for _, kind := range []nft.Kind{nft.Mint, nft.Burn} {
		names := scopes{kind: kind}
		many := map[string]struct{}{string(names.all()): {}}
		err := c.pages(ctx, contract.Table, func(s *Snapshot, above, last int64) error { return s.manyOfContracts(ctx, names, above, last, many) })
		// Parts of the accounts, by their first four bits.
		const part = 1 << 60
		for i := int64(math.MinInt64 / part); i <= math.MaxInt64/part && err == nil; i++ {
			err = c.read(ctx, func(s *Snapshot) error { return s.manyOfAccounts(ctx, names, i*part, i*part+(part-1), many) })
		}
		if err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(many)) {
			if err := c.missingTree(ctx, scope(name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// missingTree reports a scope of many records if it has no tree.
func (c *checker) missingTree(ctx context.Context, of scope) error {
	q, missing := of.query(), false
	err := c.read(ctx, func(s *Snapshot) error {
		exists, err := s.client().Counter.Query().Where(isRoot(of)...).Exist(ctx)
		if err != nil || exists {
			return err
		}
		n, err := s.count(ctx, q, Range{To: 1<<levelShifts[0] - 1}, false)
		if missing = err == nil && n > mostWithout; missing {
			c.differ("counters of %s: they are missing for %d records", s.scopeName(ctx, of), n)
		}
		return err
	})
	if err != nil || !missing {
		return err
	}
	return c.repair(ctx, func(ctx context.Context, w *writer) error {
		exists, err := w.store.client(w.tx).Counter.Query().Where(isRoot(of)...).Exist(ctx)
		if err != nil || exists {
			return err
		}
		w.counters.created[string(of)] = struct{}{}
		return w.counters.rebuild(ctx, q, node{})
	})
}

func isRoot(of scope) []predicate.Counter {
	return []predicate.Counter{counter.Scope(of), counter.Level(0), counter.Bucket(0)}
}

// manyOfContracts adds the collections, and their tokens, of a page of contracts
// that have many records.
func (s *Snapshot) manyOfContracts(ctx context.Context, names scopes, above, last int64, to map[string]struct{}) error {
	for _, columns := range [][]string{{mint.FieldContractID}, {mint.FieldContractID, mint.FieldTokenID}} {
		many := s.grouped(names.kind, columns...).Having(entsql.GT(entsql.Count("*"), mostWithout)).
			Where(entsql.And(entsql.GT(mint.FieldContractID, above), entsql.LTE(mint.FieldContractID, last)))
		err := s.each(ctx, many, func(row *database.Row) error {
			id := row.Int64()
			of := names.contract(id)
			if len(columns) > 1 {
				var token evm.Uint256
				if err := token.Scan(row.Bytes()); err != nil {
					return nil //nolint:nilerr // The check of the records reports it.
				}
				of = names.token(id, token)
			}
			to[string(of)] = struct{}{}
			return row.Err()
		})
		if err != nil {
			return fmt.Errorf("counting %ss: %w", names.kind, err)
		}
	}
	return nil
}

// manyOfAccounts adds the accounts, and accounts in collections, that have many
// records and whose first 8 bytes are in a range.
func (s *Snapshot) manyOfAccounts(ctx context.Context, names scopes, first, last int64, to map[string]struct{}) error {
	var heads []int64
	many := s.grouped(names.kind, mint.FieldAccountHead).Having(entsql.GT(entsql.Count("*"), mostWithout)).
		Where(entsql.And(entsql.GTE(mint.FieldAccountHead, first), entsql.LTE(mint.FieldAccountHead, last)))
	err := s.each(ctx, many, func(row *database.Row) error {
		heads = append(heads, row.Int64())
		return row.Err()
	})
	sums := map[evm.Address]int64{}
	for i := 0; i < len(heads) && err == nil; i++ {
		head := heads[i]
		// Only rows have the whole of an account.
		of := s.grouped(names.kind, mint.FieldAccountTail, mint.FieldContractID).Where(entsql.EQ(mint.FieldAccountHead, head))
		err = s.each(ctx, of, func(row *database.Row) error {
			account, err := evm.JoinAddress(head, row.Bytes())
			contract, n := row.Int64(), row.Int64()
			if err != nil {
				return row.Err() // The check of the records reports it.
			}
			if sums[account] += n; sums[account] > mostWithout {
				to[string(names.account(account))] = struct{}{}
			}
			if n > mostWithout {
				to[string(names.accountContract(account, contract))] = struct{}{}
			}
			return row.Err()
		})
	}
	if err != nil {
		return fmt.Errorf("counting %ss: %w", names.kind, err)
	}
	return nil
}

// grouped counts the records of a kind by the values of columns.
func (s *Snapshot) grouped(kind nft.Kind, columns ...string) *entsql.Selector {
	builder := s.store.builder()
	return builder.Select(columns...).AppendSelect(entsql.Count("*")).From(builder.Table((&query{kind: kind}).table())).GroupBy(columns...)
}
