package command

import (
	"cmp"
	"fmt"
	"time"

	"mintburn/internal/store"
)

// flagError adds the name of a flag to its error, if any.
func flagError(flag string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", flag, err)
}

// within fails for a value that is not from least to most.
func within[T cmp.Ordered](flag string, value, least, most T) error {
	// Not a number is neither.
	if !(value >= least && value <= most) {
		return fmt.Errorf("%s: got %v, want %v to %v", flag, value, least, most)
	}
	return nil
}

// notNegative fails for a time below 0.
func notNegative(flag string, value time.Duration) error {
	if value < 0 {
		return fmt.Errorf("%s: got %s, want 0s or more, such as 24h", flag, value)
	}
	return nil
}

// checkBlock fails for a number, if given, that no block can have.
func checkBlock(flag string, number *uint64) error {
	if number == nil {
		return nil
	}
	return within(flag, *number, 0, store.MaxBlock)
}

// checkBlocks fails for numbers, if given, that are no range of blocks.
func checkBlocks(from, to *uint64) error {
	if from != nil && to != nil && *to < *from {
		return fmt.Errorf("--to-block: got %d, want at least --from-block, %d", *to, *from)
	}
	return cmp.Or(checkBlock("--from-block", from), checkBlock("--to-block", to))
}
