// Package jsonrpc reads blocks from the JSON-RPC endpoints of a chain, with
// failover. Each result of a [Client] comes from one endpoint and is consistent with
// itself and with the call. Anything else is an error, never an empty list. Logs lie
// in the requested range and name the block of the returned header; none is
// repeated, removed or pending.
//
// Completeness depends on the method:
//
//   - [Client.Span], [Client.Blocks] and [Client.Sparse] read logs by ranges, and
//     compare random blocks with all logs of the block. Once an endpoint has left
//     logs out, its blocks are read from receipts.
//   - [Client.Full], [Client.Proven] and [Client.Proof] compare receipts with the receipts
//     root of each header, which exposes every missing log.
//
// With [Options.Transactions] blocks have the details of the selected transactions: of all
// that the block lists, or the call fails.
//
// The package never decodes events, keeps no state between processes (the callbacks
// in [Options] let callers store it), and sends no transactions.
//
// Start with failover.go, which chooses the endpoint of a call, then package node, which reads
// blocks from it. Package endpoint sends the calls, package rpcerror says what an error means.
package jsonrpc
