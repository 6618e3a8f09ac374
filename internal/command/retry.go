package command

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"

	"mintburn/internal/store"
)

// The shortest and the longest pause between two tries.
const firstPause, longestPause = 100 * time.Millisecond, 30 * time.Second

// retry calls try until it succeeds, with growing pauses, and logs what failed. It
// returns ctx's error, or the first one that is not worth another try.
func retry(ctx context.Context, log *slog.Logger, what string, worth func(error) bool, try func() error) error {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		err := try()
		if err == nil || ctx.Err() != nil || !worth(err) {
			return err
		}
		// Processes that wait for one database must not come back all at once.
		in := pause/2 + rand.N(pause/2)
		log.Warn(what+": trying again", "error", err, "in", in.Round(time.Millisecond).String())
		if err := wait(ctx, in); err != nil {
			return err
		}
	}
}

// wait waits for a time. It fails when ctx ends before.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
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
