package doctor

import (
	"context"
	"fmt"
	"time"

	"entgo.io/ent/dialect"

	"mintburn/internal/database"
	"mintburn/internal/store/write"
)

// maxLog is the size from which SQLite's write-ahead log is a fault, in bytes: more than twice what
// an import lets it grow to.
const maxLog = 1 << 30

// maxSkew is how far PostgreSQL's clock may be from this machine's.
const maxSkew = 5 * time.Second

// writers is the number of connections that write to PostgreSQL, besides the readers.
const writers = 2

// Database checks an open database that a server uses, and whether the server may write to it if
// follows is set.
func Database(ctx context.Context, s *write.DB, follows bool, now func() time.Time) (found []Finding) {
	d := &data{ctx: ctx, db: s.Database, follows: follows, now: now}
	schema := s.Schema()
	if schema.Version > schema.Known {
		d.ok("its schema version %d is newer than %d, which this program knows, and compatible", schema.Version, schema.Known)
	} else {
		d.ok("it has schema version %d", schema.Version)
	}
	if d.db.Dialect() == dialect.Postgres {
		d.checkPrivileges()
		d.checkConnections()
		d.checkClock()
	} else {
		d.checkLog()
	}
	return d.found
}

// data is a database, and what was found out about it.
type data struct {
	ctx     context.Context //nolint:containedctx // Each check derives its own.
	db      *database.DB
	follows bool
	now     func() time.Time
	found   []Finding
}

func (d *data) ok(format string, args ...any) {
	d.found = append(d.found, Finding{Subject: "database", Text: fmt.Sprintf(format, args...)})
}

func (d *data) fault(cure, format string, args ...any) {
	d.found = append(d.found, Finding{Subject: "database", Text: fmt.Sprintf(format, args...), Cure: cure})
}

// row reads the only row of a query, and reports whether it could.
func (d *data) row(query string, values ...any) bool {
	err := within(d.ctx, Limit, func(ctx context.Context) error {
		return d.db.Query(ctx, query, nil, func(r *database.Row) error { return r.Values(values...) })
	})
	if err != nil {
		d.fault("check the server's log and its load", "%v", err)
	}
	return err == nil
}

// selectPrivileges counts the tables that the role may not read, and those that it may not change.
// Migrations alter tables, which only their owner may do.
const selectPrivileges = `SELECT
	count(*) FILTER (WHERE NOT has_table_privilege(oid, 'SELECT')),
	count(*) FILTER (WHERE NOT (has_table_privilege(oid, 'INSERT') AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE') AND pg_has_role(relowner, 'USAGE'))),
	CAST(CAST(pg_is_in_recovery() AS int) AS bigint)
FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('schema_version'))`

func (d *data) checkPrivileges() {
	var unread, unwritten, standby int64
	if !d.row(selectPrivileges, &unread, &unwritten, &standby) {
		return
	}
	switch {
	case unread > 0:
		d.fault("GRANT SELECT ON ALL TABLES", "the role may not read %d tables", unread)
	case d.follows && standby > 0:
		d.fault("give the address of the primary as --db", "it is a standby, which nobody can write to")
	case d.follows && unwritten > 0:
		d.fault("use the role that owns the tables, because migrations alter them", "the role may not change %d tables", unwritten)
	case d.follows:
		d.ok("the role may read and change its tables")
	default:
		d.ok("the role may read its tables")
	}
}

// selectConnections selects the connections that the server has left for this database, used ones
// of this database included.
const selectConnections = `SELECT CAST(current_setting('max_connections') AS bigint) - CAST(current_setting('superuser_reserved_connections') AS bigint)
	- CAST(COALESCE(current_setting('reserved_connections', true), '0') AS bigint)
	- (SELECT count(*) FROM pg_stat_activity WHERE datname <> current_database())`

func (d *data) checkConnections() {
	var free int64
	if !d.row(selectConnections, &free) {
		return
	}
	if want := int64(d.db.PoolStats().Max + writers); free < want {
		d.fault("raise max_connections, or lower --db-connections", "it has %d connections for this database, a server uses up to %d", free, want)
	} else {
		d.ok("it has %d connections for this database, a server uses up to %d", free, want)
	}
}

func (d *data) checkClock() {
	var millis int64
	before := d.now()
	if !d.row("SELECT "+d.db.Clock(), &millis) {
		return
	}
	theirs := time.UnixMilli(millis)
	skew := max(before.Sub(theirs), theirs.Sub(d.now()), 0).Round(time.Millisecond)
	if skew > maxSkew {
		d.fault("set both clocks, for example by NTP", "its clock differs from this machine's by %s", skew)
	} else {
		d.ok("its clock is right within %s", maxSkew)
	}
}

func (d *data) checkLog() {
	var page int64
	if !d.row("SELECT page_size FROM pragma_page_size", &page) {
		return
	}
	_, log, err := d.db.Size(d.ctx)
	switch {
	case err != nil:
		d.fault("check the disk", "%v", err)
	case log > maxLog:
		d.fault("end long reads, such as exports and backups, or restart the server", "its write-ahead log has %d bytes", log)
	default:
		d.ok("it has pages of %d bytes and a write-ahead log of %d bytes", page, log)
	}
}
