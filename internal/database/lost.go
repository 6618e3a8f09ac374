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

// IsLost reports whether an error means that the database can't be reached, that its
// SQLite file can't be written, that its connection or transaction is gone, or that
// PostgreSQL ended the statement, see [IsCancelled]. The same operation may succeed later.
// All further reads from the same snapshot fail as well.
func IsLost(err error) bool { return isGone(err) || IsCancelled(err) }

// IsCancelled reports whether PostgreSQL ended a statement for a reason outside of it: an
// administrator or a timeout cancelled it, a lock was not available in time, or it could not
// be serialized (PostgreSQL manual, appendix A). The connection remains. The error of a
// statement whose own context ended may be the same, so check the context first.
func IsCancelled(err error) bool {
	code := codeOf(err)
	return code == queryCanceled || code == "40001" || IsLocked(err)
}

// isGone is IsLost for errors after which the connection or the file is of no use.
func isGone(err error) bool {
	if gone := new(FileError); errors.As(err, &gone) {
		return true
	}
	if code := codeOf(err); code != "" {
		// PostgreSQL is starting, stopping or recovering, has no connection left, or has
		// ended a transaction that was idle or deadlocked (PostgreSQL manual, appendix A).
		return strings.HasPrefix(code, "08") || strings.HasPrefix(code, "57P") || code == "53300" || code == "25P03" || isDeadlocked(err) || isDemoted(err) || IsClosed(err)
	}
	var network *net.OpError
	return isUnreachable(err) || pgconn.SafeToRetry(err) || errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || errors.As(err, &network)
}

// IsClosed reports whether PostgreSQL refuses connections until its administrator changes
// something: there is no such database, or the role or its password is not valid any more.
func IsClosed(err error) bool {
	code := codeOf(err)
	// A statement may lack a permission as well.
	return code == "3D000" || strings.HasPrefix(code, "28") || isUnreachable(err) && (code == "42501" || code == "55000")
}

// isUnreachable reports whether an error means that no connection could be opened.
func isUnreachable(err error) bool {
	var connect *pgconn.ConnectError
	return errors.As(err, &connect)
}

// isDemoted reports whether an error means that the server is not the primary.
func isDemoted(err error) bool { return codeOf(err) == "25006" }

// isDeadlocked reports whether PostgreSQL ended a transaction that waited for one that waited
// for it.
func isDeadlocked(err error) bool { return codeOf(err) == "40P01" }

// IsLocked reports whether an error means that PostgreSQL's lock_timeout passed.
func IsLocked(err error) bool { return codeOf(err) == "55P03" }

// queryCanceled is PostgreSQL's code for a statement that exceeded statement_timeout or was
// cancelled by a client.
const queryCanceled = "57014"

// codeOf returns PostgreSQL's code of an error, "" if the error is not the server's.
func codeOf(err error) string {
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		return refused.Code
	}
	return ""
}
