package store

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
)

// IsLost reports whether an error says that the connection to the database is
// gone. Everything else that is read from the same snapshot fails as well.
func IsLost(err error) bool {
	var network net.Error
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &network)
}
