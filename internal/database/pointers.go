package database

// EqualPointers reports whether both pointers are nil or point to equal values.
func EqualPointers[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
