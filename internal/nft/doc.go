// Package nft holds the records that Mintburn answers with, and the rules
// that turn event logs into mints, burns, and refreshes of token metadata.
//
// A log either becomes the records that the standards define (ERC-721, ERC-1155,
// EIP-2309), or is ignored, or is rejected as a whole with a reason. Nothing is
// guessed, and nothing is allocated from a length that was not first checked
// against the data or a cap. The package does no I/O. Open decode.go first.
package nft
