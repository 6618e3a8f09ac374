package document

import (
	"context"
	"fmt"
	"strings"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/contract"
	"mintburn/ent/predicate"
	"mintburn/ent/resolution"
	"mintburn/ent/token"
	"mintburn/internal/database"
	"mintburn/internal/nft"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
)

// TokenMetadata is the metadata of one token, with the selected texts. The other
// texts are empty.
type TokenMetadata struct {
	// TokenMetadata has no attributes: they are in the field below.
	nft.TokenMetadata
	// Attributes are in the document's order.
	Attributes []Attribute

	// Cause is why the document was stored, if that is read.
	Cause nft.Cause

	contractID int64
	// traitsVersion is the traits version of its collection.
	traitsVersion int64
	// undocumented means that the token's document was never fetched.
	undocumented bool
	// Bytes is the length of the texts. heavy means that they are read after the token.
	Bytes int64
	heavy bool
	// attributes are the attributes in stored form, displayTypes their display types, nil for
	// none.
	attributes   string
	displayTypes *string
}

// collectionColumns are the columns of a token's contract that are read with it.
var collectionColumns = []string{contract.FieldAddress, contract.FieldStandards, contract.FieldTraitsVersion}

// smallColumns are the columns of a token that are always read.
var smallColumns = []string{token.FieldContractID, token.FieldTokenID, token.FieldFetchedAt, token.FieldUpdatedAt, token.FieldURIHasID}

// Select makes a query select the columns that metadataRow reads: a token with its
// texts and its collection.
func Select(tokens *ent.TokenQuery, texts read.Texts) entsql.Querier {
	tokens.Modify(func(s *entsql.Selector) {
		b := entsql.Dialect(s.Dialect())
		c, r := b.Table(contract.Table), b.Table(resolution.Table)
		// The sums keep PostgreSQL from reading all documents or resolutions of a
		// collection instead of those of the page, because it expects them to be few.
		s.Join(c).OnP(entsql.P(func(b *entsql.Builder) {
			b.WriteString(s.C(token.FieldContractID) + " + 0 = " + c.C(contract.FieldID))
		})).Select(s.Columns(smallColumns...)...)
		selectLight(s, texts)
		s.AppendSelect(c.Columns(collectionColumns...)...)
		if texts&read.Cause != 0 {
			s.AppendSelect(s.C(token.FieldCause))
		}
		if texts&read.FetchState == 0 {
			return
		}
		s.LeftJoin(r).OnP(entsql.P(func(b *entsql.Builder) {
			b.WriteString(r.C(resolution.FieldContractID) + " = " + s.C(token.FieldContractID) + " + 0 AND " +
				r.C(resolution.FieldTokenID) + " = " + s.C(token.FieldTokenID))
		})).AppendSelect(r.Columns(fetchColumns...)...)
	})
	return tokens.Selector()
}

// ByTokenID orders by token id. ent generates no function for it, because the column
// has a Go type of its own.
func ByTokenID(direction entsql.OrderTermOption) token.OrderOption {
	return entsql.OrderByField(token.FieldTokenID, direction).ToFunc()
}

// CompareTokenID compares token ids with the key of a cursor, which may be another
// value than a token id.
func CompareTokenID(op entsql.Op, key []byte) predicate.Token {
	return func(s *entsql.Selector) {
		name := s.C(token.FieldTokenID)
		s.Where(entsql.P(func(b *entsql.Builder) { b.WriteString(name).WriteOp(op).Arg(key) }))
	}
}

// metadataRow is a row of Select, reused for all rows.
type metadataRow struct {
	token      ent.Token
	collection ent.Contract
	fetch      ent.Resolution
	// columns are the columns of the token, including its texts.
	columns []string
	texts   read.Texts
}

// begin prepares the row for a statement that reads these texts.
func (r *metadataRow) begin(texts read.Texts) {
	// The last statement may have read other texts.
	r.token = ent.Token{}
	if r.columns == nil || r.texts != texts {
		r.columns, r.texts = texts.Columns(append(r.columns[:0], smallColumns...)), texts
	}
}

// read reads a row.
func (r *metadataRow) read(row *database.Row) (*TokenMetadata, error) {
	found := &r.token
	if err := found.ReadRow(row, r.columns...); err != nil {
		return nil, err
	}
	t := &TokenMetadata{
		TokenMetadata: nft.TokenMetadata{State: nft.Resolved, FetchedAt: found.FetchedAt, UpdatedAt: found.UpdatedAt},
		contractID:    found.ContractID,
	}
	if len(r.columns) > len(smallColumns) {
		if err := t.readLight(row, found); err != nil {
			return nil, err
		}
	}
	if err := r.collection.ReadRow(row, collectionColumns...); err != nil {
		return nil, err
	}
	t.TokenKey = nft.TokenKey{Contract: r.collection.Address, TokenID: found.TokenID}
	t.Type, t.traitsVersion = tables.TypeOf(r.collection.Standards, found.URIHasID), r.collection.TraitsVersion
	if r.texts&read.Cause != 0 {
		if err := found.ReadRow(row, token.FieldCause); err != nil {
			return nil, err
		}
		t.Cause = causeOf((*string)(found.Cause))
	}
	if r.texts&read.FetchState == 0 {
		return t, nil
	}
	return t, readFetchState(row, &r.fetch, t)
}

// causeOf returns the cause of a document. It is stored unless it is [nft.First].
func causeOf(stored *string) nft.Cause {
	if stored == nil {
		return nft.First
	}
	return nft.Cause(*stored)
}

// Read runs a statement built by Select. It returns at most limit items, and
// whether there were more.
func Read(ctx context.Context, s *read.Snapshot, text string, args []any, limit int, texts read.Texts, alone bool) (items []*TokenMetadata, more bool, err error) {
	found, ok := s.DB.MetadataRows.Get().(*metadataRow)
	if !ok {
		found = new(metadataRow)
	}
	defer s.DB.MetadataRows.Put(found)
	found.begin(texts)
	err = s.Tx.RunAll(ctx, database.Statement{Text: text, Args: args, Alone: alone, Read: func(row *database.Row) error {
		if len(items) == limit {
			more = true
			return nil
		}
		t, err := found.read(row)
		items = append(items, t)
		return err
	}})
	return items, more, database.Wrap(err, "reading token metadata")
}

// fetchColumns are the columns of resolutions with the result of fetching a token's
// document.
var fetchColumns = []string{resolution.FieldState, resolution.FieldError, resolution.FieldAttempts, resolution.FieldDueAt}

// readFetchState reads fetchColumns into m. All of them are null for a token that is
// not in the queue.
func readFetchState(row *database.Row, r *ent.Resolution, m *TokenMetadata) error {
	if row.Null() {
		row.Skip(len(fetchColumns) - 1)
		return row.Err()
	}
	if err := r.ReadRow(row, fetchColumns...); err != nil {
		return err
	}
	// The caller drops tokens without a document unless fetching it failed.
	if m.State = tables.FetchState(true, r); r.Error != nil {
		m.Error = *r.Error
	}
	m.Attempts = int(r.Attempts)
	// While a worker has claimed the token, due_at is the end of its lease.
	if r.DueAt != nil && *r.DueAt > 0 && (r.State == resolution.StateDone || r.State == resolution.StateWaiting) {
		m.NextTry = uint64(*r.DueAt)
	}
	return nil
}

// selectLight adds the texts of light tokens to a selection. The last column is the
// length of the texts of a heavy token, and null for a light one.
func selectLight(s *entsql.Selector, texts read.Texts) {
	columns := texts.Columns(nil)
	if len(columns) == 0 {
		return
	}
	weight := s.C(token.FieldTextBytes)
	for _, column := range columns {
		value := s.C(column)
		if column == token.FieldRaw {
			value = tables.WholeRawSQL(s.C)
		}
		s.AppendSelectExpr(entsql.Expr(fmt.Sprintf("CASE WHEN %s <= %d THEN %s ELSE '' END", weight, tables.LightToken, value)))
	}
	s.AppendSelectExpr(entsql.Expr(fmt.Sprintf("CASE WHEN %s > %d THEN %s END", weight, tables.LightToken, BytesOf(columns, s.C))))
}

// BytesOf returns the expression for the total length of columns in bytes. name returns
// the name of a column in a statement.
func BytesOf(columns []string, name func(column string) string) string {
	lengths := make([]string, len(columns))
	for i, column := range columns {
		lengths[i] = "COALESCE(octet_length(" + name(column) + "), 0)"
	}
	return strings.Join(lengths, " + ")
}

// readLight reads the last column of selectLight, and sets the texts of a light token.
func (t *TokenMetadata) readLight(row *database.Row, found *ent.Token) error {
	if !row.Null() {
		t.heavy, t.Bytes = true, row.Int64()
		return row.Err()
	}
	t.setTexts(found)
	t.Bytes = int64(len(t.attributes) + len(t.URI) + len(t.Raw))
	if t.displayTypes != nil {
		t.Bytes += int64(len(*t.displayTypes))
	}
	for _, text := range tables.Texts {
		if text := *text.Of(&t.Metadata); text != nil {
			t.Bytes += int64(len(*text))
		}
	}
	return row.Err()
}

// setTexts sets the texts from a row. Texts that were not read are empty.
func (t *TokenMetadata) setTexts(found *ent.Token) {
	t.URI, t.Raw, t.attributes, t.displayTypes = found.URI, found.Raw, found.Attributes, found.DisplayTypes
	for _, text := range tables.Texts {
		*text.Of(&t.Metadata) = *text.Row(found)
	}
}
