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
// An object in an array is a trait, see trait, or maps names to values if it has neither
// trait_type nor value. Any other element is a value without a trait type. If an object
// repeats a name, the last value is used at the position of the first, as in every JSON
// reader that keeps the order.
//
// A trait whose value is null or missing is kept with the value "". A trait without a type
// and a value is skipped. A missing order defaults to the 1-based position in the result.
func (r *reader) attributes(list json.RawMessage) ([]nft.Attribute, error) {
	t := traits{reader: r, list: []nft.Attribute{}}
	switch kind(list) {
	case '{':
		return t.list, t.addPairs(list)
	case '[':
		err := each(list, func(_ string, value json.RawMessage) error {
			if kind(value) == '{' {
				return t.addObject(value)
			}
			return t.add(nft.Attribute{Value: r.text(value), Order: t.place()})
		})
		return t.list, err
	}
	return t.list, nil
}

// traits is a list of traits that grows.
type traits struct {
	*reader
	list []nft.Attribute
}

// place returns the position of the next trait.
func (t *traits) place() evm.Long { return evm.Long(len(t.list) + 1) }

func (t *traits) add(a nft.Attribute) error {
	if a.TraitType == "" && a.Value == "" {
		return nil
	}
	if len(t.list) == MaxAttributes {
		return fmt.Errorf("document has more than %d attributes", MaxAttributes)
	}
	t.list = append(t.list, a)
	return nil
}

// addPairs adds the members of an object that maps names to values.
func (t *traits) addPairs(object json.RawMessage) error {
	places := map[string]int{}
	return each(object, func(name string, value json.RawMessage) error {
		text := t.text(value)
		if text == "" && (name == "" || name == "trait_type") {
			return nil // a trait without a type
		}
		if place, again := places[name]; again {
			t.list[place].Value = text
			return nil
		}
		places[name] = len(t.list)
		return t.add(nft.Attribute{TraitType: storable(name), Value: text, Order: t.place()})
	})
}

// addObject adds an object from an array. If it has a value, its type is the first that is
// not empty of trait_type and the names that other makers give it. Otherwise it is a type
// without a value, or maps names to values.
func (t *traits) addObject(object json.RawMessage) error {
	trait, err := pick(object, "trait_type", "value", "max_value", "trait_count", "order", "traitType", "name", "key", "type", "display_type")
	if err != nil {
		return err
	}
	a := nft.Attribute{
		TraitType: t.text(trait["trait_type"]), Value: t.text(trait["value"]),
		MaxValue: t.finite(trait["max_value"]), TraitCount: count(trait["trait_count"]), Order: t.place(), DisplayType: t.text(trait["display_type"]),
	}
	if order := count(trait["order"]); order != nil {
		a.Order = *order
	}
	if _, valued := trait["value"]; !valued && a.TraitType == "" {
		return t.addPairs(object)
	}
	for _, name := range []string{"traitType", "name", "key", "type"} {
		if a.TraitType == "" {
			a.TraitType = t.text(trait[name])
		}
	}
	return t.add(a)
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
