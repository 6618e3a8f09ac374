package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Finding is the result of a check.
type Finding struct {
	// Subject is what was checked, such as "database" or "node http://127.0.0.1:8545".
	Subject string
	// Text is one line that says what was found.
	Text string
	// Cure is what to do about a fault; it is empty if there is none.
	Cure string
}

// String returns the finding as one line that begins with ok or fault.
func (f Finding) String() string {
	if f.Cure == "" {
		return fmt.Sprintf("ok %s: %s", f.Subject, f.Text)
	}
	return fmt.Sprintf("fault %s: %s; cure: %s", f.Subject, f.Text, f.Cure)
}

// Limit bounds a check of one call. A check of several calls may take long times as much, and all
// checks of a node together whole times as much.
const (
	Limit = 5 * time.Second
	long  = 3
	whole = 6
)

// within calls check with a context that ends after limit, and names the limit in the error if
// that was the reason.
func within(ctx context.Context, limit time.Duration, check func(context.Context) error) error {
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := check(bounded)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = fmt.Errorf("no result within %s", limit)
	}
	return err
}
