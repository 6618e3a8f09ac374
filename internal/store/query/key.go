package query

import "mintburn/internal/nft"

// Key contains everything that the text of a cached statement depends on.
type Key struct {
	// Name is the name of the statement. The other fields distinguish its variants.
	Name string
	kind nft.Kind
	// lead and where identify the filter, see query.
	lead  string
	where int
	// Low and High mean that there is such a bound.
	Low, High bool
	FromHigh  bool
	// needs is of type need.
	needs uint8
	Limit int
	// Texts is a set of texts, of type Texts.
	Texts uint32
}
