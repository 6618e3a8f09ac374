package command_test

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// largeSource returns a database with this many records, and documents of a tenth of them.
func largeSource(t testing.TB, records int) string {
	t.Helper()
	text, recording := []byte{}, filepath.Join(t.TempDir(), "large.ndjson")
	file, err := os.Create(recording)
	expect.NoError(t, err)
	for b := range chaintest.Blocks(contents(records/100, 100)) {
		text = append(b.AppendLine(text[:0]), '\n')
		for i := range b.Mints[:min(10, len(b.Mints))] {
			m := &b.Mints[i]
			text = fmt.Appendf(text, `{"metadata":{"address":%q,"tokenId":%q,"uri":"ipfs://x","fetchedAt":1700000000,"document":"{\"name\":\"%d\",\"attributes\":[{\"trait_type\":\"n\",\"value\":\"%d\"}]}"}}`+"\n", m.Contract, m.TokenID, i, i)
		}
		_, err := file.Write(text)
		expect.NoError(t, err)
	}
	expect.NoError(t, file.Close())
	db := filepath.Join(t.TempDir(), "large.db")
	importInto(t, db, nil, recording)
	return db
}

// refusesRest fails the test if a command accepts the rest of a copy. One that was ended before its first commit has no
// mark, and nothing in it.
func refusesRest(t testing.TB, dsn string) {
	t.Helper()
	stdout, stderr, code := run(t, nil, "export", "--db", dsn, "mints")
	if code == 0 || stdout != "" {
		t.Errorf("export of the rest: exit code %d, %d bytes: %s", code, len(stdout), stderr)
	}
	var marked string
	if open(t, dsn).QueryRowContext(t.Context(), "SELECT value FROM settings WHERE id = 'copying'").Scan(&marked) == nil && !strings.Contains(stderr, "an unfinished copy: run mintburn copy again") {
		t.Errorf("export of the rest: %s", stderr)
	}
}

// isWhole reports whether a database has blocks, and no mark of a copy.
func isWhole(t testing.TB, dsn string) (whole bool) {
	t.Helper()
	const query = "SELECT EXISTS (SELECT 1 FROM coverage) AND NOT EXISTS (SELECT 1 FROM settings WHERE id = 'copying')"
	// An error means that there are no tables yet.
	_ = open(t, dsn).QueryRowContext(t.Context(), query).Scan(&whole)
	return whole
}

// TestCopy_Killed kills copies at random moments. No other command accepts the rest, and the same command ends it.
// MINTBURN_STEPS is the number of kills, MINTBURN_RECORDS that of records, and MINTBURN_SEED repeats the moments.
func TestCopy_Killed(t *testing.T) {
	t.Parallel()
	skipShort(t, "waits for the ends of leases")
	source, seed := largeSource(t, int(expect.Variable(t, "MINTBURN_RECORDS", 6_000))), expect.Variable(t, "MINTBURN_SEED", 1)
	for kind, target := range map[string]func() string{
		"sqlite":   func() string { return filepath.Join(t.TempDir(), "copy.db") },
		"postgres": func() string { return pgtest.Direct(t) },
	} {
		t.Run(kind, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 4))
			began := time.Now()
			mustRun(t, "copy", "--from", source, "--to", target())
			takes := time.Since(began)
			for kills := expect.Variable(t, "MINTBURN_STEPS", 2); kills > 0; {
				dsn := target()
				process := exec.CommandContext(t.Context(), "mintburn", "copy", "--from", source, "--to", dsn)
				expect.NoError(t, process.Start())
				// Before a fourth of the time nothing is copied.
				after := takes/4 + time.Duration(random.Int64N(int64(takes)*3/4))
				kill := time.AfterFunc(after, func() { _ = process.Process.Kill() })
				err := process.Wait()
				if kill.Stop(); err == nil {
					takes = after // It was faster.
					continue
				}
				if isWhole(t, dsn) {
					sameCopy(t, source, dsn)
					takes = after // It had only to end.
					continue
				}
				kills--
				t.Logf("killed after %s of %s", after, takes)
				refusesRest(t, dsn)
				mustRun(t, "copy", "--from", source, "--to", dsn)
				sameCopy(t, source, dsn)
			}
		})
	}
}

// TestCopy_Ended interrupts a copy, ends its connections, and fills its disk. The same command ends it.
func TestCopy_Ended(t *testing.T) {
	t.Parallel()
	skipShort(t, "copies 20,000 records several times")
	source := largeSource(t, 20_000)
	t.Run("interrupted", func(t *testing.T) {
		from, db := pgtest.Direct(t), filepath.Join(t.TempDir(), "copy.db")
		mustRun(t, "copy", "--from", source, "--to", from)
		admin, err := sql.Open("pgx", from)
		expect.NoError(t, err)
		defer admin.Close()
		// The copy waits while this transaction is open.
		lock, err := admin.BeginTx(t.Context(), nil)
		expect.NoError(t, err)
		_, err = lock.ExecContext(t.Context(), "LOCK TABLE burns IN ACCESS EXCLUSIVE MODE")
		expect.NoError(t, err)
		var stderr strings.Builder
		process := exec.CommandContext(t.Context(), "mintburn", "copy", "--from", from, "--to", db)
		process.Stderr = &stderr
		expect.NoError(t, process.Start())
		exists := func() bool { _, err := os.Stat(db); return err == nil }
		until(t, exists)
		file := open(t, db)
		until(t, func() bool {
			var begun string
			return file.QueryRowContext(t.Context(), "SELECT value FROM settings WHERE id = 'last_commit'").Scan(&begun) == nil
		})
		expect.NoError(t, process.Process.Signal(syscall.SIGINT))
		err = process.Wait()
		expect.NoError(t, lock.Rollback())
		if process.ProcessState.ExitCode() != 130 || !strings.Contains(stderr.String(), "mintburn: interrupted by SIGINT: run the same command again: it empties the target and begins anew") {
			t.Errorf("%v: %s", err, stderr.String())
		}
		if exists() {
			t.Error("the file is left")
		}
		db = filepath.Join(t.TempDir(), "again.db")
		mustRun(t, "copy", "--from", from, "--to", db)
		sameCopy(t, source, db)
	})
	t.Run("connections lost", func(t *testing.T) {
		proxy := pgtest.NewProxy(t)
		ended, code := make(chan struct{}), 0
		go func() {
			defer close(ended)
			_, _, code = run(t, nil, "copy", "--from", source, "--to", proxy.DSN)
		}()
		db := open(t, proxy.DSN)
		for _, table := range []string{"blocks", "burns"} {
			until(t, func() bool {
				var n int
				return db.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&n) == nil && n > 0
			})
			proxy.Drop()
		}
		<-ended
		expect.Equal(t, "exit code", 0, code)
		sameCopy(t, source, proxy.DSN)
	})
	t.Run("a row lost", func(t *testing.T) {
		dsn := pgtest.Direct(t)
		mustRun(t, "migrate", "--db", dsn)
		admin, err := sql.Open("pgx", dsn)
		expect.NoError(t, err)
		t.Cleanup(func() { _ = admin.Close() })
		_, err = admin.ExecContext(t.Context(), "CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; CREATE TRIGGER lose BEFORE INSERT ON blocks FOR EACH ROW WHEN (NEW.id = 7) EXECUTE FUNCTION lose()")
		expect.NoError(t, err)
		stdout, stderr, code := run(t, nil, "copy", "--from", source, "--to", dsn)
		if code != 1 || !strings.Contains(stdout, "blocks: 200 rows, 199 copied\n") || !strings.Contains(stderr, "other numbers of rows than the source; run the same command again") {
			t.Errorf("exit code %d: %s%s", code, stdout, stderr)
		}
		refusesRest(t, dsn)
		_, err = admin.ExecContext(t.Context(), "DROP TRIGGER lose ON blocks")
		expect.NoError(t, err)
		mustRun(t, "copy", "--from", source, "--to", dsn)
		sameCopy(t, source, dsn)
	})
	t.Run("disk full", func(t *testing.T) {
		disk := mounted(t, "size=3m")
		db := filepath.Join(disk, "copy.db")
		_, stderr, code := run(t, nil, "copy", "--from", source, "--to", db)
		if code != 1 || !saysFull(stderr, db) || !strings.Contains(stderr, "; run the same command again") {
			t.Errorf("exit code %d: %s", code, stderr)
		}
		remount(t, disk, 0, "size=100m")
		mustRun(t, "copy", "--from", source, "--to", db)
		sameCopy(t, source, db)
	})
}

// TestCopy_Served copies to an empty database that a server has open. It answers nothing of an unfinished copy.
func TestCopy_Served(t *testing.T) {
	t.Parallel()
	source, db := importDemo(t), filepath.Join(t.TempDir(), "served.db")
	mustRun(t, "migrate", "--db", db)
	s := serve(t, db)
	file, err := sql.Open("sqlite3", "file:"+db+"?_busy_timeout=10000")
	expect.NoError(t, err)
	defer file.Close()
	_, err = file.ExecContext(t.Context(), "INSERT INTO settings VALUES ('copying', 'true')")
	expect.NoError(t, err)
	answers := func(what string) bool {
		got := s.Post(t, `{"query":"{ chain { head { number } } }"}`)
		return strings.Contains(got.Body, what)
	}
	until(t, func() bool { return answers(`"UNAVAILABLE"`) })
	mustRun(t, "copy", "--from", source, "--to", db)
	until(t, func() bool { return answers(`"head":{"number":`) })
	checkTables(t, dumped(t, source), dumped(t, db))
}
