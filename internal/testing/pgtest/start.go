package pgtest

import (
	"context"
	"errors"
)

// Start is [DSN] for programs. It returns a postgres:// URL of an empty database on a
// new server, which ends with stop or with the program, and the process id of its
// postmaster. It fails if PostgreSQL is not installed.
func Start(ctx context.Context) (dsn string, pid int, stop func(), err error) {
	s, err := start(ctx)
	if err != nil {
		return "", 0, nil, err
	}
	if pid, err = s.postmaster(); err == nil {
		err = s.create(ctx, "bench", empty)
	}
	if err != nil {
		s.stop()
		return "", 0, nil, errors.Join(errors.New("creating a database"), err)
	}
	return s.dsn("bench"), pid, s.stop, nil
}
