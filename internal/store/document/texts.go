package document

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/resolution"
	"mintburn/ent/token"
	"mintburn/ent/trait"
	"mintburn/internal/apierror"
	"mintburn/internal/database"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
)

// ReadTexts completes tokens that were read with their page. It reads the texts of
// heavy tokens, if all texts fit, parses the attributes, and adds the trait counts.
// requested are the tokens in the order of the request, nil for tokens without
// metadata; the error for texts that do not fit says how many of them fit. argument
// is the page size argument, or "".
func ReadTexts(ctx context.Context, s *read.Snapshot, items, requested []*TokenMetadata, texts read.Texts, argument string) (err error) {
	var total int64
	for _, t := range items {
		total += t.Bytes
	}
	left, fit, err := take(s, total)
	if err != nil {
		return err
	}
	if !fit {
		return tooHeavy(requested, total, left, argument)
	}
	defer func() {
		if errors.Is(err, database.ErrNotAlone) {
			// The caller runs this again, which counts the texts again.
			s.Unheld.Add(-total)
		}
	}()
	if err := readHeavy(ctx, s, items, texts); err != nil {
		return fmt.Errorf("reading the texts of tokens: %w", err)
	}
	if texts&read.TextAttributes == 0 {
		return nil
	}
	for _, t := range items {
		if t.undocumented {
			continue
		}
		if t.Attributes, err = ParseAttributes(t.attributes); err != nil {
			return fmt.Errorf("reading the attributes of %s %s: %w", t.Contract, t.TokenID, err)
		}
		if t.displayTypes == nil {
			continue
		}
		if err := ParseDisplayTypes(t.Attributes, *t.displayTypes); err != nil {
			return fmt.Errorf("reading the attributes of %s %s: %w", t.Contract, t.TokenID, err)
		}
	}
	if texts&read.TraitCounts == 0 {
		return nil
	}
	return countTraits(ctx, s, items)
}

// take reserves memory for n bytes of texts. If they do not fit, it returns false and
// how many bytes are left.
func take(s *read.Snapshot, n int64) (left int64, fit bool, err error) {
	if s.Hold == nil {
		return 0, true, nil
	}
	// Small amounts are collected and reserved later.
	if s.Unheld.Add(n) < heldStep {
		return 0, true, nil
	}
	excess, err := s.Hold(s.Unheld.Swap(0))
	return max(0, n-excess), excess == 0, err
}

// readHeavy reads the texts of heavy tokens.
func readHeavy(ctx context.Context, s *read.Snapshot, items []*TokenMetadata, texts read.Texts) error {
	var documents, failed pairs
	byKey := map[tables.TokenKey]*TokenMetadata{}
	for _, t := range items {
		if !t.heavy {
			continue
		}
		wanted := &documents
		if t.undocumented {
			wanted = &failed
		}
		wanted.add(t.contractID, t.TokenID.Bytes())
		byKey[tables.TokenKey{ContractID: t.contractID, TokenID: t.TokenID}] = t
	}
	columns := texts.Columns([]string{token.FieldContractID, token.FieldTokenID})
	err := eachOf(ctx, s, query.Key{Name: "texts of tokens", Texts: uint32(texts)}, documents, func(client *ent.Client, part pairs) entsql.Querier {
		return client.Token.Query().Where(part.where(token.FieldTokenID)).Select(columns...).Selector()
	}, func(row *database.Row) error {
		var found ent.Token
		err := found.ReadRow(row, columns...)
		if t := byKey[tables.TokenKey{ContractID: found.ContractID, TokenID: found.TokenID}]; err == nil {
			t.setTexts(&found)
		}
		return err
	})
	if err != nil {
		return err
	}
	failedColumns := []string{resolution.FieldContractID, resolution.FieldTokenID, resolution.FieldURI}
	return eachOf(ctx, s, query.Key{Name: "URIs of failed tokens"}, failed, func(client *ent.Client, part pairs) entsql.Querier {
		return client.Resolution.Query().Where(part.where(resolution.FieldTokenID)).Select(failedColumns...).Selector()
	}, func(row *database.Row) error {
		var found ent.Resolution
		err := found.ReadRow(row, failedColumns...)
		if t := byKey[tables.TokenKey{ContractID: found.ContractID, TokenID: found.TokenID}]; err == nil {
			t.URI = *found.URI
		}
		return err
	})
}

// tooHeavy returns the error for texts of total bytes when only left bytes may be read.
func tooHeavy(requested []*TokenMetadata, total, left int64, argument string) error {
	fit, bytes := 0, int64(0)
	counted := make(map[*TokenMetadata]bool, len(requested))
	for _, t := range requested {
		if t != nil && !counted[t] {
			counted[t] = true
			bytes += t.Bytes
		}
		if bytes <= left {
			fit++
		}
	}
	mib := func(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }
	message := fmt.Sprintf("the selected texts of %d tokens have %s, and the request may read %s more: ", len(counted), mib(total), mib(left))
	switch {
	case fit == 0:
		message += "not one fits; ask for fewer texts or tokens"
	case argument == "":
		message += fmt.Sprintf("the first %d fit; ask for fewer texts or tokens", fit)
	default:
		message += fmt.Sprintf("the %s %d fit; ask for %s: %d", argument, fit, argument, fit)
	}
	err := apierror.Errorf(apierror.QueryTooCostly, "%s", message)
	err.Details = map[string]any{"fit": fit}
	return err
}

// CountColumns are the columns of a trait that countTraits reads.
var CountColumns = []string{trait.FieldContractID, trait.FieldTrait, trait.FieldDistinctValues}

// countTraits fills in the trait counts that the documents do not contain, with one
// statement for each 10,000 distinct traits that are not cached.
func countTraits(ctx context.Context, s *read.Snapshot, items []*TokenMetadata) error {
	missing, versions := map[read.TraitKey][]*Attribute{}, map[int64]int64{}
	var wanted pairs
	for _, t := range items {
		for i := range t.Attributes {
			a := &t.Attributes[i]
			if a.TraitCount != "" {
				continue
			}
			name, err := a.TraitType.Text()
			if err != nil {
				return fmt.Errorf("reading the attributes of %s %s: %w", t.Contract, t.TokenID, err)
			}
			k := read.TraitKey{ContractID: t.contractID, Version: t.traitsVersion, Trait: [16]byte(tables.Hash16(name))}
			if n, known := s.DB.Distinct.Find(k); known {
				a.TraitCount = n
				continue
			}
			if missing[k] == nil {
				versions[k.ContractID] = k.Version
				wanted.add(t.contractID, k.Trait[:])
			}
			missing[k] = append(missing[k], a)
		}
	}
	var counted ent.Trait
	err := eachOf(ctx, s, query.Key{Name: "traits"}, wanted, func(client *ent.Client, part pairs) entsql.Querier {
		return client.Trait.Query().Where(part.where(trait.FieldTrait)).Select(CountColumns...).Selector()
	}, func(row *database.Row) error {
		if err := counted.ReadRow(row, CountColumns...); err != nil {
			return err
		}
		k := read.TraitKey{ContractID: counted.ContractID, Version: versions[counted.ContractID]}
		copy(k.Trait[:], counted.Trait)
		n := read.JSON(strconv.FormatUint(counted.DistinctValues, 10))
		for _, a := range missing[k] {
			a.TraitCount = n
		}
		s.DB.Distinct.Put(k, n)
		delete(missing, k)
		return nil
	})
	if err == nil && len(missing) > 0 {
		err = errors.New("internal error: a trait is not counted")
	}
	return database.Wrap(err, "reading trait counts")
}

// pairs are alternating values of two columns.
type pairs []any

func (p *pairs) add(id int64, value []byte) { *p = append(*p, id, value) }

// in selects the rows whose two columns are one of the pairs. A chain of ORs would do
// the same, but a long one is too deep for a database to parse. PostgreSQL turns a list
// of rows into such a chain.
func (p pairs) in(first, second string) *entsql.Predicate {
	return entsql.P(func(b *entsql.Builder) {
		b.WriteString("(" + first + ", " + second + ") IN ")
		if b.Dialect() == dialect.Postgres {
			args := p.args(dialect.Postgres)
			b.WriteString("(SELECT * FROM unnest(").Arg(args[0]).WriteString("::bigint[], ").Arg(args[1]).WriteString("::bytea[]))")
			return
		}
		b.WriteString("(VALUES ")
		for i := 0; i < len(p); i += 2 {
			if i > 0 {
				b.Comma()
			}
			b.WriteString("(").Args(p[i], p[i+1]).WriteString(")")
		}
		b.WriteString(")")
	})
}

// where returns in as a condition on the collection and another column.
func (p pairs) where(second string) func(*entsql.Selector) {
	return func(s *entsql.Selector) { s.Where(p.in(s.C(token.FieldContractID), s.C(second))) }
}

// args returns the arguments of in: the values, or for PostgreSQL an array of the first
// values and an array of the second values.
func (p pairs) args(of string) []any {
	if of != dialect.Postgres {
		return p
	}
	ids, values := make([]int64, 0, len(p)/2), make([][]byte, 0, len(p)/2)
	for i := 0; i < len(p); i += 2 {
		ids, values = append(ids, p[i].(int64)), append(values, p[i+1].([]byte))
	}
	return []any{ids, values}
}

// eachOf runs a statement for pairs, with at most MaxArgs values at a time, and
// calls read for each row.
func eachOf(ctx context.Context, s *read.Snapshot, key query.Key, wanted pairs, build func(*ent.Client, pairs) entsql.Querier, read func(*database.Row) error) error {
	for part := range slices.Chunk(wanted, tables.MaxArgs) {
		key.Limit = len(part)
		text := s.DB.Statement(key, func(client *ent.Client) entsql.Querier { return build(client, part) })
		if err := s.Tx.Run(ctx, text, part.args(s.DB.Database.Dialect()), read); err != nil {
			return err
		}
	}
	return nil
}

// heldStep is how many bytes of texts may be read before memory is reserved for them.
const heldStep = 64 << 10
