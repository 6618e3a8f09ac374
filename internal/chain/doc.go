// Package chain holds the sources of blocks: package jsonrpc reads nodes, package
// recording reads files. Both parse with package wire, and neither knows the other.
package chain
