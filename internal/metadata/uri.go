package metadata

import (
	"encoding/hex"
	"strings"

	"mintburn/internal/evm"
)

const placeholder = "{id}"

// ReplaceID returns the URI of an ERC-1155 token with each "{id}" replaced by
// the token id as 64 lower-case hex digits without 0x (EIP-1155, "Metadata").
func ReplaceID(uri string, id evm.Uint256) string {
	return strings.ReplaceAll(uri, placeholder, idDigits(id))
}

func idDigits(id evm.Uint256) string {
	word := id.Word()
	return hex.EncodeToString(word[:])
}
