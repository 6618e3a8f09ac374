package store

import (
	"mintburn/internal/nft"
	"mintburn/internal/store/cursor"
)

// MetadataNodeID returns the opaque global id of a token's metadata.
func MetadataNodeID(key nft.TokenKey) string { return tokenNodeID('T', key) }

func tokenNodeID(letter byte, key nft.TokenKey) string {
	b := append([]byte{letter}, key.Contract[:]...)
	return cursor.Encoding.EncodeToString(append(b, key.TokenID.Bytes()...))
}
