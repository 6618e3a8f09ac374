package nft

import "mintburn/internal/evm"

// Document is the metadata document of a token or a collection as it was fetched or recorded.
type Document struct {
	TokenKey
	// OfCollection is set if the document is that of the collection itself. TokenID is then zero.
	OfCollection bool
	// Type is the standard of the token's collection, or empty if only the URI shows it.
	Type ContractType
	// Name and Symbol are those of the collection, nil if unknown. Those of the document precede
	// them.
	Name, Symbol *string
	// URI is the result of tokenURI or uri, in which {id} is not replaced, or of contractURI.
	URI string
	// FetchedAt is the time of the fetch in Unix seconds, UTC.
	FetchedAt uint64
	// Raw is the document's text.
	Raw string
}

// Metadata is the normalised content of a token document. A string is nil if it is
// missing or empty in the document.
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
	// TraitType is the trait's name, or empty if the document has none.
	TraitType string `json:"trait_type"`
	// Value is a string, or the JSON text of another value.
	Value string `json:"value"`
	// MaxValue is the upper bound of the value according to the document, or nil.
	MaxValue *float64 `json:"max_value,omitempty"`
	// TraitCount is the number of possible values of this trait according to the document.
	// If it is nil, the distinct values in the collection are counted.
	TraitCount *evm.Long `json:"trait_count,omitempty"`
	// Order is the trait's order according to the document. It defaults to the 1-based
	// position in the list.
	Order evm.Long `json:"order"`
	// DisplayType is how the value is shown according to the document, such as "date", or empty.
	DisplayType string `json:"-"`
}

// MetadataState is the state of fetching a token's document.
type MetadataState string

// The states of a token's metadata. The values are those of the GraphQL enum
// MetadataState.
const (
	// Pending means that a newer document may exist and is being fetched, or will be
	// soon.
	Pending MetadataState = "PENDING"
	// Resolved means that the last attempt fetched the document.
	Resolved MetadataState = "RESOLVED"
	// Failed means that the last attempt failed. The document of an earlier attempt is
	// kept.
	Failed MetadataState = "FAILED"
)

// Cause is why a document of a token was stored.
type Cause string

// The causes. The values are those of the GraphQL enum VersionCause.
const (
	// First means that no earlier document was known.
	First Cause = "FIRST"
	// Event means that a contract event asked for the fetch (EIP-4906, or URI of ERC-1155).
	Event Cause = "EVENT"
	// Recheck means that the document was fetched because of its age.
	Recheck Cause = "RECHECK"
	// Import means that the document was imported.
	Import Cause = "IMPORT"
)

// TokenMetadata is the metadata of a token. If its document was never fetched,
// because every attempt [Failed], URI may be known, and all other fields that
// come from a document are zero.
type TokenMetadata struct {
	TokenKey
	// Type is the collection's standard.
	Type ContractType
	// UpdatedAt is the time of the fetch at which the content last changed,
	// in Unix seconds, UTC. It is 0 without a document.
	UpdatedAt uint64
	// FetchedAt is the time of the last fetch in Unix seconds, UTC. Without a document
	// it is the time of the last attempt.
	FetchedAt uint64
	// URI and Raw are the document's source and text. Raw is empty without a
	// document.
	URI, Raw string
	// Outdated is set where a newer document of the token was kept instead.
	Outdated bool
	// State, Error, Attempts and NextTry describe the attempts to fetch the document.
	// They are ignored when a document is stored.
	State MetadataState
	// Error is why the last attempt failed. It is empty if the attempt succeeded.
	Error string
	// Attempts is the number of failed attempts since the last success.
	Attempts int
	// NextTry is the time of the next fetch in Unix seconds, UTC. It is 0 if none is
	// scheduled.
	NextTry uint64
	Metadata
}
