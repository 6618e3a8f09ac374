package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"github.com/go-json-experiment/json/jsontext"

	"mintburn/ent"
	"mintburn/ent/token"
	"mintburn/ent/trait"
	"mintburn/internal/database"
	"mintburn/internal/nft"
)

// Metadata returns what [Snapshot.MetadataOf] does for the tokens of the page's
// records. The first call reads it for the whole page, with a constant number of
// statements, and the texts that texts returns.
func (p *Page) Metadata(ctx context.Context, texts func(context.Context) Texts) (map[nft.TokenKey]*Token, error) {
	p.metadataOnce.Do(func() {
		keys := make([]nft.TokenKey, len(p.Items))
		for i := range p.Items {
			keys[i] = nft.TokenKey{Contract: p.Items[i].Contract, TokenID: p.Items[i].TokenID}
		}
		if p.backward {
			slices.Reverse(keys)
		}
		p.metadata, p.metadataErr = p.snapshot.metadataOf(ctx, keys, texts(ctx), p.argument())
	})
	return p.metadata, p.metadataErr
}

// MetadataOf returns what is known of the given tokens' metadata: their
// documents, with these texts, and why there is none. Tokens that were never tried
// are absent. Texts that the snapshot's bound refuses are an [nft.Error] with the
// code QUERY_TOO_COSTLY.
func (s *Snapshot) MetadataOf(ctx context.Context, keys []nft.TokenKey, texts Texts) (map[nft.TokenKey]*Token, error) {
	return s.metadataOf(ctx, keys, texts, "")
}

func (s *Snapshot) metadataOf(ctx context.Context, keys []nft.TokenKey, texts Texts, argument string) (map[nft.TokenKey]*Token, error) {
	found := map[nft.TokenKey]*Token{}
	wanted, err := s.pairsOf(ctx, keys, found)
	if err != nil {
		return nil, err
	}
	var items []*Token
	for part := range slices.Chunk(wanted, maxArgs) {
		text := s.statement(statementKey{name: "tokens", limit: len(part), texts: texts}, func(client *ent.Client) entsql.Querier {
			return selectTokens(client.Token.Query().Where(part.where(token.FieldTokenID)), texts)
		})
		more, _, err := s.tokens(ctx, text, part.args(s.store.dialect), len(part)/2, texts)
		if err != nil {
			return nil, err
		}
		items = append(items, more...)
	}
	for _, t := range items {
		found[t.TokenKey] = t
	}
	missing, err := s.pairsOf(ctx, keys, found)
	if err != nil {
		return nil, err
	}
	failed, err := s.failedTokens(ctx, missing, texts)
	if err != nil {
		return nil, err
	}
	for _, t := range failed {
		found[t.TokenKey] = t
	}
	requested := make([]*Token, len(keys))
	for i, key := range keys {
		requested[i] = found[key]
	}
	return found, s.readTexts(ctx, append(items, failed...), requested, texts, argument)
}

// eachOf runs a statement for pairs, with at most maxArgs values at a time, and
// calls read for each row.
func (s *Snapshot) eachOf(ctx context.Context, key statementKey, wanted pairs, build func(*ent.Client, pairs) entsql.Querier, read func(*database.Row) error) error {
	for part := range slices.Chunk(wanted, maxArgs) {
		key.limit = len(part)
		text := s.statement(key, func(client *ent.Client) entsql.Querier { return build(client, part) })
		if err := s.run(ctx, text, part.args(s.store.dialect), read); err != nil {
			return err
		}
	}
	return nil
}

// pairsOf returns what names the given tokens in a statement, but for those that
// are found already, and those of contracts that no record or document named.
func (s *Snapshot) pairsOf(ctx context.Context, keys []nft.TokenKey, found map[nft.TokenKey]*Token) (pairs, error) {
	var wanted pairs
	seen := make(map[nft.TokenKey]bool, len(keys))
	for _, key := range keys {
		if seen[key] || found[key] != nil {
			continue
		}
		seen[key] = true
		id, known, err := s.contractID(ctx, key.Contract)
		if err != nil {
			return nil, err
		}
		if known {
			wanted.add(id, key.TokenID.Bytes())
		}
	}
	return wanted, nil
}

// maxArgs is how many values one statement is given at most; it is even.
// SQLite takes 32,766.
const maxArgs = 20_000

// pairs are the values of two columns, in turn.
type pairs []any

func (p *pairs) add(id int64, value []byte) { *p = append(*p, id, value) }

// in holds for rows whose two columns are one of the pairs. A chain of ORs,
// which is also what PostgreSQL makes of a list of rows, would do the same
// until it is deeper than a database parses.
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

// where is in as a condition on the collection and another column.
func (p pairs) where(second string) func(*entsql.Selector) {
	return func(s *entsql.Selector) { s.Where(p.in(s.C(token.FieldContractID), s.C(second))) }
}

// args are the parameters of in: the values, or in PostgreSQL a list of the
// first of each pair and one of the second.
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

// hash16 names a trait or one of its values, of any length, in 16 bytes.
func hash16(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:16]
}

// traitKey names a trait of a collection.
type traitKey struct {
	contractID int64
	trait      [16]byte
}

// countColumns are the columns of a trait that its count takes.
var countColumns = []string{trait.FieldContractID, trait.FieldTrait, trait.FieldDistinctValues}

// countTraits fills in the trait counts that the documents leave out, with
// one statement for 10,000 different traits.
func (s *Snapshot) countTraits(ctx context.Context, items []*Token) error {
	missing := map[traitKey][]*Attribute{}
	var wanted pairs
	for _, t := range items {
		for i := range t.Attributes {
			a := &t.Attributes[i]
			if a.TraitCount != "" {
				continue
			}
			name, err := a.TraitType.text()
			if err != nil {
				return fmt.Errorf("reading the attributes of %s %s: %w", t.Contract, t.TokenID, err)
			}
			k := traitKey{t.contractID, [16]byte(hash16(name))}
			if missing[k] == nil {
				wanted.add(t.contractID, k.trait[:])
			}
			missing[k] = append(missing[k], a)
		}
	}
	var counted ent.Trait
	err := s.eachOf(ctx, statementKey{name: "traits"}, wanted, func(client *ent.Client, part pairs) entsql.Querier {
		return client.Trait.Query().Where(part.where(trait.FieldTrait)).Select(countColumns...).Selector()
	}, func(row *database.Row) error {
		if err := counted.ReadRow(row, countColumns...); err != nil {
			return err
		}
		k := traitKey{contractID: counted.ContractID}
		copy(k.trait[:], counted.Trait)
		n := JSON(strconv.FormatUint(counted.DistinctValues, 10))
		for _, a := range missing[k] {
			a.TraitCount = n
		}
		delete(missing, k)
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading trait counts: %w", err)
	}
	if len(missing) > 0 {
		return errors.New("reading trait counts: internal error: a trait is not counted")
	}
	return nil
}

// JSON is the text of a JSON value as it is stored, and sent.
type JSON string

// AppendGQL appends the value.
func (j JSON) AppendGQL(b []byte) []byte { return append(b, j...) }

// MarshalGQL writes the value.
func (j JSON) MarshalGQL(w io.Writer) { _, _ = io.WriteString(w, string(j)) }

// UnmarshalGQL fails: the type is for output only.
func (*JSON) UnmarshalGQL(any) error {
	return errors.New("internal error: the type is for output only")
}

// text returns the content of a string.
func (j JSON) text() (string, error) {
	if len(j) > 1 && !strings.Contains(string(j), `\`) {
		return string(j[1 : len(j)-1]), nil
	}
	text, err := jsontext.AppendUnquote(nil, j)
	return string(text), err
}

// Attribute is one trait of a token, as [nft.Attribute] has it.
type Attribute struct {
	TraitType, Value JSON
	// MaxValue is the document's upper range, or nil.
	MaxValue *JSON
	// TraitCount is empty until it is counted, if the document has none.
	TraitCount, Order JSON
}

// parseAttributes splits stored attributes, which encodeAttributes wrote, without
// a look into their values.
func parseAttributes(stored string) ([]Attribute, error) {
	const first = `{"trait_type":`
	// Within a string the quotes would be escaped.
	list := make([]Attribute, strings.Count(stored, first))
	r := attributeReader{rest: stored}
	r.want("[")
	for i := range list {
		a := &list[i]
		if i > 0 {
			r.want(",")
		}
		r.want(first)
		a.TraitType = r.string()
		r.want(`,"value":`)
		a.Value = r.string()
		if r.has(`,"max_value":`) {
			number := r.number()
			a.MaxValue = &number
		}
		if r.has(`,"trait_count":`) {
			a.TraitCount = r.number()
		}
		r.want(`,"order":`)
		a.Order = r.number()
		r.want("}")
	}
	r.want("]")
	r.has("\n") // The encoder's.
	if r.failed || r.rest != "" {
		return nil, fmt.Errorf("stored attributes are broken %d bytes before their end", len(r.rest))
	}
	return list, nil
}

// attributeReader reads stored attributes from the left.
type attributeReader struct {
	rest   string
	failed bool
}

// has passes over a text if it comes next.
func (r *attributeReader) has(text string) bool {
	rest, found := strings.CutPrefix(r.rest, text)
	r.rest = rest
	return found
}

func (r *attributeReader) want(text string) { r.failed = !r.has(text) || r.failed }

// take returns the next n bytes.
func (r *attributeReader) take(n int) JSON {
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return JSON(taken)
}

// string returns the next string.
func (r *attributeReader) string() JSON {
	for i := 1; i < len(r.rest); i++ {
		switch r.rest[i] {
		case '\\':
			i++
		case '"':
			return r.take(i + 1)
		}
	}
	r.failed = true
	return ""
}

// number returns the next number.
func (r *attributeReader) number() JSON {
	n := strings.IndexAny(r.rest, ",}")
	if n <= 0 {
		r.failed = true
		return ""
	}
	return r.take(n)
}
