package retrying

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// Clock is the source of time and randomness for pauses. A nil field means the system's
// function.
type Clock struct {
	// Now returns the time.
	Now func() time.Time
	// Sleep waits for d. It must return ctx's error if ctx ends earlier.
	Sleep func(ctx context.Context, d time.Duration) error
	// Random returns a number in [0, 1).
	Random func() float64
}

// WithDefaults returns c with nil fields replaced by the system's functions.
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

// Sleep waits for d. It returns ctx's error if ctx ends earlier.
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

// Backoff returns least doubled the given number of times, at most most.
func Backoff(least, most time.Duration, times int) time.Duration {
	for ; times > 0 && least < most; times-- {
		least *= 2
	}
	return min(least, most)
}

// Jitter returns a time between half of d and d. random is a number in [0, 1), so that
// clients that failed together do not retry together.
func Jitter(d time.Duration, random float64) time.Duration {
	return d/2 + time.Duration(random*float64(d/2))
}

// Pause returns the pause after a number of failures in a row: up to 100 ms after the
// first, growing up to 30 s.
func Pause(failures int, random float64) time.Duration {
	return Jitter(Backoff(100*time.Millisecond, 30*time.Second, failures-1), random)
}

// ShortPause is [Pause] up to 1 s, for operations that are cheap to retry and urgent.
func ShortPause(failures int, random float64) time.Duration {
	return Jitter(Backoff(100*time.Millisecond, time.Second, failures-1), random)
}

// RetryAfter returns the pause of a Retry-After header, which contains seconds or a date (RFC
// 9110, section 10.2.3). It returns 0 without a valid header, and at most most.
func RetryAfter(h http.Header, now time.Time, most time.Duration) time.Duration {
	text := h.Get("Retry-After")
	var wait time.Duration
	if seconds, err := strconv.ParseUint(text, 10, 64); err == nil {
		wait = time.Duration(min(seconds, uint64(most/time.Second))) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		wait = at.Sub(now)
	}
	return min(max(wait, 0), most)
}
