package nft

import "errors"

// ErrConflict means that the stored blocks belong to another branch of the chain.
var ErrConflict = errors.New("another branch is stored")
