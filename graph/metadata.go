package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
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

// texts are those that a field of TokenMetadata or Attribute is read from.
var texts = map[string]map[string]store.Texts{
	"TokenMetadata": {
		"name": store.TextName, "description": store.TextDescription, "image": store.TextImage, "externalUrl": store.TextExternalURL,
		"imageData": store.TextImageData, "backgroundColor": store.TextBackgroundColor, "youtubeUrl": store.TextYoutubeURL,
		"animationUrl": store.TextAnimationURL, "attributes": store.TextAttributes, "uri": store.TextURI, "raw": store.TextRaw,
	},
	"Attribute": {"traitCount": store.TraitCounts},
}

// selectedTexts returns the texts that are selected anywhere below the root field
// of a context: a page is read once for all of them.
func selectedTexts(ctx context.Context) store.Texts {
	root := graphql.GetFieldContext(ctx)
	for field := root.Parent; field != nil; field = field.Parent {
		if field.Field.Field != nil {
			root = field
		}
	}
	return textsIn(root.Field.Selections, graphql.GetOperationContext(ctx).Variables)
}

func textsIn(selections ast.SelectionSet, variables map[string]any) (found store.Texts) {
	for _, selection := range selections {
		switch s := selection.(type) {
		case *ast.Field:
			if !leftOut(s.Directives, variables) {
				found |= texts[s.ObjectDefinition.Name][s.Name] | textsIn(s.SelectionSet, variables)
			}
		case *ast.InlineFragment:
			if !leftOut(s.Directives, variables) {
				found |= textsIn(s.SelectionSet, variables)
			}
		case *ast.FragmentSpread:
			if !leftOut(s.Directives, variables) {
				found |= textsIn(s.Definition.SelectionSet, variables)
			}
		}
	}
	return found
}

// leftOut reports whether @skip or @include leaves a selection out.
func leftOut(directives ast.DirectiveList, variables map[string]any) bool {
	for _, d := range directives {
		if d.Name == "skip" || d.Name == "include" {
			if d.ArgumentMap(variables)["if"] == (d.Name == "skip") {
				return true
			}
		}
	}
	return false
}
