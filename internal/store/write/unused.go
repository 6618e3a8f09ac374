package write

import (
	"mintburn/ent/coverage"
	"mintburn/ent/lease"
	"mintburn/internal/database"
)

// unusedBy returns a statement that returns whether no block is stored and no process has the
// lease.
func unusedBy(db *database.DB) string {
	return "SELECT NOT EXISTS (SELECT 1 FROM " + coverage.Table + ") AND NOT EXISTS (SELECT 1 FROM " + lease.Table + " WHERE " + lease.FieldEndsAt + " > " + db.Clock() + ")"
}
