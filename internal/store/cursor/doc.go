// Package cursor decodes Relay's pagination arguments and the cursors in them.
//
// A cursor contains the page's number, the key of an item, a fingerprint of the filter and
// order, and the first bytes of a block's hash. [Bounds.BelongTo] refuses a cursor of
// another list. [RequireCanonical] refuses one whose block is no longer canonical after a
// reorg, and returns a cursor that continues below it.
//
// Cursors contain no number of the database other than positions, which every database of
// the chain shares. Open cursor.go first.
package cursor
