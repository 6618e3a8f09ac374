// Package chain contains the sources of blocks: package jsonrpc reads from nodes, package
// recording from files. Both parse with package wire, and neither imports the other.
package chain
