package write

import (
	"context"
	"errors"
	"time"

	"mintburn/internal/database"
	"mintburn/internal/store/lease"
)

// repeatTime is how long a failed transaction is repeated, repeatPause the time between two
// attempts. PostgreSQL restarts, or another server replaces it, within that time.
const (
	repeatTime  = time.Minute
	repeatPause = 200 * time.Millisecond
)

// errCommitted says that an earlier attempt of a transaction was committed, although its
// commit returned an error.
var errCommitted = errors.New("internal error: the transaction is already committed")

// repeat runs f in a writing transaction, see [database.DB.Write]. A patient store runs f
// again if the database was lost, and takes the lease again if another process has taken it
// while this one stood still.
func repeat(ctx context.Context, s *DB, f func(context.Context, *database.Tx) error) error {
	var since time.Time
	for {
		err := s.Database.Write(ctx, f)
		if errors.Is(err, errCommitted) {
			return nil
		}
		other := new(lease.Error)
		if s.patient && errors.As(err, &other) && s.lease.Held() {
			err = s.lease.Retake(ctx)
			if err == nil {
				continue
			}
		}
		if since.IsZero() {
			since = time.Now()
		}
		if !s.patient || !database.IsLost(err) || time.Since(since) > repeatTime {
			return err
		}
		select {
		case <-time.After(repeatPause):
		case <-ctx.Done():
			return err
		}
	}
}
