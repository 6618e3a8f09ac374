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

// The names of the settings of package facet. Each is the position of a walk.
const (
	// TraitsCounted counts the tokens of traits after an upgrade; absent if all are counted.
	TraitsCounted = "traits_counted"
	// TraitIndex builds the index of tokens by trait; absent if the database has none.
	TraitIndex = "trait_index"
)
