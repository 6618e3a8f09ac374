// Package evm holds the values of an EVM chain: [Address], [Hash], [Uint256],
// [Long], [BlockNumberOrHash], [BlockRef], [Header] and [Log].
//
// Each value has its text, JSON, SQL and GraphQL codecs here and nowhere else.
// Decoding accepts what the doc comment of the type names and refuses
// everything else with an error that says what is accepted; encoding has one
// form (lower-case hex, decimal integers). Nothing in this package does I/O.
package evm
