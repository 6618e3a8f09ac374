package feed

import (
	"context"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/read"
)

// Kind is what a change is.
type Kind string

// The kinds; the values are those of the GraphQL enum ChangeKind.
const (
	Added     Kind = "ADDED"     // a record was added
	Voided    Kind = "VOIDED"    // blocks became void
	Finalized Kind = "FINALIZED" // blocks became final
	Metadata  Kind = "METADATA"  // a token's document was stored
)

// Cause is why blocks became void.
type Cause string

// The causes; the values are those of the GraphQL enum VoidCause.
const (
	Reorg    Cause = "REORG"
	Repair   Cause = "REPAIR"
	Redecode Cause = "REDECODE"
)

// Filter selects changes. A nil field does not filter; an empty list selects nothing.
type Filter struct {
	Addresses, Accounts []evm.Address
	Kinds               []Kind
}

// Change is one change. Only the fields of its kind are set.
type Change struct {
	Kind Kind
	// Cursor continues after the change.
	Cursor string
	// Page has the added record at Item.
	Page *store.RecordPage
	Item int
	// Blocks are void because of Cause.
	Blocks evm.Range
	Cause  Cause
	// Block is the last final block.
	Block evm.Header
	// Token is the token whose Document changed.
	Token    nft.TokenKey
	Document *store.TokenMetadata
}

// Batch is a part of the feed.
type Batch struct {
	Changes []Change
	// Cursor continues after the batch. It is also set without changes.
	Cursor string
	// More reports whether more changes are known. A batch may be empty even so.
	More bool
	// Head is the last indexed block, nil if there is none.
	Head *evm.Header
}

// MaxBatch and DefaultBatch are numbers of changes: the most of a batch that is pushed, and those
// of a batch if none are asked for.
const MaxBatch, DefaultBatch = apierror.DefaultChanges, apierror.DefaultChanges

// Mark is the state of the log: the number of its last row and that row's nonce. Two equal marks
// are the same state; a mark is comparable, and the zero value is an empty log.
type Mark struct{ Number, Nonce int64 }

// Last returns the mark of the log at the time of the call, in one statement.
func Last(ctx context.Context, s *read.DB) (Mark, error) {
	return Mark{}, apierror.Errorf(apierror.Unavailable, "not implemented")
}

// Read returns at most limit changes after a cursor; nil means now, without changes. The texts of
// documents are those that texts selects. Besides internal errors it returns an [apierror.Error]
// with the code BAD_USER_INPUT, INVALID_CURSOR or CHANGES_EXPIRED.
func Read(ctx context.Context, s *store.Snapshot, f Filter, after *string, limit int, texts read.Texts) (*Batch, error) {
	return nil, apierror.Errorf(apierror.Unavailable, "not implemented")
}
