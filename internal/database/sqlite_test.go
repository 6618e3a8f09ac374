package database

import (
	"database/sql/driver"
	"os"
	"path/filepath"
	"testing"

	"mintburn/internal/expect"
)

// TestSqliteConn_KeepsStatements: each is prepared once, and closed with the
// connection.
func TestSqliteConn_KeepsStatements(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	opened, err := sqliteConnector{dsn: path}.Connect(t.Context())
	expect.NoError(t, err)
	conn := opened.(*sqliteConn)
	kept := map[string]driver.Stmt{}
	for range 3 {
		for _, text := range []string{"BEGIN", "ROLLBACK"} {
			expect.NoError(t, conn.execute(t.Context(), text))
			if kept[text] != nil && kept[text] != conn.kept[text] {
				t.Errorf("%s was prepared again", text)
			}
			kept[text] = conn.kept[text]
		}
	}
	if err := conn.execute(t.Context(), "nonsense"); err == nil || len(conn.kept) != len(kept) {
		t.Errorf("nonsense: got error %v and %d statements", err, len(conn.kept))
	}
	expect.NoError(t, conn.Close())
	open, err := filepath.Glob("/proc/self/fd/*")
	expect.NoError(t, err)
	for _, file := range open {
		// SQLite closes the file with the last statement.
		if name, err := os.Readlink(file); err == nil && name == path {
			t.Error("the file is still open")
		}
	}
}
