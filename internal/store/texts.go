package store

import (
	"context"
	"fmt"
	"math/bits"
	"strings"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/resolution"
	"mintburn/ent/token"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// Texts is a set of the texts of a token's metadata: those that are read.
// Everything else that is known of a token is small and always read.
type Texts uint16

// The texts of a token, in the order of textColumns, and TraitCounts: with
// TextAttributes, the counts that the documents leave out.
const (
	TextName Texts = 1 << iota
	TextBackgroundColor
	TextExternalURL
	TextYoutubeURL
	TextAnimationURL
	TextImage
	TextDescription
	TextAttributes
	TextImageData
	TextURI
	TextRaw
	TraitCounts

	AllTexts = TraitCounts<<1 - 1
)

// textColumns has the column of each text.
var textColumns = [...]string{
	token.FieldName, token.FieldBackgroundColor, token.FieldExternalURL, token.FieldYoutubeURL, token.FieldAnimationURL, token.FieldImage,
	token.FieldDescription, token.FieldAttributes, token.FieldImageData, token.FieldURI, token.FieldRaw,
}

// columns appends the columns of the texts.
func (t Texts) columns(columns []string) []string {
	for rest := t &^ TraitCounts; rest != 0; rest &= rest - 1 {
		columns = append(columns, textColumns[bits.TrailingZeros16(uint16(rest))])
	}
	return columns
}

const (
	// lightToken is how many bytes of texts a token may have to be read with its
	// page. The texts of others are read when their lengths are known to fit.
	lightToken = 8 << 10
	// heldStep is how many bytes of texts may be read before memory is taken for
	// them.
	heldStep = 64 << 10
)

// selectLight adds texts to a selection: those of light tokens, and the bytes
// that the others have, which are null for light ones.
func selectLight(s *entsql.Selector, texts Texts) {
	columns := texts.columns(nil)
	if len(columns) == 0 {
		return
	}
	weight := s.C(token.FieldTextBytes)
	for _, column := range columns {
		s.AppendSelectExpr(entsql.Expr(fmt.Sprintf("CASE WHEN %s <= %d THEN %s ELSE '' END", weight, lightToken, s.C(column))))
	}
	s.AppendSelectExpr(entsql.Expr(fmt.Sprintf("CASE WHEN %s > %d THEN %s END", weight, lightToken, bytesOf(columns, s.C))))
}

// bytesOf returns the expression for the bytes that columns have together; name
// returns the name of a column in a statement.
func bytesOf(columns []string, name func(column string) string) string {
	lengths := make([]string, len(columns))
	for i, column := range columns {
		lengths[i] = "COALESCE(octet_length(" + name(column) + "), 0)"
	}
	return strings.Join(lengths, " + ")
}

// readLight reads the value that selectLight adds last.
func (t *Token) readLight(row *database.Row, found *ent.Token) error {
	if !row.Null() {
		t.heavy, t.bytes = true, row.Int64()
		return row.Err()
	}
	t.setTexts(found)
	for _, text := range [...]*string{
		t.Name, t.BackgroundColor, t.ExternalURL, t.YoutubeURL, t.AnimationURL, t.Image, t.Description, &found.Attributes, t.ImageData, &t.URI, &t.Raw,
	} {
		if text != nil {
			t.bytes += int64(len(*text))
		}
	}
	return row.Err()
}

// setTexts sets the texts; those that were not read are empty.
func (t *Token) setTexts(found *ent.Token) {
	t.URI, t.Raw, t.attributes = found.URI, found.Raw, found.Attributes
	t.Metadata = nft.Metadata{
		Name: found.Name, Description: found.Description, Image: found.Image, ExternalURL: found.ExternalURL, ImageData: found.ImageData,
		BackgroundColor: found.BackgroundColor, YoutubeURL: found.YoutubeURL, AnimationURL: found.AnimationURL,
	}
}

// readTexts completes tokens that were read with their page: it reads the texts
// of those that are not light, if all fit, the attributes and the trait counts.
// requested are the tokens in the order in which they are counted to fit, nil for
// items of which nothing is known; argument is the page's, or "".
func (s *Snapshot) readTexts(ctx context.Context, items, requested []*Token, texts Texts, argument string) error {
	var total int64
	for _, t := range items {
		total += t.bytes
	}
	left, fit, err := s.take(total)
	if err != nil {
		return err
	}
	if !fit {
		return tooHeavy(requested, total, left, argument)
	}
	if err := s.readHeavy(ctx, items, texts); err != nil {
		return fmt.Errorf("reading the texts of tokens: %w", err)
	}
	if texts&TextAttributes == 0 {
		return nil
	}
	for _, t := range items {
		if t.undocumented {
			continue
		}
		if t.Attributes, err = parseAttributes(t.attributes); err != nil {
			return fmt.Errorf("reading the attributes of %s %s: %w", t.Contract, t.TokenID, err)
		}
	}
	if texts&TraitCounts == 0 {
		return nil
	}
	return s.countTraits(ctx, items)
}

// tokenKey names a token as its row does.
type tokenKey struct {
	contractID int64
	tokenID    evm.Uint256
}

// take takes memory for texts, or reports that they do not fit into what is left.
func (s *Snapshot) take(n int64) (left int64, fit bool, err error) {
	if s.hold == nil {
		return 0, true, nil
	}
	// Few bytes wait for more.
	if s.unheld.Add(n) < heldStep {
		return 0, true, nil
	}
	excess, err := s.hold(s.unheld.Swap(0))
	return max(0, n-excess), excess == 0, err
}

// readHeavy reads the texts of tokens that are not light.
func (s *Snapshot) readHeavy(ctx context.Context, items []*Token, texts Texts) error {
	var documents, failed pairs
	byKey := map[tokenKey]*Token{}
	for _, t := range items {
		if !t.heavy {
			continue
		}
		wanted := &documents
		if t.undocumented {
			wanted = &failed
		}
		wanted.add(t.contractID, t.TokenID.Bytes())
		byKey[tokenKey{t.contractID, t.TokenID}] = t
	}
	columns := texts.columns([]string{token.FieldContractID, token.FieldTokenID})
	err := s.eachOf(ctx, statementKey{name: "texts of tokens", texts: texts}, documents, func(client *ent.Client, part pairs) entsql.Querier {
		return client.Token.Query().Where(part.where(token.FieldTokenID)).Select(columns...).Selector()
	}, func(row *database.Row) error {
		var found ent.Token
		err := found.ReadRow(row, columns...)
		if t := byKey[tokenKey{found.ContractID, found.TokenID}]; err == nil {
			t.setTexts(&found)
		}
		return err
	})
	if err != nil {
		return err
	}
	failedColumns := []string{resolution.FieldContractID, resolution.FieldTokenID, resolution.FieldURI}
	return s.eachOf(ctx, statementKey{name: "URIs of failed tokens"}, failed, func(client *ent.Client, part pairs) entsql.Querier {
		return client.Resolution.Query().Where(part.where(resolution.FieldTokenID)).Select(failedColumns...).Selector()
	}, func(row *database.Row) error {
		var found ent.Resolution
		err := found.ReadRow(row, failedColumns...)
		if t := byKey[tokenKey{found.ContractID, found.TokenID}]; err == nil {
			t.URI = *found.URI
		}
		return err
	})
}

// tooHeavy refuses texts of which only so many bytes are left to be read.
func tooHeavy(requested []*Token, total, left int64, argument string) error {
	fit, bytes := 0, int64(0)
	counted := make(map[*Token]bool, len(requested))
	for _, t := range requested {
		if t != nil && !counted[t] {
			counted[t] = true
			bytes += t.bytes
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
	err := nft.Errorf(nft.QueryTooCostly, "%s", message)
	err.Details = map[string]any{"fit": fit}
	return err
}
