package apitest

import "strings"

// Documented has the documented fields of each resource in their order. A
// question mark says that the field may be null. docs/api.md#mints-and-burns.
var Documented = map[string]string{
	"Transfer": "token_address contract_type token_id block_hash block_number transaction_hash log_index from to amount operator? timestamp block_time",
	"Page":     "cursor? page limit total_items data",
	"TokenMetadata": "collection_address collection_type token_id external_url? image_data? background_color? youtube_url? " +
		"updated_at name? description? image? animation_url? attributes",
	"Attribute": "trait_type value max_value? trait_count order",
}

// Fields returns the GraphQL names of a resource's fields, with spaces between.
func Fields(resource string) string {
	var names []string
	for field := range strings.FieldsSeq(Documented[resource]) {
		names = append(names, Camel(strings.TrimSuffix(field, "?")))
	}
	return strings.Join(names, " ")
}

// Camel returns the GraphQL name of a documented one.
func Camel(documented string) string {
	words := strings.Split(documented, "_")
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}

// CamelKeys returns JSON with the GraphQL names of its documented members.
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
