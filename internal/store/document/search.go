package document

import (
	"bytes"
	"context"
	"strings"
	"unicode/utf8"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/collectionword"
	"mintburn/ent/contract"
	"mintburn/ent/contractmetadata"
	"mintburn/internal/apierror"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
)

// maxSearch is the maximum length of the text of a search, in characters.
const maxSearch = 64

// Search is the range of keys, see [tables.Words], of the words that begin with a text. To is
// exclusive, and Length that of the text in bytes.
type Search struct {
	From, To []byte
	Length   int
}

// NewSearch returns the search for a text without the white space around it, nil if that is empty.
// A text that is too long is an [apierror.Error] with the code BAD_USER_INPUT.
func NewSearch(text string) (*Search, error) {
	text = strings.TrimSpace(text)
	if n := utf8.RuneCountInString(text); n > maxSearch {
		return nil, apierror.Errorf(apierror.BadUserInput, "search: got %d characters, want 1 to %d", n, maxSearch)
	}
	from := []byte(tables.FoldName(text))
	if len(from) == 0 {
		return nil, nil
	}
	// No byte of UTF-8 is 255.
	to := bytes.Clone(from)
	to[len(to)-1]++
	return &Search{from, to, len(from)}, nil
}

// Place returns the place in a list of keys that a cursor's key stands for: right before the first
// match of the collection with an address, or after it if after is set. An empty key is the beginning
// of the list, and a byte behind the address always means before it. Place fails if the search does
// not find the collection any more.
func (r *Search) Place(ctx context.Context, s *read.Snapshot, key []byte, after bool) ([]byte, error) {
	if len(key) == 0 {
		return r.From, nil
	}
	if len(key) != 20 && len(key) != 21 {
		return nil, apierror.Errorf(apierror.InvalidCursor, "invalid cursor: want one that this connection returned")
	}
	var row ent.ContractMetadata
	_, err := s.Cached(ctx, query.Key{Name: "names of a collection"}, func(client *ent.Client) entsql.Querier {
		rows := client.ContractMetadata.Query().Select(contractmetadata.FieldName, contractmetadata.FieldSymbol).Selector()
		c := entsql.Dialect(rows.Dialect()).Table(contract.Table).As("c")
		return rows.Join(c).On(rows.C(contractmetadata.FieldContractID), c.C(contract.FieldID)).Where(entsql.EQ(c.C(contract.FieldAddress), key[:20]))
	}, []any{key[:20]}, func(r *database.Row) error {
		return row.ReadRow(r, contractmetadata.FieldName, contractmetadata.FieldSymbol)
	})
	if err != nil {
		return nil, database.Wrap(err, "reading the name of a collection")
	}
	for _, word := range tables.Words(0, evm.Address(key[:20]), row.Name, row.Symbol) {
		switch {
		case bytes.Compare(word.ID, r.From) < 0 || bytes.Compare(word.ID, r.To) >= 0:
		case after && len(key) == 20:
			// No key begins with another one.
			return append(word.ID, 0), nil
		default:
			return word.ID, nil
		}
	}
	return nil, apierror.Errorf(apierror.InvalidCursor, "the cursor's collection has another name by now: start again without a cursor")
}

// Count returns the number of collections that a search finds, or, above [apierror.MaxSearchTotal],
// an [apierror.Error] with the code QUERY_TOO_COSTLY.
func (r *Search) Count(ctx context.Context, s *read.Snapshot) (n int64, err error) {
	_, err = s.Last(ctx, query.Key{Name: "number of collections by name"}, func(client *ent.Client) entsql.Querier {
		rows := client.CollectionWord.Query().Select(collectionword.FieldID).Selector()
		// A subquery: PostgreSQL would scan contracts for a join.
		c := entsql.Dialect(rows.Dialect()).Table(contract.Table)
		first := entsql.Select(c.C(contract.FieldFirstLog)).From(c).Where(entsql.ColumnsEQ(c.C(contract.FieldID), rows.C(collectionword.FieldContractID)))
		found := rows.Where(entsql.And(r.found(rows.C), entsql.P(func(b *entsql.Builder) {
			b.Wrap(func(b *entsql.Builder) { b.Join(first) }).WriteString(" IS NOT NULL")
		}))).Limit(apierror.MaxSearchTotal + 1)
		return entsql.Dialect(rows.Dialect()).Select(entsql.Count("*")).From(found.As("found"))
	}, r.Args(), func(row *database.Row) error { return row.Values(&n) })
	if err == nil && n > apierror.MaxSearchTotal {
		err = apierror.Errorf(apierror.QueryTooCostly, "totalItems: the search finds more than %d collections: ask for pages without totalItems, or for a longer text", apierror.MaxSearchTotal)
	}
	return n, database.Wrap(err, "totalling collections")
}

// Args are the arguments of the statement of a search, in order.
func (r *Search) Args() []any { return []any{r.From, r.To, r.Length} }

// found selects the first match of each collection.
func (r *Search) found(column func(string) string) *entsql.Predicate {
	key := column(collectionword.FieldID)
	return entsql.And(entsql.GTE(key, r.From), entsql.LT(key, r.To), entsql.LT(column(collectionword.FieldShared), r.Length))
}

// Named restricts contracts to those with a record that a search finds, in its order or, with
// fromHigh, the opposite.
func (r *Search) Named(contracts *entsql.Selector, fromHigh bool) {
	w := entsql.Dialect(contracts.Dialect()).Table(collectionword.Table).As("w")
	order := entsql.Asc(w.C(collectionword.FieldID))
	if fromHigh {
		order = entsql.Desc(w.C(collectionword.FieldID))
	}
	contracts.Join(w).On(w.C(collectionword.FieldContractID), contracts.C(contract.FieldID)).
		Where(entsql.And(entsql.NotNull(contracts.C(contract.FieldFirstLog)), r.found(w.C))).OrderBy(order)
}
