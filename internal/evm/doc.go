// Package evm holds the values of an EVM chain: [Address], [Hash], [Uint256],
// [Long] and [BlockNumberOrHash], and what is made of them: [BlockRef], [Range],
// [Header], [Log], [Block], [Call] and [CallResult].
//
// Each value has those of the text, JSON, SQL and GraphQL codecs that it is
// used with, here and nowhere else. Decoding accepts what the doc comment of
// the type names and refuses everything else with an error that says what is
// accepted; encoding has one form (lower-case hex, decimal integers). Nothing in
// this package does I/O.
package evm
