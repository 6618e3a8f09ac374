//go:build linux

package command_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"mintburn/internal/chaintest"
	"mintburn/internal/command"
	"mintburn/internal/expect"
)

// mounted returns the folder of a file system of its own in memory. Where none can be
// mounted, the test is skipped.
func mounted(t *testing.T, options string) string {
	t.Helper()
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, options); err != nil {
		t.Skipf("no file system can be mounted: %v", err)
	}
	t.Cleanup(func() { expect.NoError(t, syscall.Unmount(disk, 0)) })
	return disk
}

// remount changes the options of a file system.
func remount(t *testing.T, disk string, flags uintptr, options string) {
	t.Helper()
	expect.NoError(t, syscall.Mount("", disk, "", syscall.MS_REMOUNT|flags, options))
}

// saysFull reports whether the only line that is not of the log says that there is no space
// for a file.
func saysFull(stderr, file string) bool {
	said := regexp.MustCompile(`(?m)^(?:[^t]|t[^i]).*$`).FindAllString(stderr, -1)
	return len(said) == 1 && regexp.MustCompile(`^mintburn: .*`+regexp.QuoteMeta(file)+`.*no space left on `).MatchString(said[0])
}

// failsFull runs the program, which must say that there is no space for a file.
func failsFull(t *testing.T, file string, args ...string) {
	t.Helper()
	if _, stderr, code := run(t, nil, args...); code != 1 || !saysFull(stderr, file) {
		t.Errorf("%v: exit code %d: %s: want 1 and a line that names %s", args, code, stderr, file)
	}
}

// TestServe_DiskFull: while the disk is full, a server answers from what is stored; when there
// is space, it goes on, and nothing is missing.
func TestServe_DiskFull(t *testing.T) {
	t.Parallel()
	disk := mounted(t, "size=16m")
	node := chaintest.NewNode(t, chaintest.NodeOptions{URI: "data:application/json,{}"})
	o := contents(60, 20)
	node.Generate(o)
	db, rest := filepath.Join(disk, "x.db"), filepath.Join(disk, "rest")
	s := start(t, "serve", "--db", db, "--rpc", node.URL, "--poll", "10ms", "--allow-private-metadata")
	until(t, func() bool { return s.headIs(t, 60) })
	before := exported(t, db)
	fill(t, rest)
	// Its log may have space for some blocks.
	head := 60
	until(t, func() bool {
		if s.headIs(t, head) {
			node.Generate(o)
			head += 60
		}
		return strings.Contains(s.output.String(), `msg="following: trying again" error="`+db+`: no space left on its disk`)
	})
	for _, path := range []string{"/healthz", "/readyz"} {
		if got := s.Send(t, http.MethodGet, path, ""); got.Status != http.StatusOK {
			t.Errorf("%s: status %d: %s", path, got.Status, got.Body)
		}
	}
	expect.Equal(t, "what is read from a full disk", before, exported(t, db, "--to-block", "60"))
	of := "toBlock: 60"
	if all := s.walk(t, "mints", of, 1000); len(all) != strings.Count(before, "\n")-len(s.walk(t, "burns", of, 1000)) {
		t.Errorf("%d mints", len(all))
	}
	// It can also begin there.
	other := start(t, "serve", "--db", db, "--rpc", node.URL, "--poll", "10ms")
	heads := func(s *server) string { return fmt.Sprint(s.Ask(t, "{ chain { head { number } } }", "")) }
	stopped := heads(s)
	until(t, func() bool { return heads(other) == stopped })
	expect.NoError(t, os.Remove(rest))
	until(t, func() bool { return s.headIs(t, head) })
	truth := filepath.Join(t.TempDir(), "truth.db")
	mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", truth)
	expect.Equal(t, "records", exported(t, truth), exported(t, db))
	mustRun(t, "check", "--db", db)
}

// TestDiskFull_Load fills databases on disks that are too small, which grow until there is
// space: nothing that was stored is lost, and the same command goes on.
func TestDiskFull_Load(t *testing.T) {
	skipShort(t, "runs thirty commands")
	t.Parallel()
	text := generate()
	whole, recording := filepath.Join(t.TempDir(), "whole.db"), filepath.Join(t.TempDir(), "chain.ndjson")
	expect.NoError(t, os.WriteFile(recording, []byte(text), 0o600))
	mustRun(t, "import", "--db", whole, recording)
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	node.Generate(contents(150, 60))
	synced := filepath.Join(t.TempDir(), "synced.db")
	mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", synced)
	for name, c := range map[string]struct {
		args []string
		// want is a database with the same records, from the first size of its disk in KiB,
		// and tries how often it must fail at least.
		want        string
		from, tries int
	}{
		// Below, nothing is migrated yet.
		"import":  {[]string{"import", recording}, whole, 100, 8},
		"sync":    {[]string{"sync", "--once", "--rpc", node.URL}, synced, 100, 8},
		"migrate": {[]string{"migrate"}, "", 4, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			disk := mounted(t, "size=4k")
			db := filepath.Join(disk, "x.db")
			args := append(c.args, "--db", db)
			failed, stored := 0, 0
			for size := c.from; ; size += size / 2 {
				remount(t, disk, 0, "size="+strconv.Itoa(size)+"k")
				_, stderr, code := run(t, nil, args...)
				if code == 0 {
					break
				}
				if code != 1 || !saysFull(stderr, db) {
					t.Fatalf("%v on %d KiB: exit code %d: %s: want 1 and a line that names the file", args, size, code, stderr)
				}
				failed++
				now := blocksLeft(t, db)
				if now < stored {
					t.Fatalf("%v on %d KiB leaves %d blocks of %d", args, size, now, stored)
				}
				stored = now
			}
			if c.want != "" && stored == 0 {
				t.Error("nothing was stored before there was space")
			}
			if failed < c.tries {
				t.Errorf("it failed %d times, want %d or more", failed, c.tries)
			}
			mustRun(t, "check", "--db", db)
			if c.want != "" {
				expect.Equal(t, "records", exported(t, c.want), exported(t, db))
			}
		})
	}
}

// blocksLeft returns how many blocks a file and its log have, of which it reads copies: there is
// no space to open them.
func blocksLeft(t *testing.T, db string) (n int) {
	t.Helper()
	copied := filepath.Join(t.TempDir(), "x.db")
	for _, end := range []string{"", "-wal"} {
		text, err := os.ReadFile(db + end)
		if end == "" || err == nil {
			expect.NoError(t, errors.Join(err, os.WriteFile(copied+end, text, 0o600)))
		}
	}
	file, err := sql.Open("sqlite3", copied)
	expect.NoError(t, err)
	defer file.Close()
	if err := file.QueryRow("SELECT count(*) FROM sqlite_schema WHERE name = 'blocks'").Scan(&n); err == nil && n > 0 {
		err = file.QueryRow("SELECT count(*) FROM blocks").Scan(&n)
		expect.NoError(t, err)
	}
	return n
}

// TestDiskFull_Copies: what does not fit on a disk leaves nothing there, and standard output
// may be full too.
func TestDiskFull_Copies(t *testing.T) {
	t.Parallel()
	disk, db := mounted(t, "size=4k"), importChainA(t)
	for _, args := range [][]string{
		{"backup", "--db", db, filepath.Join(disk, "copy.db")},
		{"restore", "--db", filepath.Join(disk, "copy.db"), db},
		{"export", "--db", db, "mints", "--output", filepath.Join(disk, "mints.ndjson")},
	} {
		failsFull(t, filepath.Join(disk, "")+"/", args...)
		left, err := os.ReadDir(disk)
		expect.NoError(t, err)
		if len(left) != 0 {
			t.Errorf("%v leaves %v", args, left)
		}
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	expect.NoError(t, err)
	defer full.Close()
	var said bytes.Buffer
	if code := command.Run(t.Context(), []string{"export", "--db", db, "mints"}, nil, full, &said); code != 1 || !saysFull(said.String(), "/dev/full") {
		t.Errorf("a full output: exit code %d: %s", code, &said)
	}
}

// TestDiskFull_Repair: a repair that finds no space changes nothing.
func TestDiskFull_Repair(t *testing.T) {
	t.Parallel()
	disk := mounted(t, "size=16m")
	db, rest := filepath.Join(disk, "x.db"), filepath.Join(disk, "rest")
	importInto(t, db, nil, chainA(t, "bundle.ndjson.gz"))
	change(t, db, "UPDATE counters SET n = n + 1")
	fill(t, rest)
	failsFull(t, db, "check", "--repair", "--db", db)
	expect.NoError(t, os.Remove(rest))
	mustRun(t, "check", "--repair", "--db", db)
	mustRun(t, "check", "--db", db)
}

// TestDiskFull_Metadata: documents that find no space are an error of metadata --once.
func TestDiskFull_Metadata(t *testing.T) {
	t.Parallel()
	disk := mounted(t, "size=16m")
	node := chaintest.NewNode(t, chaintest.NodeOptions{URI: "data:application/json,{}"})
	node.Generate(contents(20, 20))
	db, rest := filepath.Join(disk, "x.db"), filepath.Join(disk, "rest")
	mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", db)
	// Another command can then open the database without more space.
	s := start(t, "serve", "--db", db)
	until(t, func() bool { return s.headIs(t, 20) })
	fill(t, rest)
	failsFull(t, db, "metadata", "--once", "--rpc", node.URL, "--db", db)
	expect.NoError(t, os.Remove(rest))
	mustRun(t, "metadata", "--once", "--rpc", node.URL, "--db", db)
}
