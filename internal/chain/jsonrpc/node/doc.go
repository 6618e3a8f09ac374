// Package node reads the blocks of one node, and finds out what the node can do and whether its
// answers are complete. Each result is consistent with itself and with the call, or it is an
// error of package rpcerror.
//
// A [Node] is built in three steps, each with its own state: blockReader reads headers, receipts
// and logs of single blocks (reader.go), headReader the head and the finalized block (head.go),
// and Node ranges (node.go), from logs (range.go) or block by block (full.go). [Chain] is what
// the nodes of a client have in common. No file uses one that uses it.
//
// Start with read.go, which has what package jsonrpc calls.
package node
