// Package digest gives blocks a digest: one SHA-256 over all mints, and one over all burns, which any
// two indexes of the same records share (docs/data.md#digests).
//
// The table digests has those of each 64, 4,096, 262,144 and 16,777,216 blocks. A row counts only
// while all its blocks are in the coverage of the kind "digested": whoever changes the records of
// blocks uncovers these, in the same transaction, and no one else ever replaces a row, because that
// would bless the damage that the row shows. A row without records is left out.
//
// Open tree.go first, then fill.go.
package digest
