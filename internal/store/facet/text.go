package facet

import (
	"strings"

	"mintburn/internal/nft"
	"mintburn/internal/store/tables"
)

// MaxText is the largest kept text of a trait or a value, in bytes.
const MaxText = 256

// Value identifies one value of one trait of a collection by the hashes of both. Without
// Value it identifies the trait.
type Value struct {
	ContractID   int64
	Trait, Value string
}

// ValueOf returns the value of a token's attribute.
func ValueOf(contractID int64, a nft.Attribute) Value {
	return Value{contractID, string(tables.Hash16(a.TraitType)), string(tables.Hash16(a.Value))}
}

// OfTrait returns the trait of a value.
func (v Value) OfTrait() Value { return Value{ContractID: v.ContractID, Trait: v.Trait} }

// Cut returns a text of at most [MaxText] bytes: the beginning of a longer one, cut at a
// character, and an ellipsis. The text must be valid UTF-8.
func Cut(text string) string {
	const more = "…"
	if len(text) <= MaxText {
		return text
	}
	return strings.ToValidUTF8(text[:MaxText-len(more)], "") + more
}
