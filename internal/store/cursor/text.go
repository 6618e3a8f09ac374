package cursor

import "encoding/base64"

// Encoding is the encoding of cursors and ids.
var Encoding = base64.RawURLEncoding.Strict()

// AnchorOf returns the part of a block's hash that a cursor contains.
func AnchorOf(hashPrefix int64) uint32 { return uint32(uint64(hashPrefix) >> 32) }
