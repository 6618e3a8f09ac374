// Package evm holds the values of an EVM chain: [Address], [Hash], [Uint256], [Long]
// and [BlockNumberOrHash]; what they make up: [BlockRef], [Range], [Header], [Log],
// [Block], [Call] and [CallResult]; and the event topics ([Topic]).
//
// The text, JSON, SQL and GraphQL forms of each value are here and nowhere else. A
// decoder accepts what the type's comment names, and returns an error that says what
// is accepted for everything else; an encoder has one form (lower-case hex, decimal
// integers). Nothing in this package does I/O or keeps state.
//
// Start with bytes.go (addresses and hashes) and block.go (blocks and logs).
package evm
