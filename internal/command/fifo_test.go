package command_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mintburn/internal/testing/expect"
)

// TestFIFO checks that options and databases refuse a named pipe at once, and files without an end.
func TestFIFO(t *testing.T) {
	t.Parallel()
	skipShort(t, "makes files of each kind")
	db := importDemo(t)
	pipe := filepath.Join(t.TempDir(), "pipe")
	expect.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for _, file := range []string{pipe, "/dev/zero"} {
		for _, args := range []string{
			"--config FILE version", "config check FILE", "serve --listen 127.0.0.1:0 --api-keys FILE", "serve --listen 127.0.0.1:0 --trusted-documents FILE",
			"serve --listen 127.0.0.1:0 --tls-cert FILE --tls-key FILE", "metadata --once --rpc " + away + " --gateway-headers FILE",
		} {
			args = strings.ReplaceAll(args, "FILE", file)
			if strings.HasPrefix(args, "serve") || strings.HasPrefix(args, "metadata") {
				args += " --db " + db
			}
			if _, stderr, code := run(t, nil, strings.Fields(args)...); code == 0 || !strings.Contains(stderr, "got no regular file, want one") && !strings.Contains(stderr, "want a regular file of at most") || strings.Count(stderr, "\n") != 1 {
				t.Errorf("%s: exit code %d: %s", args, code, stderr)
			}
		}
		for _, args := range []string{"check --db FILE", "import --db FILE -", "restore FILE --db new.db", "backup --db FILE new.db", "status --db FILE", "doctor --db FILE", "migrate --dry-run --db FILE"} {
			if stdout, stderr, code := run(t, strings.NewReader(""), strings.Fields(strings.ReplaceAll(args, "FILE", file))...); code == 0 || !strings.Contains(stdout+stderr, "got no regular file, want one") {
				t.Errorf("%s %s: exit code %d: %s%s", file, args, code, stdout, stderr)
			}
		}
	}
}

// TestBackup_Mode checks that a copy has no right that its source lacks.
func TestBackup_Mode(t *testing.T) {
	t.Parallel()
	skipShort(t, "makes files of each kind")
	db := importDemo(t)
	for _, mode := range []os.FileMode{0o600, 0o640, 0o644} {
		expect.NoError(t, os.Chmod(db, mode))
		folder := t.TempDir()
		copied, restored := filepath.Join(folder, "copy.db"), filepath.Join(folder, "new.db")
		mustRun(t, "backup", "--db", db, copied)
		mustRun(t, "restore", copied, "--db", restored)
		for _, path := range []string{copied, restored} {
			info, err := os.Stat(path)
			expect.NoError(t, err)
			if extra := info.Mode().Perm() &^ mode; extra != 0 || info.Mode().Perm()&0o600 != 0o600 {
				t.Errorf("%s has the mode %v, its source %v", path, info.Mode(), mode)
			}
		}
	}
}
