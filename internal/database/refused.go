package database

import (
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// IsRefused reports whether the database refuses the data of a row: a value that it cannot
// store, or that violates a constraint (PostgreSQL manual, appendix A, classes 22 and 23). The
// same data will be refused again.
func IsRefused(err error) bool {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return strings.HasPrefix(refused.Code, "22") || strings.HasPrefix(refused.Code, "23")
	}
	return isRefusedBySQLite(err)
}
