package database

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
)

// ConnectError is the error for PostgreSQL when no connection can be opened.
type ConnectError struct {
	// Causes say what failed at which address, in one line. Cure says what to do.
	Causes, Cure string
	err          error
}

// Error returns one line, with the cause first.
func (e *ConnectError) Error() string { return e.Causes + ": " + e.Cure }

// Unwrap returns the driver's error.
func (e *ConnectError) Unwrap() error { return e.err }

// cures are those of PostgreSQL's codes (PostgreSQL manual, appendix A).
var cures = map[string]string{
	"28P01": "correct the user or the password",
	"28000": "correct the user, or let it connect in pg_hba.conf",
	"3D000": "create the database, or correct its name",
	"42501": "grant the user CONNECT on the database",
	"53300": "raise max_connections, or lower the connections of servers",
	"55000": "let the database accept connections, with ALTER DATABASE",
	"57P03": "wait until PostgreSQL accepts connections",
}

// connectError returns a [*ConnectError] for an error of the driver that is about connecting, and
// other errors unchanged.
func connectError(err error) error {
	var failed *pgconn.ConnectError
	if !errors.As(err, &failed) {
		return err
	}
	attempts := []error{failed.Unwrap()}
	if joined, ok := attempts[0].(interface{ Unwrap() []error }); ok {
		attempts = joined.Unwrap()
	}
	// The driver tries an address with TLS and without: the last attempt counts.
	var addresses []string
	causes := map[string]string{}
	cure := ""
	for _, attempt := range attempts {
		address, cause, found := strings.Cut(attempt.Error(), "): ")
		if address, _, _ = strings.Cut(address, " ("); !found {
			address, cause = "", attempt.Error()
		}
		if causes[address] == "" {
			addresses = append(addresses, address)
		}
		causes[address], cure = causeOf(attempt, cause)
	}
	var list []string
	for _, address := range addresses {
		text := causes[address]
		if address != "" {
			text += " at " + address
		}
		list = append(list, text)
	}
	return &ConnectError{
		Causes: fmt.Sprintf("%s (user %s, database %s)", strings.Join(list, "; "), failed.Config.User, failed.Config.Database), Cure: cure, err: err,
	}
}

// causeOf returns the cause of a failed attempt to connect, whose text is given, and its cure.
func causeOf(attempt error, text string) (cause, cure string) {
	if refused, ok := errors.AsType[*pgconn.PgError](attempt); ok {
		cure = cures[refused.Code]
		if cure == "" {
			cure = "see PostgreSQL's log"
		}
		return fmt.Sprintf("%s (SQLSTATE %s)", refused.Message, refused.Code), cure
	}
	if strings.Contains(text, "server refused TLS connection") {
		return "server refused TLS connection", "enable ssl in PostgreSQL, or connect with sslmode=disable"
	}
	cure = "check the address, and whether PostgreSQL runs"
	if errno, ok := errors.AsType[syscall.Errno](attempt); ok {
		return errno.Error(), cure
	}
	if network, ok := errors.AsType[*net.OpError](attempt); ok {
		return network.Err.Error(), cure
	}
	return text, cure
}
