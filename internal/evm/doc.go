// Package evm defines the value types of an EVM chain ([Address], [Hash], [Uint256],
// [Long] and [BlockNumberOrHash]), the types that consist of them ([BlockRef], [Range],
// [Header], [Log], [Block], [Call] and [CallResult]), and the event topics ([Topic]).
//
// Only this package implements the text, JSON, SQL and GraphQL forms of the values. A
// decoder accepts the forms that the type's comment lists. For any other input it returns
// an error that states what is accepted. An encoder writes one form (lower-case hex, decimal
// integers). The package does no I/O and keeps no state.
//
// Start with bytes.go (addresses and hashes) and block.go (blocks and logs).
package evm
