// Package following runs package indexer with the nodes and the database of a command: it follows
// a chain, audits what it has read, fetches token documents and stores the health of nodes.
//
// Start with follow.go. Its flags are in [Following] and what that embeds; [Decoding] has those of
// all commands that decode logs.
package following
