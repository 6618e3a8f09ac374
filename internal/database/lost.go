package database

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// IsLost reports whether an error says that the database can't be reached or
// that the connection to it is gone: the same may succeed later, on a new
// connection. Everything else that is read from the same snapshot fails as well.
func IsLost(err error) bool {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		// It starts, stops or recovers, or has no connection left: PostgreSQL, appendix A.
		code := refused.Code
		return strings.HasPrefix(code, "08") || strings.HasPrefix(code, "57P") || code == "53300"
	}
	var network *net.OpError
	var connect *pgconn.ConnectError
	return pgconn.SafeToRetry(err) || errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || errors.As(err, &network) || errors.As(err, &connect)
}
