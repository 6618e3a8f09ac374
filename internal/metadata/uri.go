package metadata

import (
	"encoding/hex"
	"strings"
	"unicode"

	"mintburn/internal/evm"
)

const placeholder = "{id}"

// ReplaceID returns the URI of an ERC-1155 token with each "{id}" replaced by
// the token id as 64 lower-case hex digits without 0x (EIP-1155, "Metadata").
func ReplaceID(uri string, id evm.Uint256) string {
	return strings.ReplaceAll(uri, placeholder, idDigits(id))
}

// trimURI removes white space and U+FEFF around a URI.
func trimURI(uri string) string {
	return strings.TrimFunc(uri, func(r rune) bool { return unicode.IsSpace(r) || r == '\uFEFF' })
}

func idDigits(id evm.Uint256) string {
	word := id.Word()
	return hex.EncodeToString(word[:])
}
