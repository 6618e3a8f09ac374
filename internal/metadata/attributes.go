package metadata

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// attributes reads a list of traits: an array, or an object of name to value.
// Anything else is no list and gives none. The result is never nil.
//
// Of the objects in an array it reads trait_type, value, max_value, trait_count and
// order; members by other names, such as display_type, are left out. An element that
// is no object is a value without a trait type, and a null element is skipped. Of
// equal names in an object the last value counts, in the place of the first, as in
// every JSON reader that keeps the order.
//
// A trait whose value is null or missing is kept with the value "". The order
// that the document does not give is the 1-based place in the result.
func (r *reader) attributes(list json.RawMessage) ([]nft.Attribute, error) {
	attributes, places, named := []nft.Attribute{}, map[string]int{}, kind(list) == '{'
	if !named && kind(list) != '[' {
		return attributes, nil
	}
	err := each(list, func(name string, value json.RawMessage) (err error) {
		place, again := places[name]
		switch {
		case named && again:
			attributes[place].Value = r.text(value)
			return nil
		case !named && kind(value) == 'n':
			return nil
		case len(attributes) == MaxAttributes:
			return fmt.Errorf("document has more than %d attributes", MaxAttributes)
		}
		attribute := nft.Attribute{Order: evm.Long(len(attributes) + 1)}
		if named || kind(value) != '{' {
			places[name] = len(attributes)
			attribute.TraitType, attribute.Value = storable(name), r.text(value)
		} else {
			err = r.trait(&attribute, value)
		}
		attributes = append(attributes, attribute)
		return err
	})
	return attributes, err
}

// trait reads an object of an array of traits.
func (r *reader) trait(attribute *nft.Attribute, object json.RawMessage) error {
	trait, err := pick(object, "trait_type", "value", "max_value", "trait_count", "order")
	attribute.TraitType, attribute.Value = r.text(trait["trait_type"]), r.text(trait["value"])
	attribute.MaxValue, attribute.TraitCount = r.finite(trait["max_value"]), count(trait["trait_count"])
	if order := count(trait["order"]); order != nil {
		attribute.Order = *order
	}
	return err
}

// finite returns the number that value is, or that the string value spells, or
// nil where there is none or a double cannot hold it.
func (r *reader) finite(value json.RawMessage) *float64 {
	text := string(value)
	if kind(value) == '"' {
		text = r.unquote(value)
	}
	// ParseFloat alone would also read Inf and hexadecimal.
	if !json.Valid([]byte(text)) {
		return nil
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil
	}
	return &number
}

// count returns the integer from 0 to [evm.MaxLong] that value is, as a number
// that may also be written with a fraction or exponent (3.0, 1e3), or nil.
func count(value json.RawMessage) *evm.Long {
	if first := kind(value); first != '-' && (first < '0' || first > '9') {
		return nil
	}
	if n, err := strconv.ParseUint(string(value), 10, 64); err == nil && n <= evm.MaxLong {
		return new(evm.Long(n))
	}
	number, err := strconv.ParseFloat(string(value), 64)
	if err != nil || number < 0 || number > evm.MaxLong || number != math.Trunc(number) {
		return nil
	}
	return new(evm.Long(number))
}
