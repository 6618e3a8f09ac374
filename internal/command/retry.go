package command

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"

	"mintburn/internal/retrying"
	"mintburn/internal/store"
)

// retry calls try until it succeeds, with growing pauses, and logs what failed. It
// returns ctx's error, or the first one that is not worth another try.
func retry(ctx context.Context, log *slog.Logger, what string, worth func(error) bool, try func() error) error {
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

// pause returns the pause after an error that is the last of so many in a row: a short
// one if the database is away, which costs little to ask.
func pause(failures int, err error) time.Duration {
	if store.IsLost(err) {
		return retrying.ShortPause(failures, rand.Float64())
	}
	return retrying.Pause(failures, rand.Float64())
}
