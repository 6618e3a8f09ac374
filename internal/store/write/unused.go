package write

import (
	"mintburn/ent/coverage"
	"mintburn/ent/lease"
	"mintburn/internal/database"
)

// unusedBy returns a statement that returns whether no block is stored, or a copy is not finished, and no
// process has the lease.
func unusedBy(db *database.DB, copies bool) string {
	is := "NOT EXISTS (SELECT 1 FROM " + coverage.Table + ")"
	if copies {
		is = "(" + unfinished + ")"
	}
	return "SELECT " + is + " AND NOT EXISTS (SELECT 1 FROM " + lease.Table + " WHERE " + lease.FieldEndsAt + " > " + db.Clock() + ")"
}
