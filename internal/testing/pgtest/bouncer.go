package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"mintburn/internal/testing/chaintest"
)

// StatementMode is a database that has no transactions in the pgbouncer of [Pooled].
const StatementMode = "statements"

// Pooled is [DSN] through a pgbouncer that lends each transaction one of three
// connections. If pgbouncer is not installed, the test is skipped, or fails if
// MINTBURN_REQUIRE_ALL is set.
func Pooled(t testing.TB) string {
	t.Helper()
	return pooled(t, Direct(t))
}

// route returns the URL of a database through pgbouncer if MINTBURN_POOLED is set, else
// dsn itself.
func route(t testing.TB, dsn string) string {
	t.Helper()
	if os.Getenv("MINTBURN_POOLED") != "" {
		return pooled(t, dsn)
	}
	return dsn
}

func pooled(t testing.TB, direct string) string {
	t.Helper()
	dsn, err := url.Parse(direct)
	if err != nil {
		t.Fatal(err)
	}
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.bouncer == 0 {
		shared.bouncer, err = bounce(t.Context(), dsn)
	}
	switch {
	case errors.Is(err, os.ErrNotExist):
		chaintest.Absent(t, "pgbouncer is neither in PATH nor in /usr/sbin")
	case err != nil:
		t.Fatalf("starting pgbouncer: %v", err)
	}
	dsn.Host = net.JoinHostPort("127.0.0.1", strconv.Itoa(shared.bouncer))
	return dsn.String()
}

// bounce starts a pgbouncer for all databases of a server, and returns its port. The
// pgbouncer ends with this process.
func bounce(ctx context.Context, dsn *url.URL) (port int, err error) {
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		program = "/usr/sbin/pgbouncer"
	}
	if _, err := os.Stat(program); err != nil {
		return 0, err
	}
	credential, err := unprivileged()
	if err != nil {
		return 0, err
	}
	if port, err = freePort(); err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "pgbouncer")
	if err != nil {
		return 0, err
	}
	// When pgbouncer answers, it has read its settings.
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	settings := filepath.Join(dir, "pgbouncer.ini")
	err = os.WriteFile(settings, fmt.Appendf(nil, "[databases]\n%[4]s = host=127.0.0.1 port=%[1]s user=%[2]s dbname=postgres pool_mode=statement\n* = host=127.0.0.1 port=%[1]s user=%[2]s\n[pgbouncer]\nlisten_addr = 127.0.0.1\n"+
		"listen_port = %[3]d\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\ndefault_pool_size = 3\nserver_idle_timeout = 1\nmax_client_conn = 1000\n",
		dsn.Port(), dsn.User.Username(), port, StatementMode), 0o600)
	if err != nil {
		return 0, err
	}
	if credential != nil {
		for _, path := range []string{dir, settings} {
			if err := os.Chown(path, int(credential.Uid), int(credential.Gid)); err != nil {
				return 0, err
			}
		}
	}
	cmd := exec.Command(program, "--quiet", settings)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: credential, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	through := *dsn
	through.Host = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	return port, answers(ctx, through.String(), ended)
}
