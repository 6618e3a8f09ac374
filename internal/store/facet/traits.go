package facet

import (
	"context"
	"fmt"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/contract"
	"mintburn/ent/predicate"
	"mintburn/ent/trait"
	"mintburn/ent/traitvalue"
	"mintburn/internal/apierror"
	"mintburn/internal/database"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
)

// Trait is one trait of a collection.
type Trait struct {
	// Name has at most [MaxText] bytes.
	Name                   string
	Tokens, DistinctValues int64
	// Key identifies the trait in its collection.
	Key        []byte
	contractID int64
}

// Counted is one value of a trait, with the number of tokens that have it. Text has at most
// [MaxText] bytes.
type Counted struct {
	Text   string
	Tokens int64
}

// Number returns the number of traits of a collection. While they are counted after an
// upgrade, it returns an [apierror.Error] with the code UNAVAILABLE.
func Number(ctx context.Context, s *read.Snapshot, contractID int64) (int64, error) {
	var row ent.Contract
	_, err := s.Cached(ctx, query.Key{Name: "number of traits"}, func(client *ent.Client) entsql.Querier {
		return client.Contract.Query().Where(contract.ID(contractID)).Select(contract.FieldTraits).Selector()
	}, []any{contractID}, func(r *database.Row) error { return row.ReadRow(r, contract.FieldTraits) })
	switch {
	case err != nil:
		return 0, fmt.Errorf("totalling traits: %w", err)
	case row.Traits == nil:
		return 0, apierror.Errorf(apierror.Unavailable, "the tokens of the collection's traits are not counted yet since the upgrade: try again later, or run mintburn migrate")
	}
	return *row.Traits, nil
}

// traitColumns are the columns that Page reads.
var traitColumns = []string{trait.FieldTrait, trait.FieldName, trait.FieldTokens, trait.FieldDistinctValues}

// byName is the order of traits.
var byName = []trait.OrderOption{trait.ByName(), entsql.OrderByField(trait.FieldTrait).ToFunc()}

// Page returns at most limit traits of a collection by name, those after a key or, without a
// key, the first.
func Page(ctx context.Context, s *read.Snapshot, contractID int64, after []byte, limit int) (traits []*Trait, err error) {
	where, args, err := beside(ctx, s, contractID, after, " > ")
	if err != nil {
		return nil, err
	}
	_, err = s.Cached(ctx, query.Key{Name: "traits of a collection", Low: len(after) > 0, Limit: limit}, func(client *ent.Client) entsql.Querier {
		return client.Trait.Query().Where(where).Order(byName...).Limit(limit).Select(traitColumns...).Selector()
	}, args, func(r *database.Row) error {
		var row ent.Trait
		err := row.ReadRow(r, traitColumns...)
		traits = append(traits, &Trait{row.Name, row.Tokens, int64(row.DistinctValues), slices.Clone(row.Trait), contractID})
		return err
	})
	return traits, database.Wrap(err, "reading traits")
}

// Precede reports whether a collection has traits up to a key.
func Precede(ctx context.Context, s *read.Snapshot, contractID int64, key []byte) (bool, error) {
	if len(key) == 0 {
		return false, nil
	}
	where, args, err := beside(ctx, s, contractID, key, " <= ")
	if err != nil {
		return false, err
	}
	found, err := s.Last(ctx, query.Key{Name: "traits before a key"}, func(client *ent.Client) entsql.Querier {
		// The order makes PostgreSQL use the index.
		return client.Trait.Query().Where(where).Order(byName...).Limit(1).Select(trait.FieldID).Selector()
	}, args, read.Ignored)
	return found, database.Wrap(err, "looking before a page of traits")
}

// beside selects the traits of a collection on one side of a key, or all if the key is empty.
// args are the arguments of the predicate.
func beside(ctx context.Context, s *read.Snapshot, contractID int64, key []byte, op string) (where predicate.Trait, args []any, err error) {
	name, args := "", []any{contractID}
	if len(key) > 0 {
		found, err := s.Cached(ctx, query.Key{Name: "name of a trait"}, func(client *ent.Client) entsql.Querier {
			return client.Trait.Query().Where(trait.ContractID(contractID), trait.Trait(key)).Select(trait.FieldName).Selector()
		}, []any{contractID, key}, func(r *database.Row) error { return r.Values(&name) })
		switch {
		case err != nil:
			return nil, nil, fmt.Errorf("reading a trait: %w", err)
		case !found:
			return nil, nil, apierror.Errorf(apierror.InvalidCursor, "invalid cursor: want one that this connection returned")
		}
		args = append(args, name, key)
	}
	return func(t *entsql.Selector) {
		t.Where(entsql.EQ(t.C(trait.FieldContractID), contractID)).Where(entsql.ExprP("tokens > 0"))
		if len(key) > 0 {
			columns := "(" + t.C(trait.FieldName) + ", " + t.C(trait.FieldTrait) + ")"
			t.Where(entsql.P(func(b *entsql.Builder) { b.WriteString(columns+op+"(").Args(name, key).WriteString(")") }))
		}
	}, args, nil
}

// Values returns at most limit values of each trait, those of the most tokens first, then by
// text.
func Values(ctx context.Context, s *read.Snapshot, traits []*Trait, limit int) ([][]Counted, error) {
	lists := make([][]Counted, len(traits))
	err := s.Tx.Together(ctx, len(traits), func(ctx context.Context, i int) error {
		of := traits[i]
		lists[i] = []Counted{}
		_, err := s.Cached(ctx, query.Key{Name: "values of a trait", Limit: limit}, func(client *ent.Client) entsql.Querier {
			return client.TraitValue.Query().Where(traitvalue.ContractID(of.contractID), traitvalue.Trait(of.Key), func(v *entsql.Selector) { v.Where(entsql.ExprP("tokens > 0")) }).
				Order(traitvalue.ByTokens(entsql.OrderDesc()), traitvalue.ByText()).Limit(limit).Select(traitvalue.FieldText, traitvalue.FieldTokens).Selector()
		}, []any{of.contractID, of.Key}, func(r *database.Row) error {
			var v Counted
			err := r.Values(&v.Text, &v.Tokens)
			lists[i] = append(lists[i], v)
			return err
		})
		return err
	})
	return lists, database.Wrap(err, "reading the values of traits")
}
