package graph

import (
	"context"
	"math"
	"strconv"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// token compiles a selection on TokenMetadata.
func (c *compiler) token(selections ast.SelectionSet) object[TokenMetadata] {
	return compile(c, selections, tokenMetadataImplementors, func(f graphql.CollectedField) step[TokenMetadata] {
		if f.Name == "attributes" {
			object := compile(c, f.Selections, attributeImplementors, attributeField)
			return step[TokenMetadata]{ask: func(ctx context.Context, b []byte, m TokenMetadata) ([]byte, error) {
				list := m.Attributes()
				return appendList(ctx, b, len(list), object, func(i int) *Attribute { return &list[i] })
			}}
		}
		return step[TokenMetadata]{write: tokenValue(f.Name)}
	})
}

// tokenValue returns what writes a value of a token's metadata; nil for a field
// that it does not know.
func tokenValue(name string) func(b []byte, m TokenMetadata) []byte {
	switch name {
	case "id":
		return func(b []byte, m TokenMetadata) []byte { return appendString(b, m.ID()) }
	case "collectionAddress":
		return func(b []byte, m TokenMetadata) []byte { return m.Contract.AppendQuoted(b) }
	case "collectionType":
		return func(b []byte, m TokenMetadata) []byte { return appendName(b, m.Type) }
	case "tokenId":
		return func(b []byte, m TokenMetadata) []byte { return m.TokenID.AppendQuoted(b) }
	case "externalUrl":
		return func(b []byte, m TokenMetadata) []byte { return appendText(b, m.ExternalURL) }
	case "imageData":
		return func(b []byte, m TokenMetadata) []byte { return appendText(b, m.ImageData) }
	case "backgroundColor":
		return func(b []byte, m TokenMetadata) []byte { return appendText(b, m.BackgroundColor) }
	case "youtubeUrl":
		return func(b []byte, m TokenMetadata) []byte { return appendText(b, m.YoutubeURL) }
	case "updatedAt":
		return func(b []byte, m TokenMetadata) []byte { return appendInt(b, uint64(m.UpdatedAt())) }
	case "name":
		return func(b []byte, m TokenMetadata) []byte { return appendText(b, m.Name) }
	case "description":
		return func(b []byte, m TokenMetadata) []byte { return appendText(b, m.Description) }
	case "image":
		return func(b []byte, m TokenMetadata) []byte { return appendText(b, m.Image) }
	case "animationUrl":
		return func(b []byte, m TokenMetadata) []byte { return appendText(b, m.AnimationURL) }
	case "uri":
		return func(b []byte, m TokenMetadata) []byte { return appendText(b, m.URI()) }
	case "raw":
		return func(b []byte, m TokenMetadata) []byte { return appendText(b, m.Raw()) }
	case "fetchedAt":
		return func(b []byte, m TokenMetadata) []byte { return appendInt(b, uint64(m.FetchedAt())) }
	case "state":
		return func(b []byte, m TokenMetadata) []byte { return appendName(b, m.State) }
	case "error":
		return func(b []byte, m TokenMetadata) []byte { return appendText(b, m.Error()) }
	case "attempts":
		return func(b []byte, m TokenMetadata) []byte { return appendInt(b, m.Attempts) }
	case "nextTry":
		return func(b []byte, m TokenMetadata) []byte {
			if next := m.NextTry(); next != nil {
				return appendInt(b, uint64(*next))
			}
			return appendNull(b)
		}
	default:
		return nil
	}
}

// attributeField returns the step for a field of Attribute.
func attributeField(f graphql.CollectedField) step[*Attribute] {
	switch f.Name {
	case "traitType":
		return step[*Attribute]{write: func(b []byte, a *Attribute) []byte { return appendString(b, a.TraitType) }}
	case "value":
		return step[*Attribute]{write: func(b []byte, a *Attribute) []byte { return appendString(b, a.Value) }}
	case "maxValue":
		return step[*Attribute]{ask: func(_ context.Context, b []byte, a *Attribute) ([]byte, error) {
			switch v := a.MaxValue; {
			case v == nil:
				return appendNull(b), nil
			case math.IsInf(*v, 0), math.IsNaN(*v):
				return nil, errGenerated
			default:
				return strconv.AppendFloat(b, *v, 'g', -1, 64), nil
			}
		}}
	case "traitCount":
		return step[*Attribute]{ask: func(_ context.Context, b []byte, a *Attribute) ([]byte, error) {
			if a.TraitCount == nil {
				return nil, errGenerated
			}
			return appendInt(b, uint64(*a.TraitCount)), nil
		}}
	case "order":
		return step[*Attribute]{write: func(b []byte, a *Attribute) []byte { return appendInt(b, uint64(a.Order)) }}
	default:
		return step[*Attribute]{}
	}
}
