package metadata

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// attributes reads a list of traits: an array, or an object that maps names to values.
// For any other value the result is empty. It is never nil. attributes fails for more than
// [MaxAttributes] traits.
//
// From the objects in an array it reads trait_type, value, max_value, trait_count and
// order, and ignores other members, such as display_type. An element that is not an
// object is a value without a trait type, and a null element is skipped. If an object
// repeats a name, the last value is used at the position of the first, as in every JSON
// reader that keeps the order.
//
// A trait whose value is null or missing is kept with the value "". A missing order
// defaults to the 1-based position in the result.
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

// trait reads an object from an array of traits.
func (r *reader) trait(attribute *nft.Attribute, object json.RawMessage) error {
	trait, err := pick(object, "trait_type", "value", "max_value", "trait_count", "order")
	attribute.TraitType, attribute.Value = r.text(trait["trait_type"]), r.text(trait["value"])
	attribute.MaxValue, attribute.TraitCount = r.finite(trait["max_value"]), count(trait["trait_count"])
	if order := count(trait["order"]); order != nil {
		attribute.Order = *order
	}
	return err
}

// finite returns the value of a number, or of a string that contains a number. It returns
// nil for anything else and for numbers that do not fit into a double.
func (r *reader) finite(value json.RawMessage) *float64 {
	text := string(value)
	if kind(value) == '"' {
		text = r.unquote(value)
	}
	// ParseFloat alone would also accept Inf and hexadecimal.
	if !json.Valid([]byte(text)) {
		return nil
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil
	}
	return &number
}

// count returns an integer from 0 to [evm.MaxLong], which may be written with a fraction or
// exponent (3.0, 1e3). It returns nil for any other value.
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
