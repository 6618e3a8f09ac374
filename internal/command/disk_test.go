//go:build linux

package command_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"mintburn/internal/command"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// mounted returns the folder of a new in-memory file system. It skips the test if none can
// be mounted.
func mounted(t *testing.T, options string) string {
	t.Helper()
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, options); err != nil {
		t.Skipf("no file system can be mounted: %v", err)
	}
	t.Cleanup(func() { unmount(t, disk) })
	return disk
}

// unmount unmounts a file system. A process that another test starts holds a copy of this
// process's open files until it executes its program, so the file system may still be busy.
func unmount(t *testing.T, disk string) {
	t.Helper()
	var err error
	until(t, func() bool {
		err = syscall.Unmount(disk, 0)
		return !errors.Is(err, syscall.EBUSY)
	})
	expect.NoError(t, err)
}

// remount changes the options of a file system.
func remount(t *testing.T, disk string, flags uintptr, options string) {
	t.Helper()
	expect.NoError(t, syscall.Mount("", disk, "", syscall.MS_REMOUNT|flags, options))
}

// saysFull reports whether stderr has one line besides log lines, and that line says that
// there is no space for file.
func saysFull(stderr, file string) bool {
	said := regexp.MustCompile(`(?m)^(?:[^t]|t[^i]).*$`).FindAllString(stderr, -1)
	return len(said) == 1 && regexp.MustCompile(`^mintburn: .*`+regexp.QuoteMeta(file)+`.*no space left on `).MatchString(said[0])
}

// failsFull runs the program, which must fail because there is no space for file.
func failsFull(t *testing.T, file string, args ...string) {
	t.Helper()
	if _, stderr, code := run(t, nil, args...); code != 1 || !saysFull(stderr, file) {
		t.Errorf("%v: exit code %d: %s: want 1 and a line that names %s", args, code, stderr, file)
	}
}

// TestServe_DiskFull checks that a server on a full disk answers from the stored data, and
// that it continues without gaps when there is space.
func TestServe_DiskFull(t *testing.T) {
	t.Parallel()
	skipShort(t, "fills a disk")
	disk := mounted(t, "size=16m")
	node := chaintest.NewNode(t, chaintest.NodeOptions{URI: `data:application/json,{"name":1}`})
	o := contents(60, 20)
	node.Generate(o)
	db, rest := filepath.Join(disk, "x.db"), filepath.Join(disk, "rest")
	s := start(t, "serve", "--db", db, "--rpc", node.URL, "--poll", "10ms", "--allow-private-metadata")
	until(t, func() bool { return s.headIs(t, 60) })
	before := exported(t, db)
	fill(t, rest)
	// The write-ahead log may have space for some blocks.
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
	// A server can also start on the full disk.
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

// TestDiskFull_Load fills databases on disks that are too small, and grows the disks until
// the command succeeds. No stored data is lost, and the same command continues.
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
		// want is a database with the expected records, from is the first size of the disk in
		// KiB, and tries is how often the command must fail at least.
		want        string
		from, tries int
	}{
		// On a smaller disk, not even the migrations fit.
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

// blocksLeft returns the number of blocks in a database file and its log. It reads copies,
// because there is no space to open the originals.
func blocksLeft(t *testing.T, db string) (n int) {
	t.Helper()
	if _, err := os.Stat(db); errors.Is(err, fs.ErrNotExist) {
		// A command that stores no block leaves no file.
		return 0
	}
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

// TestDiskFull_Copies checks that a copy or an export that does not fit leaves no files, and
// that a full standard output is an error.
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
	if code := command.Run(t.Context(), repository, []string{"export", "--db", db, "mints"}, nil, full, &said); code != 1 || !saysFull(said.String(), "/dev/full") {
		t.Errorf("a full output: exit code %d: %s", code, &said)
	}
}

// TestDiskFull_Repair checks that a repair without space changes nothing.
func TestDiskFull_Repair(t *testing.T) {
	t.Parallel()
	skipShort(t, "fills a disk")
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

// TestDiskFull_Metadata checks that metadata --once fails if there is no space for documents.
func TestDiskFull_Metadata(t *testing.T) {
	t.Parallel()
	skipShort(t, "fills a disk")
	disk := mounted(t, "size=16m")
	node := chaintest.NewNode(t, chaintest.NodeOptions{URI: `data:application/json,{"name":1}`})
	node.Generate(contents(20, 20))
	db, rest := filepath.Join(disk, "x.db"), filepath.Join(disk, "rest")
	mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", db)
	// Another command can still open the database without more space.
	s := start(t, "serve", "--db", db)
	until(t, func() bool { return s.headIs(t, 20) })
	fill(t, rest)
	failsFull(t, db, "metadata", "--once", "--rpc", node.URL, "--db", db)
	expect.NoError(t, os.Remove(rest))
	mustRun(t, "metadata", "--once", "--rpc", node.URL, "--db", db)
}
