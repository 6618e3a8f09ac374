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
		in := retrying.Pause(failures, rand.Float64())
		log.Warn(what+": trying again", "error", err, "in", in.Round(time.Millisecond).String())
		if err := retrying.Sleep(ctx, in); err != nil {
			return err
		}
	}
}

// await opens a database for a command that runs until it is stopped: it waits
// until PostgreSQL can be reached.
func await(ctx context.Context, e *env, open func() (*store.Store, error)) (s *store.Store, err error) {
	err = retry(ctx, e.log, "the database does not answer", store.IsLost, func() (err error) {
		s, err = open()
		return err
	})
	return s, err
}
