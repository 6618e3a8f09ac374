package command_test

import (
	"bytes"
	"database/sql"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// administrator is a connection to PostgreSQL besides those of the program.
type administrator struct{ *sql.DB }

// administer connects to a database until the end of the test.
func administer(t *testing.T, dsn string) administrator {
	t.Helper()
	db, err := sql.Open("pgx", dsn)
	expect.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return administrator{db}
}

// lock locks a table in a mode until unlock is called.
func (a administrator) lock(t *testing.T, table, mode string) (unlock func()) {
	t.Helper()
	tx, err := a.BeginTx(t.Context(), nil)
	expect.NoError(t, err)
	_, err = tx.ExecContext(t.Context(), "LOCK TABLE "+table+" IN "+mode+" MODE")
	expect.NoError(t, err)
	return func() { expect.NoError(t, tx.Rollback()) }
}

// act calls a function of PostgreSQL with the process id of each other session of the database
// that meets a condition, once there is one.
func (a administrator) act(t *testing.T, function, where string) {
	t.Helper()
	until(t, func() bool {
		n := 0
		expect.NoError(t, a.QueryRowContext(t.Context(), "SELECT count("+function+") FROM pg_stat_activity "+
			"WHERE datname = current_database() AND pid <> pg_backend_pid() AND "+where).Scan(&n))
		return n > 0
	})
}

// cancel cancels the statement of each other session that waits for a lock since after, once
// there is one. It returns when the last of them began.
func (a administrator) cancel(t *testing.T, after time.Time) (began time.Time) {
	t.Helper()
	until(t, func() bool {
		var last sql.NullTime
		expect.NoError(t, a.QueryRowContext(t.Context(), "SELECT max(query_start) FROM (SELECT query_start, pg_cancel_backend(pid) FROM pg_stat_activity "+
			"WHERE datname = current_database() AND query_start > $1 AND "+locked+" OFFSET 0) AS cancelled", after).Scan(&last))
		began = last.Time
		return last.Valid
	})
	return began
}

// The conditions of sessions that wait for a lock, and of those that wait for their client
// within a transaction.
const locked, idle = "wait_event_type = 'Lock'", "wait_event = 'ClientRead' AND xact_start IS NOT NULL"

// TestServe_Cancelled cancels statements of a server. It repeats a read once, and then answers
// that the data is unavailable. It waits if its start is cancelled.
func TestServe_Cancelled(t *testing.T) {
	t.Parallel()
	skipShort(t, "runs on PostgreSQL")
	dsn := pgtest.DSN(t)
	node, _ := generated(t, 50, 5)
	mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", dsn)
	a := administer(t, dsn)
	unlock := a.lock(t, "settings", "ACCESS EXCLUSIVE")
	started := make(chan *server)
	go func() { started <- serve(t, dsn) }()
	a.cancel(t, time.Time{})
	unlock()
	s := <-started
	until(t, func() bool { return s.headIs(t, 50) })
	for name, question := range map[string]string{
		"a page":            `{"query": "{ mints { data { tokenId } } }"}`,
		"a page with total": `{"query": "{ mints { totalItems data { tokenId } } }"}`,
	} {
		for times := range 3 {
			unlock := a.lock(t, "mints", "ACCESS EXCLUSIVE")
			answered := make(chan *apitest.Reply)
			go func() { answered <- s.Post(t, question) }()
			began := time.Time{}
			for range times {
				began = a.cancel(t, began)
			}
			if times == 2 {
				// A third attempt would wait for the lock until the operation times out.
				got, ended := <-answered, time.Now()
				if ended.Sub(began) > 5*time.Second {
					t.Errorf("%s: answered %s after the second attempt began", name, ended.Sub(began))
				}
				unlock()
				got.OnlyError(t, "UNAVAILABLE")
				if got.Status != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" {
					t.Errorf("%s: status %d, headers %v", name, got.Status, got.Header)
				}
				continue
			}
			a.act(t, "pid", locked)
			unlock()
			if got := <-answered; got.Status != http.StatusOK || strings.Contains(got.Body, `"errors"`) {
				t.Errorf("%s, cancelled %d times: status %d, %s", name, times, got.Status, got.Body)
			}
		}
	}
}

// TestImport_Stopped stops an import within a transaction. If PostgreSQL ends the session
// meanwhile, the import repeats the transaction, and the result is that of another import.
func TestImport_Stopped(t *testing.T) {
	t.Parallel()
	skipShort(t, "runs on PostgreSQL")
	var text bytes.Buffer
	_, err := chaintest.WriteRecording(&text, contents(1_000, 20))
	expect.NoError(t, err)
	path, want := filepath.Join(t.TempDir(), "recording.ndjson"), filepath.Join(t.TempDir(), "want.db")
	expect.NoError(t, os.WriteFile(path, text.Bytes(), 0o600))
	importInto(t, want, nil, path)
	dsn := pgtest.DSN(t)
	importInto(t, dsn, bytes.NewReader(text.Bytes()[:bytes.LastIndexByte(text.Bytes()[:text.Len()/2], '\n')+1]), "-")
	a := administer(t, dsn)
	var said bytes.Buffer
	process := exec.CommandContext(t.Context(), "mintburn", "import", "--db", dsn, path)
	process.Stdout, process.Stderr = &said, &said
	unlock := a.lock(t, "mints", "SHARE")
	expect.NoError(t, process.Start())
	// Another session may be idle before the one that writes, which would keep its lock for minutes.
	const writing = idle + " AND pid IN (SELECT pid FROM pg_locks WHERE relation = 'mints'::regclass AND granted)"
	for last := range 3 {
		a.act(t, "pid", locked)
		stop(t, process.Process)
		unlock()
		a.act(t, "pg_terminate_backend(pid, 10000)", writing)
		if last < 2 {
			unlock = a.lock(t, "mints", "SHARE")
		}
		expect.NoError(t, process.Process.Signal(syscall.SIGCONT))
	}
	if err := process.Wait(); err != nil {
		t.Fatalf("the import: %v: %s", err, said.String())
	}
	for _, what := range []string{"mints", "burns", "blocks"} {
		first, _ := mustRun(t, "export", "--db", want, what)
		second, _ := mustRun(t, "export", "--db", dsn, what)
		expect.Equal(t, what, first, second)
	}
	mustRun(t, "check", "--db", dsn)
}
