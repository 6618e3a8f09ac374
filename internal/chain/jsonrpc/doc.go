// Package jsonrpc reads blocks from the JSON-RPC endpoints of a chain, with
// failover. A [Client] guarantees that a result is of one endpoint, and agrees with
// itself and with the call; it is an error otherwise, never an empty list. Logs lie
// in their range, name the block of the header beside them, are not repeated, and
// neither removed nor pending.
//
// How complete a result is differs:
//
//   - [Client.Span], [Client.Blocks] and [Client.Sparse] read logs by ranges, and
//     compare samples with all logs of a block. An endpoint that leaves logs out is
//     read from receipts from then on.
//   - [Client.Full] and [Client.Proven] compare receipts with the receipts root of
//     each header, which shows every missing log.
//
// The package never decodes events, keeps nothing between processes (callers store
// what [Options] reports), and sends no transactions.
//
// Start with client.go (endpoints in turn), then range.go and full.go (the two ways
// to read blocks); call.go and batch.go send calls, kind.go classifies errors.
package jsonrpc
