// Package rpcerror says what the error of a JSON-RPC endpoint means: whether to wait, to ask
// for less at once, to call another endpoint, or that the node would answer the same again.
//
// Nodes and gateways differ in codes, messages and statuses; the tables in kind.go were
// collected from their answers. object.go reads an error object that may have any form. The
// package also has the errors that callers of package jsonrpc test for (errors.go, logs.go),
// and their classes (class.go). It sends nothing. Open kind.go first.
package rpcerror
