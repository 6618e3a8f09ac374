package flags

import (
	"cmp"
	"fmt"
	"time"

	"mintburn/internal/store/tables"
)

// Error prefixes an error with the name of its flag. It returns nil for nil.
func Error(flag string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", flag, err)
}

// Within fails unless value is from least to most.
func Within[T cmp.Ordered](flag string, value, least, most T) error {
	// NaN must fail too.
	if !(value >= least && value <= most) {
		return fmt.Errorf("%s: got %v, want %v to %v", flag, value, least, most)
	}
	return nil
}

// NotNegative fails for a negative duration.
func NotNegative(flag string, value time.Duration) error {
	if value < 0 {
		return fmt.Errorf("%s: got %s, want 0s or more, such as 24h", flag, value)
	}
	return nil
}

// CheckBlock fails if number is given and no block can have it.
func CheckBlock(flag string, number *uint64) error {
	if number == nil {
		return nil
	}
	return Within(flag, *number, 0, tables.MaxBlock)
}

// CheckBlocks fails unless from and to, as far as given, bound a range of blocks.
func CheckBlocks(from, to *uint64) error {
	if from != nil && to != nil && *to < *from {
		return fmt.Errorf("--to-block: got %d, want at least --from-block, %d", *to, *from)
	}
	return cmp.Or(CheckBlock("--from-block", from), CheckBlock("--to-block", to))
}
