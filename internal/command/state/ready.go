package state

import (
	"context"
	"errors"
	"time"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/httpapi/watch"
	"mintburn/internal/store/feed"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
)

// ScrapeTime bounds the time to read the state of the database.
const ScrapeTime = 5 * time.Second

// Ready fails while requests should go to another server, because the database
//
//   - does not answer, or its file was deleted or replaced,
//   - is being loaded, and so lacks its indexes,
//   - has no indexed block, or one older than maxLag; 0 allows any age.
func Ready(ctx context.Context, s *write.DB, now func() time.Time, maxLag time.Duration) (err error) {
	ctx, cancel := context.WithTimeout(ctx, ScrapeTime)
	defer cancel()
	if err := s.CheckFile(); err != nil {
		return err
	}
	steps, err := write.LoadOf(s).Steps(ctx)
	if err != nil {
		return err
	}
	if steps > 0 {
		return apierror.Errorf(apierror.Unavailable, "the database is being loaded")
	}
	c, err := ChainOf(ctx, s)
	if err != nil {
		return err
	}
	return TooOld(c, now(), maxLag)
}

// TooOld fails if no block is indexed, or if the last one is older than maxLag; 0 allows any
// age.
func TooOld(c *read.Chain, now time.Time, maxLag time.Duration) error {
	switch {
	case len(c.Indexed) == 0:
		return apierror.Errorf(apierror.Unavailable, "nothing is indexed yet")
	case maxLag == 0:
		return nil
	case c.Head == nil:
		return apierror.Errorf(apierror.Unavailable, "the header of the last indexed block is not stored")
	}
	if Age(c.Head, now) > maxLag {
		return apierror.Errorf(apierror.Unavailable, "the last indexed block is older than %s", maxLag)
	}
	return nil
}

// ChainOf reads the state of the chain.
func ChainOf(ctx context.Context, s *write.DB) (*read.Chain, error) {
	snapshot := s.Snapshot()
	chain, err := snapshot.Chain(ctx)
	return chain, errors.Join(err, snapshot.Close())
}

// Age returns the age of a block, 0 for one whose time is ahead of the clock.
func Age(h *evm.Header, now time.Time) time.Duration {
	return max(0, now.Sub(time.Unix(int64(h.Time), 0)))
}

// LastChange returns a function that reads the mark of the log of changes.
func LastChange(s *write.DB) func(context.Context) (watch.Mark, error) {
	return func(ctx context.Context) (watch.Mark, error) {
		mark, err := feed.Last(ctx, s.DB)
		return watch.Mark(mark), err
	}
}
