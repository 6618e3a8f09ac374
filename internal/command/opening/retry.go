package opening

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"

	"mintburn/internal/retrying"
	"mintburn/internal/store/read"
)

// Retry calls try until it succeeds, with growing pauses, and logs each failure as what.
// It returns ctx's error, or the first error for which worth returns false.
func Retry(ctx context.Context, log *slog.Logger, what string, worth func(error) bool, try func() error) error {
	return RetryAfter(ctx, log, what, Pause, worth, try)
}

// RetryAfter is retry with its own pauses, see [Pause].
func RetryAfter(ctx context.Context, log *slog.Logger, what string, pause func(int, error) time.Duration, worth func(error) bool, try func() error) error {
	for failures := 1; ; failures++ {
		err := try()
		if err == nil || ctx.Err() != nil || !worth(err) {
			return err
		}
		in := pause(failures, err)
		log.Warn(what+": trying again", "error", err, "in", in.Round(time.Millisecond).String())
		if err := retrying.Sleep(ctx, in); err != nil {
			return err
		}
	}
}

// Pause returns the pause after an error, the last of this many failures in a row. It is
// short while the database is unreachable, because another try costs little.
func Pause(failures int, err error) time.Duration {
	if read.IsLost(err) {
		return retrying.ShortPause(failures, rand.Float64())
	}
	return retrying.Pause(failures, rand.Float64())
}
