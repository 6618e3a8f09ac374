package metadata

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// attributes reads a list of traits: an array, an object that maps names to values, or either as
// JSON in a string. For any other value the result is empty. It is never nil. attributes fails
// for more than [MaxAttributes] traits.
//
// An object in an array is a trait, see trait, or maps names to values if it has no type and no
// value. An array in an array is a part of the list if it begins with an object or array. Any other element is a value without a trait
// type. If an object repeats a name, the last value is used at the position of the first, as in
// every JSON reader that keeps the order. An object whose name is a number is an element of a
// list.
//
// A trait whose value is null or missing is kept with the value "". A trait without a type
// and a value is skipped. A missing order defaults to the 1-based position in the result.
func (r *reader) attributes(list json.RawMessage) ([]nft.Attribute, error) {
	t := traits{reader: r, list: []nft.Attribute{}}
	if kind(list) == '"' {
		if text := strings.TrimFunc(r.unquote(list), isBlank); json.Valid([]byte(text)) {
			list = json.RawMessage(text)
		}
	}
	switch kind(list) {
	case '{':
		err := t.addPairs(list)
		return t.list, err
	case '[':
		err := t.addList(list)
		return t.list, err
	}
	return t.list, nil
}

// traits is a list of traits that grows.
type traits struct {
	*reader
	list []nft.Attribute
	// depth is the number of lists around the element that is read.
	depth int
}

// maxLists is the most lists in each other that are read. Each is parsed once more.
const maxLists = 4

// addList adds the elements of an array.
func (t *traits) addList(list json.RawMessage) error {
	t.depth++
	defer func() { t.depth-- }()
	return each(list, func(_ string, value json.RawMessage) error {
		switch first := kind(value); {
		case first == '{':
			return t.addObject(value)
		case first == '[' && t.depth < maxLists && strings.ContainsRune("{[", rune(kind(bytes.TrimLeft(value[1:], " \t\r\n")))):
			return t.addList(value)
		}
		return t.add(nft.Attribute{Value: t.text(value), Order: t.place()})
	})
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
	t.depth++
	defer func() { t.depth-- }()
	return each(object, func(name string, value json.RawMessage) error {
		if _, err := strconv.ParseUint(name, 10, 32); err == nil && kind(value) == '{' && t.depth < maxLists {
			return t.addObject(value)
		}
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

// The names of a trait's type and value, the usual ones first. Only trait_type is a type without a
// value too.
var (
	typeNames  = []string{"trait_type", "attribute_type", "traitType", "trait", "name", "key", "type"}
	valueNames = []string{"value", "attribute_value", "trait_value"}
)

// addObject adds an object from an array. If it has a value, its type is the first of typeNames
// that is not empty, in any letter case. Otherwise it is a type without a value, or maps names to
// values.
func (t *traits) addObject(object json.RawMessage) error {
	names := slices.Concat(typeNames, valueNames, []string{"max_value", "trait_count", "order", "display_type"})
	trait, exact := map[string]json.RawMessage{}, map[string]bool{}
	err := each(object, func(name string, value json.RawMessage) error {
		for _, known := range names {
			if same := name == known; same || !exact[known] && strings.EqualFold(name, known) {
				trait[known], exact[known] = value, same
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	first := func(names []string) (text string) {
		for i := 0; i < len(names) && text == ""; i++ {
			text = t.text(trait[names[i]])
		}
		return text
	}
	a := nft.Attribute{
		TraitType: t.text(trait["trait_type"]), Value: first(valueNames),
		MaxValue: t.finite(trait["max_value"]), TraitCount: count(trait["trait_count"]), Order: t.place(), DisplayType: t.text(trait["display_type"]),
	}
	if order := count(trait["order"]); order != nil {
		a.Order = *order
	}
	valued := slices.ContainsFunc(valueNames, func(name string) bool { _, has := trait[name]; return has })
	if !valued && a.TraitType == "" {
		return t.addPairs(object)
	}
	if a.TraitType == "" {
		a.TraitType = first(typeNames)
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
