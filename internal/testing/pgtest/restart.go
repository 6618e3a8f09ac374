package pgtest

import (
	"errors"
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

// Server is a PostgreSQL server of one test, which the test stops and starts. Unlike the
// server of [DSN], it loses no commit when it is killed.
type Server struct {
	// DSN is a postgres:// URL of an empty database.
	DSN string

	t       testing.TB
	server  *server
	running bool
}

// NewServer starts a server that ends with the test. If PostgreSQL is not installed, the
// test is skipped, or fails if MINTBURN_REQUIRE_ALL is set.
func NewServer(t testing.TB) *Server {
	t.Helper()
	s := prepared(t)
	must(s.t, s.server.initialise())
	s.Start()
	must(s.t, s.server.create(t.Context(), "test", empty))
	s.DSN = s.server.dsn("test")
	return s
}

// prepared returns a server that has no cluster yet.
func prepared(t testing.TB) *Server {
	t.Helper()
	made, err := prepare()
	if errors.Is(err, errNotInstalled) {
		chaintest.Absent(t, err.Error())
	}
	must(t, err)
	s := &Server{t: t, server: made}
	t.Cleanup(func() {
		if s.running {
			made.stop()
		}
		if err := os.RemoveAll(made.dir); err != nil {
			t.Error(err)
		}
	})
	return s
}

// keep determines whether the server's files are kept when it ends.
func (s *Server) keep(files bool) {
	s.t.Helper()
	path := filepath.Join(s.server.dir, "kept")
	if files {
		must(s.t, os.WriteFile(path, nil, 0o600))
		return
	}
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		must(s.t, err)
	}
}

// Start runs the server, which must not be running, and waits until it answers.
func (s *Server) Start() {
	s.t.Helper()
	must(s.t, s.server.run(s.t.Context()))
	s.running = true
	s.keep(false)
}

// Stop shuts the server down, or kills it as a crash would.
func (s *Server) Stop(killed bool) {
	s.t.Helper()
	s.keep(true)
	if killed {
		postmaster, err := s.server.postmaster()
		must(s.t, err)
		must(s.t, syscall.Kill(postmaster, syscall.SIGQUIT))
		<-s.server.ended
	}
	s.server.stop()
	s.running = false
}

// Data returns the folder of the cluster, inside a folder that the server's user owns.
func (s *Server) Data() string { return s.server.data }

// Alone returns a URL of the database that names only this server, whatever replicates.
func (s *Server) Alone() string { return s.server.dsn("test") }

// Command returns a command that runs as the server's user, in the parent folder of
// [Server.Data].
func (s *Server) Command(name string, args ...string) *exec.Cmd {
	return s.server.command(name, args...)
}

// Lose kills the server and deletes its cluster. [Server.Data] then returns another folder,
// which does not exist yet. Start runs the cluster that the test restores there.
func (s *Server) Lose() {
	s.t.Helper()
	s.Stop(true)
	must(s.t, os.RemoveAll(s.server.data))
	s.server.data = filepath.Join(s.server.dir, "restored")
}

// Standby is [Server.Replica], but from then on, s acknowledges a commit only when the standby
// has it.
func (s *Server) Standby() *Server {
	s.t.Helper()
	follower := s.Replica()
	must(s.t, s.server.execute(s.t.Context(), "ALTER SYSTEM SET synchronous_standby_names = '*'"))
	must(s.t, s.server.execute(s.t.Context(), "SELECT pg_reload_conf()"))
	return follower
}

// Replica starts a standby of s, which replicates asynchronously. The DSN of both servers lists
// both, and connects to the primary.
func (s *Server) Replica() *Server {
	s.t.Helper()
	follower := prepared(s.t)
	backup := follower.server.command(filepath.Join(s.server.bin, "pg_basebackup"), "--pgdata="+follower.server.data, "--dbname="+s.server.dsn("postgres"),
		"--write-recovery-conf", "--checkpoint=fast", "--no-sync")
	if out, err := backup.CombinedOutput(); err != nil {
		s.t.Fatalf("pg_basebackup: %v: %s", err, out)
	}
	follower.Start()
	both, err := url.Parse(s.DSN)
	must(s.t, err)
	both.Host += "," + net.JoinHostPort("127.0.0.1", strconv.Itoa(follower.server.port))
	both.RawQuery += "&target_session_attrs=read-write"
	s.DSN, follower.DSN = both.String(), both.String()
	return follower
}

// Detach ends the replication of a standby that has all commits of its primary so far. It
// lacks later ones.
func (s *Server) Detach(primary *Server) {
	s.t.Helper()
	primary.await("SELECT bool_and(replay_lsn >= pg_current_wal_lsn()) FROM pg_stat_replication")
	must(s.t, s.server.execute(s.t.Context(), "ALTER SYSTEM SET primary_conninfo = ''"))
	must(s.t, s.server.execute(s.t.Context(), "SELECT pg_reload_conf()"))
	primary.await("SELECT count(*) = 0 FROM pg_stat_replication")
}

// Promote makes a standby the primary.
func (s *Server) Promote() {
	s.t.Helper()
	must(s.t, s.server.execute(s.t.Context(), "SELECT pg_promote()"))
	s.await("SELECT NOT pg_is_in_recovery()")
}

// await waits at most two minutes until a condition holds.
func (s *Server) await(condition string) {
	s.t.Helper()
	must(s.t, await(s.t.Context(), s.server.dsn("postgres"), condition))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
