package nft

import "mintburn/internal/evm"

// Document is a token's metadata document as it was fetched or recorded.
type Document struct {
	TokenKey
	// URI is what tokenURI or uri returned, {id} not yet replaced.
	URI string
	// FetchedAt is the time of the fetch in Unix seconds, UTC.
	FetchedAt uint64
	// Raw is the document's text.
	Raw string
}

// Metadata is a token's document, normalised. A nil string is one that the
// document lacks or leaves empty.
type Metadata struct {
	Name            *string
	Description     *string
	Image           *string
	ExternalURL     *string
	ImageData       *string
	BackgroundColor *string
	YoutubeURL      *string
	AnimationURL    *string
	// Attributes are in the document's order, not sorted by Order.
	Attributes []Attribute
}

// Attribute is one trait of a token.
type Attribute struct {
	// TraitType is the trait's name; empty where the document has none.
	TraitType string `json:"trait_type"`
	// Value is a string, or the JSON text of a value that is none.
	Value string `json:"value"`
	// MaxValue is the document's upper range, or nil.
	MaxValue *float64 `json:"max_value,omitempty"`
	// TraitCount is the document's number of possible values for this trait,
	// or nil, in which case the collection is counted.
	TraitCount *evm.Long `json:"trait_count,omitempty"`
	// Order is the document's place for this trait, or else its 1-based
	// place in the list.
	Order evm.Long `json:"order"`
}

// TokenMetadata is what is known of one token's metadata.
type TokenMetadata struct {
	TokenKey
	// Type is the collection's standard.
	Type ContractType
	// UpdatedAt is the time of the fetch at which the content last changed,
	// in Unix seconds, UTC.
	UpdatedAt uint64
	// FetchedAt is the time of the last fetch, in Unix seconds, UTC.
	FetchedAt uint64
	// URI and Raw are the document's source and text.
	URI, Raw string
	Metadata
}
