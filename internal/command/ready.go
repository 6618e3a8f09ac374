package command

import (
	"context"
	"errors"
	"time"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
)

// readiness fails while requests should go to another server, because the database
//
//   - does not answer, or its file was deleted or replaced,
//   - is being loaded, and so lacks its indexes,
//   - has no indexed block, or one older than maxLag; 0 allows any age.
func readiness(ctx context.Context, s *write.DB, now func() time.Time, maxLag time.Duration) (err error) {
	ctx, cancel := context.WithTimeout(ctx, scrapeTime)
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
	c, err := chainOf(ctx, s)
	if err != nil {
		return err
	}
	return tooOld(c, now(), maxLag)
}

// tooOld fails if no block is indexed, or if the last one is older than maxLag; 0 allows any
// age.
func tooOld(c *read.Chain, now time.Time, maxLag time.Duration) error {
	switch {
	case len(c.Indexed) == 0:
		return apierror.Errorf(apierror.Unavailable, "nothing is indexed yet")
	case maxLag == 0:
		return nil
	case c.Head == nil:
		return apierror.Errorf(apierror.Unavailable, "the header of the last indexed block is not stored")
	}
	if age(c.Head, now) > maxLag {
		return apierror.Errorf(apierror.Unavailable, "the last indexed block is older than %s", maxLag)
	}
	return nil
}

// chainOf reads the state of the chain.
func chainOf(ctx context.Context, s *write.DB) (*read.Chain, error) {
	snapshot := s.Snapshot()
	chain, err := snapshot.Chain(ctx)
	return chain, errors.Join(err, snapshot.Close())
}

func age(h *evm.Header, now time.Time) time.Duration {
	return max(0, now.Sub(time.Unix(int64(h.Time), 0)))
}
