package graph

import (
	"context"

	"mintburn/internal/fastql"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/page"
)

// AppendVersionCause appends the enum VersionCause.
func AppendVersionCause(b []byte, c nft.Cause) []byte { return fastql.AppendName(b, c) }

// MetadataVersion is the GraphQL type of a document of a token.
type MetadataVersion struct{ *store.Version }

func (v MetadataVersion) URI() *string { return orNull(v.Version.URI) }
func (v MetadataVersion) Raw() *string { return orNull(v.Version.Raw) }

// MetadataVersionEdge is the GraphQL type of a document on a page.
type MetadataVersionEdge = edge[MetadataVersion]

// MetadataVersionConnection is the GraphQL type of a page of a token's documents.
type MetadataVersionConnection struct {
	connectionOf[*page.Page[*store.Version], MetadataVersion]
}

// versionsOf returns a page of the documents of each token.
func versionsOf(ctx context.Context, objs []*TokenMetadata, args page.Args) ([]*MetadataVersionConnection, error) {
	return present(objs, func(objs []*TokenMetadata) ([]*MetadataVersionConnection, error) {
		of, list := make([]*store.TokenMetadata, len(objs)), make([]*MetadataVersionConnection, len(objs))
		for i, obj := range objs {
			of[i] = obj.TokenMetadata
		}
		pages, errs, err := snapshotOf(ctx).VersionsOf(ctx, of, selectedTexts(ctx), args)
		if err != nil {
			return nil, err
		}
		for i, p := range pages {
			if p != nil {
				list[i] = &MetadataVersionConnection{newConnection(&p.AnyPage, p, versionAt)}
			}
		}
		return each(list, errs)
	})
}

func versionAt(p *page.Page[*store.Version], i int) MetadataVersion {
	return MetadataVersion{p.Items[i]}
}
