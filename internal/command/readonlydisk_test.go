//go:build linux

package command_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mintburn/internal/testing/expect"
)

// ext4 mounts a new file system from an image file. It returns its folder, and a function that
// mounts it again. It skips the test if there are no loop devices.
func ext4(t *testing.T) (disk string, again func()) {
	t.Helper()
	image := filepath.Join(t.TempDir(), "disk")
	disk = t.TempDir()
	mount := func() error {
		said, err := exec.CommandContext(t.Context(), "mount", "-o", "loop,errors=remount-ro", image, disk).CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%w: %s", err, said)
		}
		return err
	}
	err := os.WriteFile(image, nil, 0o600)
	if err == nil {
		err = os.Truncate(image, 32<<20)
	}
	if err == nil {
		err = exec.CommandContext(t.Context(), "mkfs.ext4", "-q", "-O", "^has_journal", image).Run()
	}
	if err == nil {
		err = mount()
	}
	if err != nil {
		t.Skipf("no file system of a file can be mounted: %v", err)
	}
	t.Cleanup(func() { unmount(t, disk) })
	return disk, func() {
		t.Helper()
		unmount(t, disk)
		expect.NoError(t, mount())
	}
}

// TestServe_DiskReadOnly checks that a server answers while its files are read-only, and
// continues to index once they are writable. After the file system has failed and was mounted
// again, the database is intact. Blocks that had not reached the disk are indexed again.
func TestServe_DiskReadOnly(t *testing.T) {
	skipShort(t, "waits for locks")
	t.Parallel()
	disk, again := ext4(t)
	node, o := generated(t, 60, 20)
	db := filepath.Join(disk, "x.db")
	s, process, ended := startProcess(t, func(*exec.Cmd) {}, "--db", db, "--rpc", node.URL, "--poll", "10ms")
	until(t, func() bool { return s.headIs(t, 60) })
	unwritable := func(head int, why string) {
		t.Helper()
		node.Generate(o)
		until(t, func() bool {
			return strings.Contains(s.output.String(), `msg="following: trying again" error="`+db+" can't be written: committing: disk I/O error: "+why+`"`)
		})
		if got := s.Send(t, http.MethodGet, "/healthz", ""); got.Status != http.StatusOK || !s.headIs(t, head) {
			t.Errorf("/healthz: status %d, and block %d is not the head", got.Status, head)
		}
	}
	immutable := func(flag string) {
		t.Helper()
		said, err := exec.CommandContext(t.Context(), "chattr", flag, db, db+"-wal").CombinedOutput()
		if err != nil {
			t.Skipf("chattr: %v: %s", err, said)
		}
	}
	immutable("+i")
	unwritable(60, "operation not permitted")
	immutable("-i")
	until(t, func() bool { return s.headIs(t, 120) })

	mounts, err := os.ReadFile("/proc/self/mounts")
	expect.NoError(t, err)
	mount, _, _ := strings.Cut(string(mounts), " "+disk+" ")
	device := filepath.Base(mount[strings.LastIndex(mount, "\n")+1:])
	if err := os.WriteFile("/sys/fs/ext4/"+device+"/trigger_fs_error", []byte("1"), 0); err != nil {
		t.Skipf("the file system can't be made to fail: %v", err)
	}
	unwritable(120, "read-only file system")
	expect.NoError(t, process.Process.Signal(syscall.SIGTERM))
	if err := <-ended; err != nil {
		t.Errorf("it ended with %v: %s", err, s.output)
	}
	again()
	mustRun(t, "check", "--db", db)
	truth := filepath.Join(t.TempDir(), "truth.db")
	for _, path := range []string{db, truth} {
		mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", path)
	}
	expect.Equal(t, "records", exported(t, truth), exported(t, db))
}

// TestReadOnlyDisk checks that commands that read work on a file system that is mounted
// read-only, and that others fail with one line.
func TestReadOnlyDisk(t *testing.T) {
	t.Parallel()
	skipShort(t, "makes files of each kind")
	disk, want := mounted(t, "size=16m"), importChainA(t)
	db := filepath.Join(disk, "x.db")
	mustRun(t, "backup", "--db", want, db)
	change(t, db, "UPDATE counters SET n = n + 1")
	remount(t, disk, syscall.MS_RDONLY, "")
	expect.Equal(t, "records", exported(t, want), exported(t, db))
	mustRun(t, "backup", "--db", db, filepath.Join(t.TempDir(), "copy.db"))
	for _, c := range []struct {
		said string
		args []string
	}{
		{db + " can't be written: ", []string{"import", "--db", db, chainA(t, "bundle.ndjson.gz")}},
		{db + " can't be written: ", []string{"serve", "--listen", "127.0.0.1:0", "--rpc", "http://127.0.0.1:1", "--db", db}},
		{db + " can't be written: ", []string{"check", "--repair", "--db", db}},
		{"opening database " + disk + "/new.db: unable to open database file", []string{"migrate", "--db", disk + "/new.db"}},
		{disk + "/copy.db", []string{"backup", "--db", want, disk + "/copy.db"}},
		{disk + "/mints.ndjson", []string{"export", "--db", want, "mints", "--output", disk + "/mints.ndjson"}},
	} {
		if _, stderr, code := run(t, nil, c.args...); code != 1 || !strings.Contains(stderr, c.said) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: exit code %d: %s: want 1 and one line with %q", c.args, code, stderr, c.said)
		}
	}
}
