package graph

import (
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// TokenMetadata is the GraphQL type of a token's metadata; schema.graphqls
// describes its fields.
type TokenMetadata struct{ *nft.TokenMetadata }

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
type Attribute = nft.Attribute

func (m TokenMetadata) Attributes() []Attribute { return m.TokenMetadata.Attributes }
