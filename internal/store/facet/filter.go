package facet

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/traitvalue"
	"mintburn/internal/apierror"
	"mintburn/internal/database"
	"mintburn/internal/nft"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
)

// Filter selects the tokens that have any of the values of a trait.
type Filter struct {
	TraitType string
	Values    []string
}

// Check returns an [apierror.Error] if filters have too many values.
func Check(filters []Filter) error {
	values := 0
	for _, f := range filters {
		values += len(f.Values)
	}
	if len(filters) > apierror.MaxTraitFilters || values > apierror.MaxFilterValues {
		return apierror.Errorf(apierror.BadUserInput, "traits: got %d filters with %d values, want at most %d with %d together", len(filters), values, apierror.MaxTraitFilters, apierror.MaxFilterValues)
	}
	return nil
}

// Describe appends the input of a fingerprint of filters.
func Describe(b []byte, filters []Filter) []byte {
	for _, f := range filters {
		b = append(append(b, 0), tables.Hash16(tables.Storable(f.TraitType))...)
		for _, value := range f.Values {
			b = append(append(b, 1), tables.Hash16(tables.Storable(value))...)
		}
	}
	return b
}

// Selection is the tokens of a collection that all of some filters select.
type Selection struct {
	snapshot *read.Snapshot
	// lists have the rows of the values of each filter, the one with the fewest entries first.
	lists []list
}

// list are the values of a filter that tokens have, and the sum of their numbers of tokens.
type list struct {
	ids    []int64
	tokens int64
}

// Select looks up the values of filters, which must not be empty. It returns an
// [apierror.Error] if the database has no index of tokens, or if the index or the counts are
// incomplete, or with the code QUERY_TOO_COSTLY if several filters select too many tokens.
func Select(ctx context.Context, s *read.Snapshot, contractID int64, filters []Filter) (*Selection, error) {
	var index Walk
	var wanted []Value
	var of []int
	for i, f := range filters {
		own := len(wanted)
		for _, value := range f.Values {
			v := ValueOf(contractID, nft.Attribute{TraitType: tables.Storable(f.TraitType), Value: tables.Storable(value)})
			if !slices.Contains(wanted[own:], v) {
				wanted, of = append(wanted, v), append(of, i)
			}
		}
	}
	selected := &Selection{s, make([]list, len(filters))}
	err := s.Tx.Together(ctx, len(wanted)+1, func(ctx context.Context, i int) error {
		if i == len(wanted) {
			_, err := read.GetSetting(ctx, s, tables.TraitIndex, &index)
			return err
		}
		v, l := wanted[i], &selected.lists[of[i]]
		_, err := s.Cached(ctx, query.Key{Name: "value of a trait"}, func(client *ent.Client) entsql.Querier {
			return client.TraitValue.Query().Where(traitvalue.ContractID(contractID), traitvalue.Trait([]byte(v.Trait)), traitvalue.Value([]byte(v.Value))).
				Select(traitvalue.FieldID, traitvalue.FieldTokens).Selector()
		}, []any{contractID, []byte(v.Trait), []byte(v.Value)}, func(r *database.Row) error {
			l.ids = append(l.ids, r.Int64())
			l.tokens += r.Int64()
			return r.Err()
		})
		return err
	})
	switch {
	case err != nil:
		return nil, database.Wrap(err, "looking up traits")
	case !index.Done:
		return nil, apierror.Errorf(apierror.BadUserInput, "traits: the database has no complete index of traits: want mintburn migrate --index-traits first")
	}
	slices.SortStableFunc(selected.lists, func(a, b list) int { return int(min(max(a.tokens-b.tokens, -1), 1)) })
	if len(filters) > 1 {
		err = selected.limit()
	}
	return selected, err
}

// limit returns an error if the shortest list has too many entries to read them all.
func (q *Selection) limit() error {
	if n := q.lists[0].tokens; n > apierror.MaxTraitEntries {
		return apierror.Errorf(apierror.QueryTooCostly, "traits: the filter with the fewest tokens has %d, want at most %d", n, apierror.MaxTraitEntries)
	}
	return nil
}

// Find returns the first limit token ids that are op than a key, in their order or backward.
func (q *Selection) Find(ctx context.Context, op entsql.Op, than []byte, backward bool, limit int) (tokens [][]byte, err error) {
	values := q.lists[0].ids
	order := ""
	if backward {
		order = " DESC"
	}
	key := query.Key{Name: fmt.Sprint("tokens with a value ", op, order), Limit: limit}
	found := make([][][]byte, len(values))
	err = q.snapshot.Tx.Together(ctx, len(values), func(ctx context.Context, i int) error {
		return q.run(ctx, key, func(b *entsql.Builder, others func()) {
			b.WriteString("SELECT p.token_id FROM " + Index + " AS p WHERE p.value_id = ").Arg(values[i]).WriteString(" AND p.token_id")
			b.WriteOp(op).Arg(than)
			others()
			b.WriteString(" ORDER BY p.token_id" + order + " LIMIT " + strconv.Itoa(limit))
		}, []any{values[i], than}, func(row *database.Row) error {
			found[i] = append(found[i], bytes.Clone(row.Bytes()))
			return row.Err()
		})
	})
	tokens = slices.Concat(found...)
	slices.SortFunc(tokens, func(a, b []byte) int {
		if backward {
			a, b = b, a
		}
		return bytes.Compare(a, b)
	})
	tokens = slices.CompactFunc(tokens, bytes.Equal)
	return tokens[:min(limit, len(tokens))], err
}

// Count returns the number of tokens.
func (q *Selection) Count(ctx context.Context) (n int64, err error) {
	if len(q.lists[0].ids) == 0 || len(q.lists) == 1 && len(q.lists[0].ids) == 1 {
		return q.lists[0].tokens, nil
	}
	if err := q.limit(); err != nil {
		return 0, err
	}
	err = q.run(ctx, query.Key{Name: "number of tokens with values"}, func(b *entsql.Builder, others func()) {
		b.WriteString("SELECT COUNT(DISTINCT p.token_id) FROM " + Index + " AS p WHERE p.value_id")
		writeAny(b, q.lists[0].ids)
		others()
	}, []any{anyOf(q.snapshot, q.lists[0].ids)}, func(row *database.Row) error { return row.Values(&n) })
	return n, err
}

// run runs a statement. others writes the conditions that tokens satisfy the other filters,
// whose arguments come last.
func (q *Selection) run(ctx context.Context, key query.Key, write func(b *entsql.Builder, others func()), args []any, read func(*database.Row) error) error {
	key.Name += strings.Repeat(" and others", len(q.lists)-1)
	text := q.snapshot.DB.Statement(key, func(*ent.Client) entsql.Querier {
		return entsql.ExprFunc(func(b *entsql.Builder) {
			b.SetDialect(q.snapshot.DB.Database.Dialect())
			write(b, func() {
				for _, l := range q.lists[1:] {
					// PostgreSQL would turn EXISTS into a join, and read all entries of the list.
					b.WriteString(" AND (SELECT 1 FROM " + Index + " AS q WHERE q.value_id")
					writeAny(b, l.ids)
					b.WriteString(" AND q.token_id = p.token_id LIMIT 1) IS NOT NULL")
				}
			})
		})
	})
	for _, l := range q.lists[1:] {
		args = append(args, anyOf(q.snapshot, l.ids))
	}
	return database.Wrap(q.snapshot.Tx.Run(ctx, text, args, read), "reading the index of traits")
}

// writeAny writes the condition that the value before it is one of ids.
func writeAny(b *entsql.Builder, ids []int64) {
	if b.Dialect() == dialect.Postgres {
		b.WriteString(" = ANY(").Arg(ids).WriteString("::bigint[])")
		return
	}
	b.WriteString(" IN (SELECT value FROM json_each(").Arg("").WriteString("))")
}

// anyOf returns the argument of writeAny.
func anyOf(s *read.Snapshot, ids []int64) any {
	return query.Arrays{ids}.Args(s.DB.Database.Dialect())[0]
}
