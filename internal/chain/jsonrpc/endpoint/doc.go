// Package endpoint sends JSON-RPC calls to one URL, over HTTP or a WebSocket, and returns an
// answer or a classified error for each call. It learns which batches the endpoint accepts
// (limits.go), repeats the calls of a batch that failed (batch.go), and knows when the endpoint
// may be called again after failures (rest.go). It also calls contracts (contract.go), but
// knows no block.
//
// Start with batch.go, then send.go and answers.go.
package endpoint
