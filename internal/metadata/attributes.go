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
// A trait whose value is null or missing is kept with the value "". The order
// that the document does not give is the 1-based place in the result.
func (r *reader) attributes(list json.RawMessage) ([]nft.Attribute, error) {
	switch kind(list) {
	case '[':
		return r.attributeArray(list)
	case '{':
		return r.attributeObject(list)
	default:
		return []nft.Attribute{}, nil
	}
}

// attributeArray reads an array of objects with trait_type, value, max_value,
// trait_count and order; members by other names, such as display_type, are
// left out. An element that is no object is a value without a trait type, and
// a null element is skipped.
func (r *reader) attributeArray(list json.RawMessage) ([]nft.Attribute, error) {
	attributes := []nft.Attribute{}
	err := eachElement(list, func(element json.RawMessage) error {
		if kind(element) == 'n' {
			return nil
		}
		if len(attributes) == MaxAttributes {
			return errTooMany()
		}
		attribute := nft.Attribute{Order: evm.Long(len(attributes) + 1)}
		if kind(element) != '{' {
			attribute.Value = r.text(element)
			attributes = append(attributes, attribute)
			return nil
		}
		trait, err := pick(element, "trait_type", "value", "max_value", "trait_count", "order")
		if err != nil {
			return err
		}
		attribute.TraitType = r.text(trait["trait_type"])
		attribute.Value = r.text(trait["value"])
		attribute.MaxValue = r.finite(trait["max_value"])
		attribute.TraitCount = count(trait["trait_count"])
		if order := count(trait["order"]); order != nil {
			attribute.Order = *order
		}
		attributes = append(attributes, attribute)
		return nil
	})
	return attributes, err
}

// attributeObject reads an object of trait type to value. Of equal names the
// last value counts, in the place of the first, as in every JSON reader that
// keeps the order.
func (r *reader) attributeObject(list json.RawMessage) ([]nft.Attribute, error) {
	attributes := []nft.Attribute{}
	places := map[string]int{}
	err := eachMember(list, func(name string, value json.RawMessage) error {
		if place, again := places[name]; again {
			attributes[place].Value = r.text(value)
			return nil
		}
		if len(attributes) == MaxAttributes {
			return errTooMany()
		}
		places[name] = len(attributes)
		attributes = append(attributes, nft.Attribute{
			TraitType: storable(name),
			Value:     r.text(value),
			Order:     evm.Long(len(attributes) + 1),
		})
		return nil
	})
	return attributes, err
}

func errTooMany() error {
	return fmt.Errorf("document has more than %d attributes", MaxAttributes)
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
	if n, err := strconv.ParseUint(string(value), 10, 64); err == nil {
		return long(n)
	}
	number, err := strconv.ParseFloat(string(value), 64)
	if err != nil || number < 0 || number > evm.MaxLong || number != math.Trunc(number) {
		return nil
	}
	return long(uint64(number))
}

func long(n uint64) *evm.Long {
	if n > evm.MaxLong {
		return nil
	}
	return new(evm.Long(n))
}
