package feed

import (
	"mintburn/ent"
	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/change"
)

// Kind is what a change is.
type Kind string

// The kinds; the values are those of the GraphQL enum ChangeKind.
const (
	Added     Kind = "ADDED"     // a record was added
	Voided    Kind = "VOIDED"    // blocks became void
	Finalized Kind = "FINALIZED" // blocks became final
	Metadata  Kind = "METADATA"  // a token's document was stored, or is gone
)

// Cause is why blocks became void.
type Cause change.Cause

// The causes.
const (
	Reorg    = Cause(change.Reorg)
	Repair   = Cause(change.Repair)
	Redecode = Cause(change.Redecode)
)

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
	// Token is the token whose Document changed, nil if it has none.
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
	// Complete reports whether the net effect of the rows of the log that the batches read is
	// delivered. The next batch begins with the void blocks of later rows, if More is set.
	Complete bool
	// Scanned is how many records and documents were read for a filter that leaves some out, at most
	// [apierror.MaxScanned].
	Scanned int
	// Head is the last indexed block, nil if there is none.
	Head *evm.Header
}

// Bounds of a batch, in changes: the maximum of one that is pushed, and the default of one that is
// not.
const (
	MaxBatch     = apierror.DefaultChanges
	DefaultBatch = apierror.DefaultChanges
)

// Mark is the state of the log: the number of its last row and that row's nonce. Equal marks are
// the same state, of the same history of the database.
type Mark struct{ Number, Nonce int64 }

func markOf(row ent.Change) Mark { return Mark{row.ID, row.Nonce} }
