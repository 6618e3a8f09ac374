package chaintest

import (
	"context"
	"sync"
	"time"

	"mintburn/internal/retrying"
)

// Clock is time that passes only when somebody waits, from November 2023 on.
type Clock struct {
	mu     sync.Mutex
	passed time.Duration
	waits  []time.Duration
}

// Now returns the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Unix(1_700_000_000, 0).Add(c.passed)
}

// Pass lets time pass.
func (c *Clock) Pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.passed += d
}

// Sleep lets time pass, and notes that somebody waited.
func (c *Clock) Sleep(ctx context.Context, d time.Duration) error {
	c.Pass(d)
	c.mu.Lock()
	defer c.mu.Unlock()
	if d > 0 {
		c.waits = append(c.waits, d)
	}
	return ctx.Err()
}

// Waits returns the waits so far.
func (c *Clock) Waits() []time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.waits
}

// Random returns c as the clock of what is tested, with a random number that is
// always the same.
func (c *Clock) Random(number float64) retrying.Clock {
	return retrying.Clock{Now: c.Now, Sleep: c.Sleep, Random: func() float64 { return number }}
}
