package doctor_test

import (
	"database/sql"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"mintburn/internal/database"
	"mintburn/internal/doctor"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
	"mintburn/internal/testing/storetest"
)

// examine returns the findings about a database with this many readers.
func examine(t *testing.T, dsn string, readers int, follows bool, now func() time.Time) string {
	t.Helper()
	s, err := write.Open(t.Context(), dsn, write.Options{Options: database.Options{ReadOnly: true, Readers: readers}})
	expect.NoError(t, err)
	defer s.Close()
	var lines []string
	for _, f := range doctor.Database(t.Context(), s, follows, now) {
		lines = append(lines, f.String())
	}
	return strings.Join(lines, "\n")
}

// TestDatabase checks that a database of each kind has no fault.
func TestDatabase(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, dsn string) {
		if found := examine(t, dsn, 2, true, time.Now); len(faults(found)) > 0 || !strings.Contains(found, "it has schema version ") {
			t.Error(found)
		}
	})
}

// TestDatabase_PostgreSQL checks that missing privileges, too few connections and a wrong clock are
// found.
func TestDatabase_PostgreSQL(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts PostgreSQL")
	}
	server := pgtest.NewServer(t)
	s, err := write.Open(t.Context(), server.DSN, write.Options{})
	expect.NoError(t, err)
	expect.NoError(t, s.Close())
	db, err := sql.Open("pgx", server.DSN)
	expect.NoError(t, err)
	defer db.Close()
	_, err = db.ExecContext(t.Context(), "CREATE ROLE reader LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader; "+
		"CREATE ROLE writer LOGIN; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO writer")
	expect.NoError(t, err)
	as := func(role string) string {
		u, err := url.Parse(server.DSN)
		expect.NoError(t, err)
		u.User = url.User(role)
		return u.String()
	}
	late := func() time.Time { return time.Now().Add(-time.Minute) }
	for _, c := range []struct {
		dsn     string
		readers int
		follows bool
		now     func() time.Time
		want    string
	}{
		{as("reader"), 2, false, time.Now, ""},
		{as("reader"), 2, true, time.Now, "fault database: the role may not change "},
		{as("writer"), 2, true, time.Now, "use the role that owns the tables"},
		{server.DSN, 1000, true, time.Now, "connections for this database, a server uses up to 1002; cure: raise max_connections"},
		{server.DSN, 2, true, late, "fault database: its clock differs from this machine's by "},
	} {
		found := examine(t, c.dsn, c.readers, c.follows, c.now)
		if list := faults(found); c.want == "" && len(list) > 0 || c.want != "" && (len(list) != 1 || !strings.Contains(list[0], c.want)) {
			t.Errorf("got\n%s\nwant %q", found, c.want)
		}
	}
}

// TestDatabase_Log checks that a huge write-ahead log is a fault.
func TestDatabase_Log(t *testing.T) {
	t.Parallel()
	path := storetest.SQLite(t)
	s, err := write.Open(t.Context(), path, write.Options{Options: database.Options{ReadOnly: true, Readers: 1}})
	expect.NoError(t, err)
	defer s.Close()
	// SQLite ignores the log of a file that it opened as immutable.
	expect.NoError(t, os.WriteFile(path+"-wal", nil, 0o600))
	expect.NoError(t, os.Truncate(path+"-wal", 2<<30))
	found := doctor.Database(t.Context(), s, true, time.Now)
	if last := found[len(found)-1].String(); last != "fault database: its write-ahead log has 2147483648 bytes; cure: end long reads, such as exports and backups, or restart the server" {
		t.Error(last)
	}
}
