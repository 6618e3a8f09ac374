package store

import (
	"context"
	"errors"

	"mintburn/internal/evm"
)

// Collection is a collection that a mint or burn names.
type Collection struct {
	// Address is that of its contract.
	Address evm.Address
	Subject
}

func tokenCount(ctx context.Context, s *Snapshot, contractID int64) (int64, error) {
	return 0, errors.New("not yet")
}
