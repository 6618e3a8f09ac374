package store

import "mintburn/internal/nft"

// statementKey contains everything that the text of a cached statement depends on.
type statementKey struct {
	// name is the name of the statement. The other fields distinguish its variants.
	name string
	kind nft.Kind
	// lead and where identify the filter, see query.
	lead  string
	where int
	// low and high mean that there is such a bound.
	low, high bool
	fromHigh  bool
	// needs is of type need.
	needs uint8
	limit int
	// texts is a set of texts, of type Texts.
	texts uint16
}

// traitKey identifies a trait of a collection at a version of the collection's traits.
type traitKey struct {
	contractID, version int64
	trait               [16]byte
}
