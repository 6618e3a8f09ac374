package retrying

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// Clock is the time and the chance that pauses depend on. The zero value of each
// field means the system's.
type Clock struct {
	// Now returns the time.
	Now func() time.Time
	// Sleep waits for d. It must return ctx's error when ctx ends before.
	Sleep func(ctx context.Context, d time.Duration) error
	// Random returns a number in [0, 1).
	Random func() float64
}

// WithDefaults returns c with the system's functions in place of those that are nil.
func (c Clock) WithDefaults() Clock {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Sleep == nil {
		c.Sleep = Sleep
	}
	if c.Random == nil {
		c.Random = rand.Float64
	}
	return c
}

// Sleep waits for d. It returns ctx's error when ctx ends before.
func Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// Doubled returns least, doubled so many times, and at most most.
func Doubled(least, most time.Duration, times int) time.Duration {
	for ; times > 0 && least < most; times-- {
		least *= 2
	}
	return min(least, most)
}

// Spread returns a time between half of d and d by a random number in [0, 1), so
// that those who failed together do not try again together.
func Spread(d time.Duration, random float64) time.Duration {
	return d/2 + time.Duration(random*float64(d/2))
}

// Pause returns the pause after a number of failures in a row: up to 100 ms at first,
// and up to 30 s at last.
func Pause(failures int, random float64) time.Duration {
	return Spread(Doubled(100*time.Millisecond, 30*time.Second, failures-1), random)
}

// ShortPause is [Pause] up to 1 s, for what is cheap to try and missed while it is away.
func ShortPause(failures int, random float64) time.Duration {
	return Spread(Doubled(100*time.Millisecond, time.Second, failures-1), random)
}

// After reads a Retry-After header, seconds or a date (RFC 9110, section 10.2.3): 0
// when there is none, and at most most.
func After(h http.Header, now time.Time, most time.Duration) time.Duration {
	text := h.Get("Retry-After")
	var wait time.Duration
	if seconds, err := strconv.ParseUint(text, 10, 64); err == nil {
		wait = time.Duration(min(seconds, uint64(most/time.Second))) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		wait = at.Sub(now)
	}
	return min(max(wait, 0), most)
}
