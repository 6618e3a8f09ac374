package check

import (
	"context"
	"encoding/json"
	"math"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/token"
	"mintburn/ent/traitvalue"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/facet"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
	"mintburn/internal/store/write"
)

// entriesAtOnce is how many documents are compared with the index of traits at once.
const entriesAtOnce = 500

// checkTraitIndex compares the index of tokens by trait with the documents: each value of a
// document has an entry, and no value has more entries than tokens.
func checkTraitIndex(ctx context.Context, c *checker) error {
	var index facet.Walk
	err := c.read(ctx, func(s *read.Snapshot) error {
		_, err := read.GetSetting(ctx, s, tables.TraitIndex, &index)
		return err
	})
	if err != nil || !index.Done {
		return err
	}
	err = c.pages(ctx, token.Table, func(s *read.Snapshot, above, last int64) error {
		for above < last {
			var err error
			if above, err = missingEntries(ctx, c, s, above, last); err != nil {
				return database.Wrap(err, "reading documents")
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	end := int64(-1)
	surplus := func(s *read.Snapshot, above, last int64) error {
		end = last
		return database.Wrap(surplusEntries(ctx, c, s, above, last), "reading the index of traits")
	}
	if err = c.pages(ctx, traitvalue.Table, surplus); err != nil {
		return err
	}
	return c.read(ctx, func(s *read.Snapshot) error { return surplus(s, end, math.MaxInt64) })
}

// missingEntries finds the entries that some of the documents in (above, last] lack, and
// returns the last of those compared.
func missingEntries(ctx context.Context, c *checker, s *read.Snapshot, above, last int64) (to int64, err error) {
	to = last
	builder := s.Tx.Builder()
	documents := builder.Select(token.FieldID, token.FieldContractID, token.FieldTokenID, token.FieldAttributes).From(builder.Table(token.Table)).
		Where(entsql.And(entsql.GT(token.FieldID, above), entsql.LTE(token.FieldID, last))).OrderBy(token.FieldID).Limit(entriesAtOnce)
	var ids []int64
	var traits, values, owners [][]byte
	rows := 0
	err = s.Tx.Query(ctx, documents, func(row *database.Row) error {
		id, contractID := row.Int64(), row.Int64()
		owner := slices.Clone(row.Bytes())
		var attributes []nft.Attribute
		if json.Unmarshal([]byte(row.Text()), &attributes) != nil {
			return row.Err()
		}
		for _, a := range attributes {
			v := facet.ValueOf(contractID, a)
			ids, traits, values, owners = append(ids, contractID), append(traits, []byte(v.Trait)), append(values, []byte(v.Value)), append(owners, owner)
		}
		if rows++; rows == entriesAtOnce {
			to = id
		}
		return row.Err()
	})
	if err != nil || len(ids) == 0 {
		return to, err
	}
	var wrong []entry
	lacking := query.Arrays{ids, traits, values, owners}.Select(s.DB.Database.Dialect(), "k(c, t, v, b)", func(b *entsql.Builder) {
		b.WriteString("c, b, x.id FROM k JOIN " + traitvalue.Table + " AS x ON x.contract_id = c AND x.trait = t AND x.value = v WHERE " +
			"(SELECT 1 FROM " + facet.Index + " AS i WHERE i.value_id = x.id AND i.token_id = b LIMIT 1) IS NULL")
	})
	err = s.Tx.Query(ctx, lacking, func(row *database.Row) error {
		e := entry{row.Int64(), slices.Clone(row.Bytes()), row.Int64()}
		wrong = append(wrong, e)
		return row.Err()
	})
	for _, e := range wrong {
		c.differ("token %s of collection %s: the index of traits lacks a value", e.name(), contractName(ctx, s, e.contractID))
	}
	if err != nil {
		return to, err
	}
	return to, repairEach(ctx, c, wrong, func(ctx context.Context, w *write.Tx, e entry) error {
		_, err := w.Exec(ctx, w.Builder().Insert(facet.Index).Columns("value_id", "token_id").Values(e.valueID, e.token).OnConflict(entsql.DoNothing()))
		return err
	})
}

// entry is an entry of the index of traits.
type entry struct {
	contractID int64
	token      []byte
	valueID    int64
}

func (e entry) name() string {
	var id evm.Uint256
	if id.Scan(e.token) != nil {
		return "unknown"
	}
	return id.String()
}

// surplusEntries finds entries of values with ids in (above, last] that no document has: those
// of values with more entries than tokens, and those of values that are not stored.
func surplusEntries(ctx context.Context, c *checker, s *read.Snapshot, above, last int64) error {
	var more []entry
	var of []facet.Value
	counted := entsql.ExprFunc(func(b *entsql.Builder) {
		b.SetDialect(s.DB.Database.Dialect())
		b.WriteString("SELECT n.id, contract_id, trait, value FROM (SELECT value_id AS id, count(*) AS entries FROM " + facet.Index + " WHERE value_id > ").Arg(above)
		b.WriteString(" AND value_id <= ").Arg(last)
		b.WriteString(" GROUP BY value_id) AS n LEFT JOIN " + traitvalue.Table + " AS v ON v.id = n.id WHERE entries > COALESCE(tokens, 0)")
	})
	err := s.Tx.Query(ctx, counted, func(row *database.Row) error {
		e := entry{valueID: row.Int64()}
		if row.Null() {
			// No document has a value that is not stored.
			row.Skip(2)
			more, of = append(more, e), append(of, facet.Value{})
			return row.Err()
		}
		e.contractID = row.Int64()
		more, of = append(more, e), append(of, facet.Value{ContractID: e.contractID, Trait: string(row.Bytes()), Value: string(row.Bytes())})
		return row.Err()
	})
	var wrong []entry
	for i := 0; i < len(more) && err == nil; i++ {
		e := more[i]
		entries := entsql.ExprFunc(func(b *entsql.Builder) {
			b.SetDialect(s.DB.Database.Dialect())
			b.WriteString("SELECT i.token_id, COALESCE(t.attributes, '') FROM " + facet.Index + " AS i LEFT JOIN " + token.Table + " AS t ON t.contract_id = ").Arg(e.contractID)
			b.WriteString(" AND t.token_id = i.token_id WHERE i.value_id = ").Arg(e.valueID)
		})
		err = s.Tx.Query(ctx, entries, func(row *database.Row) error {
			e.token = slices.Clone(row.Bytes())
			var attributes []nft.Attribute
			if json.Unmarshal([]byte(row.Text()), &attributes) != nil || !slices.ContainsFunc(attributes, func(a nft.Attribute) bool { return facet.ValueOf(e.contractID, a) == of[i] }) {
				wrong = append(wrong, e)
			}
			return row.Err()
		})
	}
	if err != nil {
		return err
	}
	for _, e := range wrong {
		c.differ("token %s of collection %s: the index of traits has a value that the document lacks", e.name(), contractName(ctx, s, e.contractID))
	}
	return repairEach(ctx, c, wrong, func(ctx context.Context, w *write.Tx, e entry) error {
		_, err := w.Exec(ctx, w.Builder().Delete(facet.Index).Where(entsql.And(entsql.EQ("value_id", e.valueID), entsql.EQ("token_id", e.token))))
		return err
	})
}
