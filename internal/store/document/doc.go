// Package document reads stored token metadata: the document of each token with the texts
// that a query selects, or why there is none.
//
// The texts of light tokens are read with their row. Those of heavy tokens are read once
// their lengths are known to fit the memory that [read.Snapshot.Hold] allows, and an
// answer that does not fit is an error, not a shorter text. The counts of trait values are
// read for the attributes that have none in the document.
//
// It fetches nothing (package metadata does) and stores nothing (package write does).
// Open metadata.go first.
package document
