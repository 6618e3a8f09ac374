package command

import (
	"cmp"
	"fmt"
	"time"

	"mintburn/internal/store/tables"
)

// flagError prefixes an error with the name of its flag. It returns nil for nil.
func flagError(flag string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", flag, err)
}

// within fails unless value is from least to most.
func within[T cmp.Ordered](flag string, value, least, most T) error {
	// NaN must fail too.
	if !(value >= least && value <= most) {
		return fmt.Errorf("%s: got %v, want %v to %v", flag, value, least, most)
	}
	return nil
}

// notNegative fails for a negative duration.
func notNegative(flag string, value time.Duration) error {
	if value < 0 {
		return fmt.Errorf("%s: got %s, want 0s or more, such as 24h", flag, value)
	}
	return nil
}

// checkBlock fails if number is given and no block can have it.
func checkBlock(flag string, number *uint64) error {
	if number == nil {
		return nil
	}
	return within(flag, *number, 0, tables.MaxBlock)
}

// checkBlocks fails unless from and to, as far as given, bound a range of blocks.
func checkBlocks(from, to *uint64) error {
	if from != nil && to != nil && *to < *from {
		return fmt.Errorf("--to-block: got %d, want at least --from-block, %d", *to, *from)
	}
	return cmp.Or(checkBlock("--from-block", from), checkBlock("--to-block", to))
}
