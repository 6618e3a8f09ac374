package read

// TraitKey identifies a trait of a collection at a version of the collection's traits.
type TraitKey struct {
	ContractID, Version int64
	Trait               [16]byte
}
