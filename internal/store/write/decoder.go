package write

import (
	"context"
	"fmt"

	"mintburn/ent"
	"mintburn/internal/nft"
	"mintburn/internal/store/tables"
)

// DecodingError says that the stored blocks are decoded with other options, and how to get
// others.
type DecodingError struct{ text string }

// Error returns one line.
func (e *DecodingError) Error() string { return e.text }

func otherDecoding(stored, given nft.Decoding) error {
	return &DecodingError{fmt.Sprintf("the database is decoded with %s, given are %s: sync a new database with these, move the documents to it with mintburn export documents and mintburn import, and switch to it", stored, given)}
}

// lastRedecode is the last commit whose program has the command redecode. No release has it. It
// knows the schema up to version 22, so a database that needs it gets no later one.
const lastRedecode = "00645a08"

// halfDecoded returns the error for a database in which redecode was not finished.
func halfDecoded(to nft.Decoding) error {
	return &DecodingError{fmt.Sprintf("the change of the database to %s is not finished: build commit %s and finish it with mintburn redecode --db DSN --rpc URL %s, or sync a new database", to, lastRedecode, to)}
}

// checkRedecoded returns a [*DecodingError] if redecode was not finished.
func checkRedecoded(ctx context.Context, client *ent.Client) error {
	var unfinished *struct{ To nft.Decoding }
	if _, err := tables.Get(ctx, client, tables.Redecoding, &unfinished); err != nil || unfinished == nil {
		return err
	}
	return halfDecoded(unfinished.To)
}

// binding are the options that a [DB] requires of its blocks.
type binding struct {
	nft.Decoding
	// unstored is that of [Settings.Unstored].
	unstored bool
}
