// Package feed answers what has changed since a cursor ([Read]): the void blocks, the records of
// the added blocks that are still there, the latest documents, and the final block. It reads
// package change, which is the log, and the records and documents themselves, of which the log
// has no copy.
//
// Open feed.go first.
package feed
