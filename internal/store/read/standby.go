package read

import (
	"cmp"
	"context"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"mintburn/internal/apierror"
	"mintburn/internal/database"
)

// Behind returns the error for a cursor of data that the snapshot does not have: an
// [apierror.Error] with the code REPLICA_BEHIND on a standby, which may receive the data yet, and
// unknown on every other database.
func Behind(ctx context.Context, s *Snapshot, unknown error) error {
	if s.DB.Database.Dialect() != dialect.Postgres {
		return unknown
	}
	standby := false
	err := s.Tx.Query(ctx, entsql.Raw("SELECT pg_is_in_recovery()"), func(row *database.Row) error { return row.Values(&standby) })
	if standby {
		unknown = apierror.Errorf(apierror.ReplicaBehind, "this replica has not received the cursor's data yet: try again")
	}
	return cmp.Or(err, unknown)
}
