// Package listing reads what an export contains besides mints and burns: headers, rejected
// logs and stored documents, in pages of rows with a cursor ([Listings]).
//
// A range of blocks that is not indexed is an error, and a cursor of a block that was
// orphaned is refused, as in the lists of package store. Open blocks.go first.
package listing
