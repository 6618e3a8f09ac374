package documented

import (
	"slices"
	"strings"
)

// The documented fields of each resource, in order and separated by spaces. The REST routes
// answer with them, and the example tabs select them. docs/api.md#mints-and-burns.
const (
	TransferFields  = "token_address contract_type token_id block_hash block_number transaction_hash log_index from to amount operator timestamp block_time"
	PageFields      = "cursor page limit total_items"
	MetadataFields  = "collection_address collection_type token_id external_url image_data background_color youtube_url updated_at name description image animation_url"
	AttributeFields = "trait_type value max_value trait_count order"
	ProofFields     = "block_number: number block_hash: hash proof { header receipts }"
	DocumentFields  = "resolved pending failed untried"
)

// atBlock lists the fields that accept the parameter at_block.
const atBlock = "minted burned minted_items burned_items supply"

// TokenFields returns the selection of the routes that answer with tokens.
func TokenFields() string {
	return objectFields("address token_id contract_type state minted burned supply", "first_mint last_mint last_burn")
}

// CollectionFields returns the selection of the route that answers with a collection.
func CollectionFields() string {
	return objectFields("address contract_type name symbol minted_items burned_items supply", "first_mint last_mint") + "documents { " + DocumentFields + " } "
}

// objectFields selects fields, transfers and the indexed ranges.
func objectFields(fields, transfers string) string {
	list := ""
	for name := range strings.FieldsSeq(fields) {
		arguments := ""
		if slices.Contains(strings.Fields(atBlock), name) {
			arguments = "(atBlock: $at_block)"
		}
		list += name + ": " + CamelCase(name) + arguments + " "
	}
	for name := range strings.FieldsSeq(transfers) {
		list += name + ": " + CamelCase(name) + " { " + SnakeFields(TransferFields) + "} "
	}
	return list + "indexed { from_block: fromBlock to_block: toBlock } "
}

// CamelFields selects documented fields under their GraphQL names, one per line.
func CamelFields(documented, indent string) string {
	var lines strings.Builder
	for name := range strings.FieldsSeq(documented) {
		lines.WriteString(indent + CamelCase(name) + "\n")
	}
	return lines.String()
}

// SnakeFields selects documented fields under their documented names.
func SnakeFields(documented string) string {
	var list strings.Builder
	for name := range strings.FieldsSeq(documented) {
		if camel := CamelCase(name); camel != name {
			list.WriteString(name + ": " + camel + " ")
		} else {
			list.WriteString(name + " ")
		}
	}
	return list.String()
}

// CamelCase returns the GraphQL name of a documented name: blockTime for block_time.
func CamelCase(documented string) string {
	words := strings.Split(documented, "_")
	for i, word := range words[1:] {
		if word != "" {
			words[i+1] = strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return strings.Join(words, "")
}

// SnakeCase returns the documented name of a GraphQL name: block_time for blockTime.
func SnakeCase(name string) string {
	var snake []byte
	for _, c := range []byte(name) {
		if 'A' <= c && c <= 'Z' {
			snake = append(snake, '_')
			c += 'a' - 'A'
		}
		snake = append(snake, c)
	}
	return string(snake)
}
