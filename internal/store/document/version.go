package document

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/version"
	"mintburn/internal/apierror"
	"mintburn/internal/database"
	"mintburn/internal/nft"
	"mintburn/internal/store/cursor"
	"mintburn/internal/store/page"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
)

// Version is a document of a token, the present one or an earlier one.
type Version struct {
	// FetchedAt is the time of the first fetch of the document, Unix seconds, UTC.
	FetchedAt uint64
	// Cause is why the document was stored.
	Cause nft.Cause
	// URI and Raw are the document's source and text, or empty if they were not selected.
	URI, Raw string

	number int64
	// textBytes is the length of the texts of an earlier document, -1 for the present one.
	textBytes int64
}

// versionPage is one page of the documents of a token, the newest first.
type versionPage struct {
	page.Page[*Version]
	all []*Version
}

// Versions returns a page of the documents of each token, the newest first. Tokens without a
// document have none. The texts that the pages of earlier documents need are read, too; those of
// the present document must have been read with the token. The errors of each token are those
// of [page.Args], and INVALID_CURSOR for the cursor of another token; err may be QUERY_TOO_COSTLY,
// for texts that do not fit the snapshot's bound.
func Versions(ctx context.Context, s *read.Snapshot, of []*TokenMetadata, texts read.Texts, args page.Args) (pages []*page.Page[*Version], errs []error, err error) {
	list, errs := make([]versionPage, len(of)), make([]error, len(of))
	for i, t := range of {
		p := &list[i]
		if errs[i] = page.Begin(&p.AnyPage, s, p, args); errs[i] != nil {
			continue
		}
		if errs[i] = p.BelongTo(cursor.Fingerprint(append(append([]byte("versions"), t.Contract[:]...), t.TokenID.Bytes()...))); errs[i] == nil {
			errs[i] = p.Given().Positioned()
		}
	}
	if err := readVersions(ctx, s, of, list); err != nil {
		return nil, nil, database.Wrap(err, "reading versions of documents")
	}
	pages, wanted := make([]*page.Page[*Version], len(of)), map[tables.TokenKey][]*Version{}
	for i, t := range of {
		p := &list[i]
		if errs[i] != nil {
			continue
		}
		items := p.all
		if p.After != nil {
			items = slices.DeleteFunc(slices.Clone(items), func(v *Version) bool { return v.number >= cursor.PositionOf(p.After.Key) })
		}
		p.Take(items)
		pages[i] = &p.Page
		wanted[tables.TokenKey{ContractID: t.contractID, TokenID: t.TokenID}] = p.Items
	}
	if texts&(read.TextURI|read.TextRaw) == 0 {
		return pages, errs, nil
	}
	return pages, errs, readVersionTexts(ctx, s, wanted)
}

// smallVersion are the columns of a version besides its texts.
var smallVersion = []string{version.FieldContractID, version.FieldTokenID, version.FieldNumber, version.FieldFetchedAt, version.FieldCause, version.FieldTextBytes}

// readVersions reads all versions of tokens, without the texts of the earlier ones.
func readVersions(ctx context.Context, s *read.Snapshot, of []*TokenMetadata, list []versionPage) error {
	var wanted pairs
	earlier := map[tables.TokenKey][]*Version{}
	for _, t := range of {
		key := tables.TokenKey{ContractID: t.contractID, TokenID: t.TokenID}
		if _, seen := earlier[key]; !seen && !t.undocumented {
			earlier[key] = nil
			wanted.add(t.contractID, t.TokenID.Bytes())
		}
	}
	var found ent.Version
	err := eachOf(ctx, s, query.Key{Name: "versions"}, wanted, func(client *ent.Client, part pairs) entsql.Querier {
		return client.Version.Query().Where(part.where(version.FieldTokenID)).Select(smallVersion...).Selector()
	}, func(row *database.Row) error {
		if err := found.ReadRow(row, smallVersion...); err != nil {
			return err
		}
		key := tables.TokenKey{ContractID: found.ContractID, TokenID: found.TokenID}
		earlier[key] = append(earlier[key], &Version{FetchedAt: found.FetchedAt, Cause: causeOf((*string)(found.Cause)), number: found.Number, textBytes: found.TextBytes})
		return nil
	})
	for i, t := range of {
		if t.undocumented {
			continue
		}
		present := &Version{FetchedAt: t.UpdatedAt, Cause: t.Cause, URI: t.URI, Raw: t.Raw, number: 1, textBytes: -1}
		former := earlier[tables.TokenKey{ContractID: t.contractID, TokenID: t.TokenID}]
		slices.SortFunc(former, func(a, b *Version) int { return cmp.Compare(b.number, a.number) })
		if len(former) > 0 {
			present.number = former[0].number + 1
		}
		list[i].all = append([]*Version{present}, former...)
	}
	return err
}

// readVersionTexts reads the texts of earlier documents, if they fit.
func readVersionTexts(ctx context.Context, s *read.Snapshot, wanted map[tables.TokenKey][]*Version) error {
	var total int64
	var tokens pairs
	for key, items := range wanted {
		earlier := false
		for _, v := range items {
			total, earlier = total+max(0, v.textBytes), earlier || v.textBytes >= 0
		}
		if earlier {
			tokens.add(key.ContractID, key.TokenID.Bytes())
		}
	}
	left, fit, err := take(s, total)
	if err != nil {
		return err
	}
	if !fit {
		return apierror.Errorf(apierror.QueryTooCostly, "the selected versions have %d bytes of texts, and the request may read %d more: ask for fewer versions", total, left)
	}
	columns := []string{version.FieldContractID, version.FieldTokenID, version.FieldNumber, version.FieldURI, version.FieldRaw}
	var found ent.Version
	err = eachOf(ctx, s, query.Key{Name: "texts of versions"}, tokens, func(client *ent.Client, part pairs) entsql.Querier {
		return client.Version.Query().Where(part.where(version.FieldTokenID)).Select(columns...).Selector()
	}, func(row *database.Row) error {
		if err := found.ReadRow(row, columns...); err != nil {
			return err
		}
		for _, v := range wanted[tables.TokenKey{ContractID: found.ContractID, TokenID: found.TokenID}] {
			if v.number != found.Number {
				continue
			}
			var err error
			if v.Raw, err = tables.UnpackRaw(found.Raw, v.textBytes-int64(len(found.URI))); err != nil {
				return fmt.Errorf("version %d: %w", v.number, err)
			}
			v.URI = found.URI
		}
		return nil
	})
	return database.Wrap(err, "reading the texts of versions")
}

// Prepare implements [page.List]: [Versions] has read the items.
func (*versionPage) Prepare(context.Context, page.Selected) (page.Items, []page.Read, error) {
	return func(context.Context, bool) ([]page.Read, error) { return nil, nil }, nil, nil
}

// Key implements [page.List].
func (p *versionPage) Key(i int) (cursor.Key, error) {
	switch {
	case i >= 0:
		return cursor.Key{Pos: p.Items[i].number}, nil
	case p.After != nil:
		return cursor.Key{Pos: cursor.PositionOf(p.After.Key)}, nil
	}
	return cursor.Key{Pos: p.all[0].number + 1}, nil
}

// Exists implements [page.List]. Only a cursor for after may be given.
func (p *versionPage) Exists(_ context.Context, _ bool, bound *cursor.Cursor) (bool, error) {
	return len(p.all) > 0 && p.all[0].number >= cursor.PositionOf(bound.Key), nil
}

// Count implements [page.List].
func (p *versionPage) Count(context.Context) (int64, error) { return int64(len(p.all)), nil }
