package store

// traitKey identifies a trait of a collection at a version of the collection's traits.
type traitKey struct {
	contractID, version int64
	trait               [16]byte
}
