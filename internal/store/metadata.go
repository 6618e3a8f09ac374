package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/token"
	"mintburn/ent/trait"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// Metadata returns what [Snapshot.MetadataOf] does for the tokens of the page's
// records. The first call loads it for the
// whole page, with a constant number of statements.
func (p *Page) Metadata(ctx context.Context) (map[nft.TokenKey]*nft.TokenMetadata, error) {
	p.metadataOnce.Do(func() {
		keys := make([]nft.TokenKey, len(p.Items))
		for i := range p.Items {
			keys[i] = nft.TokenKey{Contract: p.Items[i].Contract, TokenID: p.Items[i].TokenID}
		}
		p.metadata, p.metadataErr = p.snapshot.MetadataOf(ctx, keys)
	})
	return p.metadata, p.metadataErr
}

// MetadataOf returns what is known of the given tokens' metadata: their
// documents, and why there is none. Tokens that were never tried are absent.
func (s *Snapshot) MetadataOf(ctx context.Context, keys []nft.TokenKey) (map[nft.TokenKey]*nft.TokenMetadata, error) {
	found := map[nft.TokenKey]*nft.TokenMetadata{}
	wanted, err := s.pairsOf(ctx, keys, found)
	if err != nil {
		return nil, err
	}
	var items []*nft.TokenMetadata
	for part := range slices.Chunk(wanted, maxArgs) {
		text := s.statement(statementKey{name: "tokens", limit: len(part)}, func(client *ent.Client) entsql.Querier {
			return selectTokens(client.Token.Query().Where(func(s *entsql.Selector) {
				s.Where(part.in(s.C(token.FieldContractID), s.C(token.FieldTokenID)))
			}))
		})
		more, _, err := s.tokens(ctx, text, part.args(s.store.dialect), len(part)/2)
		if err != nil {
			return nil, err
		}
		items = append(items, more...)
	}
	for _, m := range items {
		found[m.TokenKey] = m
	}
	missing, err := s.pairsOf(ctx, keys, found)
	if err != nil {
		return nil, err
	}
	if err := s.addFailed(ctx, missing, found); err != nil {
		return nil, err
	}
	return found, s.countTraits(ctx, items)
}

// pairsOf returns what names the given tokens in a statement, but for those that
// are found already, and those of contracts that no record or document named.
func (s *Snapshot) pairsOf(ctx context.Context, keys []nft.TokenKey, found map[nft.TokenKey]*nft.TokenMetadata) (pairs, error) {
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

// countTraits fills in the trait counts that the documents leave out, with
// one statement for 10,000 different traits.
func (s *Snapshot) countTraits(ctx context.Context, items []*nft.TokenMetadata) error {
	missing := map[traitKey][]*nft.Attribute{}
	var wanted pairs
	for _, m := range items {
		id, _, err := s.contractID(ctx, m.Contract)
		if err != nil {
			return err
		}
		for i := range m.Attributes {
			a := &m.Attributes[i]
			if a.TraitCount != nil {
				continue
			}
			k := traitKey{id, [16]byte(hash16(a.TraitType))}
			if missing[k] == nil {
				wanted.add(id, k.trait[:])
			}
			missing[k] = append(missing[k], a)
		}
	}
	for part := range slices.Chunk(wanted, maxArgs) {
		text := s.statement(statementKey{name: "traits", limit: len(part)}, func(client *ent.Client) entsql.Querier {
			return client.Trait.Query().Where(func(s *entsql.Selector) {
				s.Where(part.in(s.C(trait.FieldContractID), s.C(trait.FieldTrait)))
			}).Selector()
		})
		var counted ent.Trait
		err := s.run(ctx, text, part.args(s.store.dialect), func(row *database.Row) error {
			if err := counted.ReadRow(row); err != nil {
				return err
			}
			k := traitKey{contractID: counted.ContractID}
			copy(k.trait[:], counted.Trait)
			n := evm.Long(counted.DistinctValues)
			for _, a := range missing[k] {
				a.TraitCount = &n
			}
			delete(missing, k)
			return nil
		})
		if err != nil {
			return fmt.Errorf("reading trait counts: %w", err)
		}
	}
	if len(missing) > 0 {
		return errors.New("reading trait counts: internal error: a trait is not counted")
	}
	return nil
}
