package document

import (
	"bytes"
	"context"
	"strings"
	"unicode/utf8"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/contract"
	"mintburn/ent/contractmetadata"
	"mintburn/internal/apierror"
	"mintburn/internal/database"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
)

// maxSearch is the maximum length of the text of a search, in characters.
const maxSearch = 64

// Search is the range of search keys, see [tables.SearchKey], of the names that begin with a text.
// To is exclusive.
type Search struct{ From, To []byte }

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
	return &Search{from, to}, nil
}

// Place returns the place in a list of search keys that a cursor's key stands for: right before
// the collection with an address, or after it if after is set. An empty key is the beginning of the
// list, and a byte behind the address always means before it. Place fails if the collection has no
// name that matches the search any more.
func (r *Search) Place(ctx context.Context, s *read.Snapshot, key []byte, after bool) ([]byte, error) {
	if len(key) == 0 {
		return r.From, nil
	}
	if len(key) != 20 && len(key) != 21 {
		return nil, apierror.Errorf(apierror.InvalidCursor, "invalid cursor: want one that this connection returned")
	}
	var row ent.ContractMetadata
	_, err := s.Cached(ctx, query.Key{Name: "search key"}, func(client *ent.Client) entsql.Querier {
		rows := client.ContractMetadata.Query().Select(contractmetadata.FieldSearchKey).Selector()
		c := entsql.Dialect(rows.Dialect()).Table(contract.Table).As("c")
		return rows.Join(c).On(rows.C(contractmetadata.FieldContractID), c.C(contract.FieldID)).Where(entsql.EQ(c.C(contract.FieldAddress), key[:20]))
	}, []any{key[:20]}, func(r *database.Row) error {
		if r.Null() {
			return nil
		}
		return row.ReadRow(r, contractmetadata.FieldSearchKey)
	})
	at := row.SearchKey
	switch {
	case err != nil:
		return nil, database.Wrap(err, "reading the name of a collection")
	case bytes.Compare(at, r.From) < 0 || bytes.Compare(at, r.To) >= 0:
		return nil, apierror.Errorf(apierror.InvalidCursor, "the cursor's collection has another name by now: start again without a cursor")
	case after && len(key) == 20:
		// No search key begins with another one.
		return append(at, 0), nil
	}
	return at, nil
}

// Count returns the number of collections that a search finds, or, above [apierror.MaxSearchTotal],
// an [apierror.Error] with the code QUERY_TOO_COSTLY.
func (r *Search) Count(ctx context.Context, s *read.Snapshot) (n int64, err error) {
	_, err = s.Last(ctx, query.Key{Name: "number of collections by name"}, func(client *ent.Client) entsql.Querier {
		rows := client.ContractMetadata.Query().Select(contractmetadata.FieldID).Selector()
		key := rows.C(contractmetadata.FieldSearchKey)
		// A subquery: PostgreSQL would scan contracts for a join.
		c := entsql.Dialect(rows.Dialect()).Table(contract.Table)
		first := entsql.Select(c.C(contract.FieldFirstLog)).From(c).Where(entsql.ColumnsEQ(c.C(contract.FieldID), rows.C(contractmetadata.FieldContractID)))
		found := rows.Where(entsql.And(entsql.GTE(key, r.From), entsql.LT(key, r.To), entsql.P(func(b *entsql.Builder) {
			b.Wrap(func(b *entsql.Builder) { b.Join(first) }).WriteString(" IS NOT NULL")
		}))).Limit(apierror.MaxSearchTotal + 1)
		return entsql.Dialect(rows.Dialect()).Select(entsql.Count("*")).From(found.As("found"))
	}, []any{r.From, r.To}, func(row *database.Row) error { return row.Values(&n) })
	if err == nil && n > apierror.MaxSearchTotal {
		err = apierror.Errorf(apierror.QueryTooCostly, "totalItems: the search finds more than %d collections: ask for pages without totalItems, or for a longer text", apierror.MaxSearchTotal)
	}
	return n, database.Wrap(err, "totalling collections")
}

// Named restricts contracts to those with a record that a search finds, in its order or, with
// fromHigh, the opposite.
func (r *Search) Named(contracts *entsql.Selector, fromHigh bool) {
	m := entsql.Dialect(contracts.Dialect()).Table(contractmetadata.Table).As("m")
	key := m.C(contractmetadata.FieldSearchKey)
	order := entsql.Asc(key)
	if fromHigh {
		order = entsql.Desc(key)
	}
	contracts.Join(m).On(m.C(contractmetadata.FieldContractID), contracts.C(contract.FieldID)).
		Where(entsql.And(entsql.NotNull(contracts.C(contract.FieldFirstLog)), entsql.GTE(key, r.From), entsql.LT(key, r.To))).OrderBy(order)
}
