// Package nft defines the records that Mintburn serves and decodes event logs to mints,
// burns and metadata refreshes.
//
// Each log becomes the records that the standards define (ERC-721, ERC-1155,
// EIP-2309), is ignored, or is rejected as a whole with a reason. The decoder never
// guesses, and never allocates memory for a length before it has checked the length
// against the data or a cap. The package does no I/O. Start with decode.go.
package nft
