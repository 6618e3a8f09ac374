package command

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"

	"mintburn/internal/store"
)

// The first and the longest time between two tries of what a service waits for.
const firstTry, lastTry = 100 * time.Millisecond, 30 * time.Second

// persist calls try until it succeeds, with growing waits; it ends with an error
// that is not worth another try, or with ctx's. The log says what it waits for.
func persist(ctx context.Context, log *slog.Logger, what string, try func() error, worth func(error) bool) error {
	for wait := firstTry; ; wait = min(2*wait, lastTry) {
		err := try()
		if err == nil || ctx.Err() != nil || !worth(err) {
			return err
		}
		// Several processes that wait for one database do not come back together.
		in := wait/2 + rand.N(wait/2)
		log.Warn(what+": trying again", "error", err, "in", in.Round(time.Millisecond).String())
		timer := time.NewTimer(in)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}

// await opens a database for a command that runs until it is stopped: it waits
// until PostgreSQL can be reached.
func await(ctx context.Context, e *env, open func() (*store.Store, error)) (s *store.Store, err error) {
	err = persist(ctx, e.log, "the database does not answer", func() (err error) {
		s, err = open()
		return err
	}, store.IsLost)
	return s, err
}
