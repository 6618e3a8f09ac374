// Package compare finds the blocks in which two indexes differ: two databases, or a database and a
// server. It writes nothing.
//
// [Indexes] compares the digests of ranges (docs/data.md#digests) down to groups of 64 blocks, and the
// records of those that differ. Start with compare.go; database.go and server.go are the two kinds of index.
package compare
