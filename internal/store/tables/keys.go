package tables

import (
	"crypto/sha256"

	"mintburn/internal/evm"
)

// Hash16 returns the 16-byte hash that identifies a trait or a value of any length.
func Hash16(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:16]
}

// TokenKey identifies a token by contract number and token id.
type TokenKey struct {
	ContractID int64
	TokenID    evm.Uint256
}
