// Package facet counts the tokens of collections by their traits: the texts of each trait and
// value, and how many tokens have it. On request it also indexes which tokens those are.
//
// A trait and a value are equal if the hashes of their whole texts are. At most [MaxText] bytes
// of a text are kept. A token that has a value twice counts once.
//
// [Changes] collects what a writing transaction changes, and writes it at the end. A [Walk]
// visits the stored documents of a database in small steps, to count them after an upgrade or
// to build the index. Writers change only the counts and entries of tokens that it has passed.
//
// Open changes.go first; traits.go and filter.go have the reads.
package facet
