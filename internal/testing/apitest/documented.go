package apitest

import "strings"

// Documented lists the documented fields of each resource in order. A question mark marks a
// nullable field. See docs/api.md#mints-and-burns.
var Documented = map[string]string{
	"Transfer": "token_address contract_type token_id block_hash block_number transaction_hash log_index from to amount operator? timestamp block_time",
	"Page":     "cursor? page limit total_items data",
	"TokenMetadata": "collection_address collection_type token_id external_url? image_data? background_color? youtube_url? " +
		"updated_at name? description? image? animation_url? attributes",
	"Attribute": "trait_type value max_value? trait_count order",
}

// Fields returns the GraphQL names of a resource's fields, separated by spaces.
func Fields(resource string) string {
	var names []string
	for field := range strings.FieldsSeq(Documented[resource]) {
		names = append(names, Camel(strings.TrimSuffix(field, "?")))
	}
	return strings.Join(names, " ")
}

// Camel returns the GraphQL name of a documented field.
func Camel(documented string) string {
	words := strings.Split(documented, "_")
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}

// CamelKeys returns a JSON value in which all member names are GraphQL names.
func CamelKeys(value any) any {
	switch v := value.(type) {
	case map[string]any:
		renamed := make(map[string]any, len(v))
		for name, member := range v {
			renamed[Camel(name)] = CamelKeys(member)
		}
		return renamed
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = CamelKeys(v[i])
		}
		return list
	default:
		return value
	}
}
