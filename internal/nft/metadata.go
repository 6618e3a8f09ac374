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
	// Value is a string, or the JSON text of another value.
	Value string `json:"value"`
	// MaxValue is the document's upper range, or nil.
	MaxValue *float64 `json:"max_value,omitempty"`
	// TraitCount is the document's number of possible values for this trait.
	// If it is nil, the different values in the collection count.
	TraitCount *evm.Long `json:"trait_count,omitempty"`
	// Order is the document's order for this trait, else its 1-based position in
	// the list.
	Order evm.Long `json:"order"`
}

// MetadataState is how the last attempt to fetch a token's document ended.
type MetadataState string

// The states of a token's metadata; the values are those of the GraphQL enum
// MetadataState.
const (
	// Pending is a document of which a newer one may exist: it is being fetched,
	// or will be soon.
	Pending MetadataState = "PENDING"
	// Resolved is a document that the last attempt fetched.
	Resolved MetadataState = "RESOLVED"
	// Failed is a token whose last attempt failed. The document of an earlier
	// one, if any, stays.
	Failed MetadataState = "FAILED"
)

// TokenMetadata is the metadata of a token. If its document was never fetched,
// because each attempt [Failed], URI may be known, and everything else that
// comes with a document is zero.
type TokenMetadata struct {
	TokenKey
	// Type is the collection's standard.
	Type ContractType
	// UpdatedAt is the time of the fetch at which the content last changed,
	// in Unix seconds, UTC; 0 without a document.
	UpdatedAt uint64
	// FetchedAt is the time of the last fetch, in Unix seconds, UTC; without a
	// document, of the last attempt.
	FetchedAt uint64
	// URI and Raw are the document's source and text; Raw is empty without a
	// document.
	URI, Raw string
	// State, Error, Attempts and NextTry are how the attempts to fetch it went.
	// They are unused when a document is stored.
	State MetadataState
	// Error is why the last attempt failed; empty if it did not.
	Error string
	// Attempts is the number of failed attempts since the last success.
	Attempts int
	// NextTry is the time of the next fetch in Unix seconds, UTC; 0 if none is
	// set.
	NextTry uint64
	Metadata
}
