package chaintest

import (
	"context"
	"sync"
	"time"

	"mintburn/internal/retrying"
)

// Clock is a fake clock, which starts in November 2023. Only [Clock.Sleep] and [Clock.Pass]
// advance it.
type Clock struct {
	mu     sync.Mutex
	passed time.Duration
	waits  []time.Duration
}

// Now returns the fake time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Unix(1_700_000_000, 0).Add(c.passed)
}

// Pass advances the clock.
func (c *Clock) Pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.passed += d
}

// Sleep advances the clock without waiting and records d if it is positive. It returns ctx's
// error.
func (c *Clock) Sleep(ctx context.Context, d time.Duration) error {
	c.Pass(d)
	c.mu.Lock()
	defer c.mu.Unlock()
	if d > 0 {
		c.waits = append(c.waits, d)
	}
	return ctx.Err()
}

// Waits returns the positive durations of all calls of Sleep so far.
func (c *Clock) Waits() []time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.waits
}

// Random returns c as a [retrying.Clock] whose random number is always number.
func (c *Clock) Random(number float64) retrying.Clock {
	return retrying.Clock{Now: c.Now, Sleep: c.Sleep, Random: func() float64 { return number }}
}
