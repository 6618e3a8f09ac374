package pgtest

import (
	"context"
	"errors"
)

// Start is [DSN] for programs: it returns a postgres:// URL of an empty database, on a
// new server that ends with stop or with the program. It fails if PostgreSQL is not
// installed.
func Start(ctx context.Context) (dsn string, stop func(), err error) {
	s, err := start(ctx)
	if err != nil {
		return "", nil, err
	}
	if err := s.create(ctx, "bench"); err != nil {
		s.stop()
		return "", nil, errors.Join(errors.New("creating a database"), err)
	}
	return s.dsn("bench"), s.stop, nil
}
