package httpapi

import (
	"encoding/json"
	"fmt"
	"strings"

	"mintburn/internal/evm"
)

// Tab is one ready tab of the page at /.
type Tab struct {
	// Title is the name of the query's operation; GraphiQL shows that name.
	Title string `json:"title"`
	// Query is a GraphQL document with one operation.
	Query string `json:"query"`
	// Variables is the JSON object of the operation's variables.
	Variables string `json:"variables"`
}

// Examples are values that exist in the database being served, for the ready
// tabs. Nil stands for "the database has none"; the values of one operation
// are nil together or not at all.
type Examples struct {
	// BlockNumber is a block with mints, of MintsByBlock.
	BlockNumber *evm.Long
	// BurnAddress is a collection with burns in the blocks from FromBlock to
	// ToBlock, both inclusive, of BurnsInBlocks.
	BurnAddress        *evm.Address
	FromBlock, ToBlock *evm.Long
	// MintAddress is a collection with mints in the transaction MintTx, of
	// MintsByTransaction.
	MintAddress *evm.Address
	MintTx      *evm.Hash
	// BurnTokenAddress is a collection whose token BurnTokenID was burned, of
	// BurnsByToken.
	BurnTokenAddress *evm.Address
	BurnTokenID      *evm.Uint256
	// MetadataAddress is a collection with metadata, of MetadataByContract.
	MetadataAddress *evm.Address
}

// Tabs returns the ready tabs: one for each of the five documented operations
// and one for all of them in one request. Where e has no value the tab says so
// in a comment and has zeros in its variables.
func Tabs(e Examples) []Tab {
	const first = 20
	block := exampleOf(e.BlockNumber)
	burnAddress, from, to := exampleOf(e.BurnAddress), exampleOf(e.FromBlock), exampleOf(e.ToBlock)
	mintAddress, mintTx := exampleOf(e.MintAddress), exampleOf(e.MintTx)
	tokenAddress, tokenID := exampleOf(e.BurnTokenAddress), exampleOf(e.BurnTokenID)
	metadataAddress := exampleOf(e.MetadataAddress)
	return []Tab{
		newTab("MintsByBlock", mintsByBlockQuery,
			variable{"block", block}, variable{"first", first}),
		newTab("BurnsInBlocks", burnsInBlocksQuery,
			variable{"address", burnAddress}, variable{"fromBlock", from}, variable{"toBlock", to},
			variable{"first", first}),
		newTab("MintsByTransaction", mintsByTransactionQuery,
			variable{"address", mintAddress}, variable{"transactionHash", mintTx}, variable{"first", first}),
		newTab("BurnsByToken", burnsByTokenQuery,
			variable{"address", tokenAddress}, variable{"tokenId", tokenID}, variable{"first", first}),
		newTab("MetadataByContract", metadataByContractQuery,
			variable{"address", metadataAddress}, variable{"first", first}),
		newTab("Batch", batchQuery,
			variable{"block", block},
			variable{"burnAddress", burnAddress}, variable{"fromBlock", from}, variable{"toBlock", to},
			variable{"mintAddress", mintAddress}, variable{"transactionHash", mintTx},
			variable{"tokenAddress", tokenAddress}, variable{"tokenId", tokenID},
			variable{"metadataAddress", metadataAddress},
			variable{"first", first}),
	}
}

// variable is one GraphQL variable of a ready tab.
type variable struct {
	name  string
	value any
}

// placeholder is a variable's value where the database has no example.
type placeholder struct{ zero any }

func exampleOf[T any](value *T) any {
	if value == nil {
		return placeholder{zero: *new(T)}
	}
	return *value
}

func newTab(title, query string, variables ...variable) Tab {
	missing := false
	lines := make([]string, len(variables))
	for i, v := range variables {
		value := v.value
		if p, ok := value.(placeholder); ok {
			missing, value = true, p.zero
		}
		// Marshal cannot fail: values are an int or one of evm's.
		text, _ := json.Marshal(value)
		lines[i] = fmt.Sprintf("  %q: %s", v.name, text)
	}
	if missing {
		query = "# The database has no example for every value yet: replace the zeros in the variables.\n" + query
	}
	return Tab{Title: title, Query: query, Variables: "{\n" + strings.Join(lines, ",\n") + "\n}"}
}
