package store

import "mintburn/internal/nft"

// statementKey is everything that the text of a cached statement depends on.
type statementKey struct {
	// name is that of the statement; the rest is for those that vary.
	name string
	kind nft.Kind
	// lead and where say which filter it is: see query.
	lead  string
	where int
	// low and high say that there are these bounds.
	low, high bool
	fromHigh  bool
	// needs is a need.
	needs uint8
	limit int
	texts Texts
}

// traitKey names a trait of a collection, whose traits have this version.
type traitKey struct {
	contractID, version int64
	trait               [16]byte
}
