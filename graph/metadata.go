package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/selection"
	"mintburn/internal/store"
)

// TokenMetadata is the GraphQL type of a token's metadata; schema.graphqls
// describes its fields.
type TokenMetadata struct{ *store.Token }

// IsNode marks a Node.
func (TokenMetadata) IsNode() {}

func (m TokenMetadata) ID() string                       { return store.TokenNodeID(m.TokenKey) }
func (m TokenMetadata) CollectionAddress() evm.Address   { return m.Contract }
func (m TokenMetadata) CollectionType() nft.ContractType { return m.Type }
func (m TokenMetadata) UpdatedAt() evm.Long              { return evm.Long(m.TokenMetadata.UpdatedAt) }
func (m TokenMetadata) FetchedAt() evm.Long              { return evm.Long(m.TokenMetadata.FetchedAt) }

func (m TokenMetadata) URI() *string   { return orNull(m.TokenMetadata.URI) }
func (m TokenMetadata) Raw() *string   { return orNull(m.TokenMetadata.Raw) }
func (m TokenMetadata) Error() *string { return orNull(m.TokenMetadata.Error) }

func (m TokenMetadata) NextTry() *evm.Long {
	if m.TokenMetadata.NextTry == 0 {
		return nil
	}
	next := evm.Long(m.TokenMetadata.NextTry)
	return &next
}

// orNull returns a text, or nil for the empty one.
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// Attribute is the GraphQL type of a token's attribute.
type Attribute = store.Attribute

func (m TokenMetadata) Attributes() []Attribute { return m.Token.Attributes }

// texts has the texts that a field of TokenMetadata or Attribute needs.
var texts = map[string]map[string]store.Texts{
	"TokenMetadata": {
		"name": store.TextName, "description": store.TextDescription, "image": store.TextImage, "externalUrl": store.TextExternalURL,
		"imageData": store.TextImageData, "backgroundColor": store.TextBackgroundColor, "youtubeUrl": store.TextYoutubeURL,
		"animationUrl": store.TextAnimationURL, "attributes": store.TextAttributes, "uri": store.TextURI, "raw": store.TextRaw,
	},
	"Attribute": {"traitCount": store.TraitCounts},
}

// selectedTexts returns the texts that the selections below the root field of a
// context need: a page is read once for all of them.
func selectedTexts(ctx context.Context) store.Texts {
	root := graphql.GetFieldContext(ctx)
	for field := root.Parent; field != nil; field = field.Parent {
		if field.Field.Field != nil {
			root = field
		}
	}
	return textsIn(root.Field.Selections, graphql.GetOperationContext(ctx).Variables)
}

func textsIn(set ast.SelectionSet, variables map[string]any) (found store.Texts) {
	selection.Fields(set, variables, func(f *ast.Field) {
		found |= texts[f.ObjectDefinition.Name][f.Name] | textsIn(f.SelectionSet, variables)
	})
	return found
}
