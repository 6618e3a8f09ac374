package tables

import "mintburn/internal/evm"

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
