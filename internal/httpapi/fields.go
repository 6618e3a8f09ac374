package httpapi

import (
	"slices"
	"strings"
)

// The documented fields of each resource, in order. The REST routes answer with them, and the
// example tabs select them. docs/api.md#mints-and-burns.
const (
	transferFields  = "token_address contract_type token_id block_hash block_number transaction_hash log_index from to amount operator timestamp block_time"
	pageFields      = "cursor page limit total_items"
	metadataFields  = "collection_address collection_type token_id external_url image_data background_color youtube_url updated_at name description image animation_url"
	attributeFields = "trait_type value max_value trait_count order"
	documentFields  = "resolved pending failed untried"
)

// atBlock lists the fields that accept the parameter at_block.
const atBlock = "minted burned minted_items burned_items supply"

// tokenFields and collectionFields return the selections of the token and collection routes.
func tokenFields() string {
	return objectFields("address token_id contract_type state minted burned supply", "first_mint last_mint last_burn")
}

func collectionFields() string {
	return objectFields("address contract_type minted_items burned_items supply", "first_mint last_mint") + "documents { " + documentFields + " } "
}

// objectFields selects fields, transfers and the indexed ranges.
func objectFields(fields, transfers string) string {
	list := ""
	for name := range strings.FieldsSeq(fields) {
		arguments := ""
		if slices.Contains(strings.Fields(atBlock), name) {
			arguments = "(atBlock: $at_block)"
		}
		list += name + ": " + camelCase(name) + arguments + " "
	}
	for name := range strings.FieldsSeq(transfers) {
		list += name + ": " + camelCase(name) + " { " + snakeFields(transferFields) + "} "
	}
	return list + "indexed { from_block: fromBlock to_block: toBlock } "
}

// camelFields selects documented fields, one per line.
func camelFields(documented, indent string) string {
	var lines strings.Builder
	for name := range strings.FieldsSeq(documented) {
		lines.WriteString(indent + camelCase(name) + "\n")
	}
	return lines.String()
}

// snakeFields selects documented fields under their documented names.
func snakeFields(documented string) string {
	var list strings.Builder
	for name := range strings.FieldsSeq(documented) {
		if camel := camelCase(name); camel != name {
			list.WriteString(name + ": " + camel + " ")
		} else {
			list.WriteString(name + " ")
		}
	}
	return list.String()
}
