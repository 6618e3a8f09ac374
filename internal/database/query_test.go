package database

import (
	"database/sql/driver"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"mintburn/internal/expect"
)

// TestSqliteConn_KeepsStatements checks that each statement is prepared once and closed with
// the connection.
func TestSqliteConn_KeepsStatements(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	opened, err := sqliteConnector{file: new(file), dsn: path}.Connect(t.Context())
	expect.NoError(t, err)
	conn := opened.(*sqliteConn)
	kept := map[string]driver.Stmt{}
	for range 3 {
		for _, text := range []string{"SELECT 1", "SELECT 2"} {
			end, err := conn.hold(Statement{Text: text})
			expect.NoError(t, err)
			expect.NoError(t, end())
			if kept[text] != nil && kept[text] != conn.prepared[text] {
				t.Errorf("%s was prepared again", text)
			}
			kept[text] = conn.prepared[text]
		}
	}
	if _, err := conn.hold(Statement{Text: "nonsense"}); err == nil || len(conn.prepared) != len(kept) {
		t.Errorf("nonsense: got error %v and %d statements", err, len(conn.prepared))
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

func TestCache(t *testing.T) {
	const most = 100
	c := NewCache[int, int](most)
	if _, found := c.Find(1); found {
		t.Error("found in an empty cache")
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for key := range 10 * most {
				c.Put(key, -key)
				if value, found := c.Find(key / 2); found && value != -key/2 {
					t.Errorf("key %d: got %d", key/2, value)
				}
			}
		})
	}
	group.Wait()
	// The size stays bounded.
	if n := len(c.known); n == 0 || n > most {
		t.Errorf("got %d values, want 1 to %d", n, most)
	}
	c.Put(3, 7)
	if value, found := c.Find(3); !found || value != 7 {
		t.Errorf("got %d, %t for the last key", value, found)
	}
}
