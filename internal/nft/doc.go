// Package nft holds the records that Mintburn answers with, and the rules
// that turn event logs into mints, burns, and refreshes of token metadata.
//
// It guarantees that a log either becomes records that the standards define
// (ERC-721, ERC-1155, EIP-2309), or is ignored, or is set aside whole with a
// reason: nothing is guessed, and nothing is allocated from a length that was
// not first checked against the data or a cap. It does no I/O.
package nft
