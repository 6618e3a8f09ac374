package pgtest

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
)

var errNotInstalled = errors.New("no PostgreSQL server: initdb and postgres are neither in PATH nor in /usr/lib/postgresql/*/bin")

// server is a running PostgreSQL.
type server struct {
	port int
	// data is the folder of the cluster.
	data string
	// alive is the supervisor's standard input: the server stops when it is
	// closed, which the end of this process does too.
	alive io.WriteCloser
	// ended is closed after the supervisor's end.
	ended chan struct{}
}

func (s *server) dsn(database string) string {
	return fmt.Sprintf("postgres://mintburn@127.0.0.1:%d/%s?sslmode=disable", s.port, database)
}

// supervise runs the server until the standard input or the server ends, then removes
// its folder. Arguments: the folder, then the server's command line. A shell can't wait
// for one of two things, hence the background reader, which keeps the input open as
// descriptor 3.
const supervise = `
dir=$1; shift
exec 3<&0
"$@" </dev/null 3<&- & server=$!
{ read -r _ <&3; kill -INT $server 2>/dev/null; } & reader=$!
wait $server
kill $reader 2>/dev/null
cd /
rm -rf "$dir"
`

// start makes a new cluster in a temporary folder and runs a server on it, on
// a free port of the loopback address.
func start(ctx context.Context) (*server, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	credential, err := unprivileged()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "pgtest")
	if err != nil {
		return nil, err
	}
	if credential != nil {
		if err := os.Chown(dir, int(credential.Uid), int(credential.Gid)); err != nil {
			return nil, errors.Join(err, os.RemoveAll(dir))
		}
	}
	command := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: credential, Setpgid: true}
		return cmd
	}
	s := &server{data: filepath.Join(dir, "data"), ended: make(chan struct{})}
	if out, err := command(filepath.Join(bin, "initdb"), "--pgdata="+s.data, "--username=mintburn", "--auth=trust",
		"--encoding=UTF8", "--locale=C", "--no-sync").CombinedOutput(); err != nil {
		return nil, errors.Join(fmt.Errorf("initdb: %w: %s", err, out), os.RemoveAll(dir))
	}
	if s.port, err = freePort(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	settings := []string{
		"listen_addresses=127.0.0.1", fmt.Sprintf("port=%d", s.port), "unix_socket_directories=" + dir,
		"fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=300",
		"max_wal_size=4GB", "autovacuum=off", "shared_buffers=128MB",
	}
	args := []string{"-c", supervise, "supervise", dir, filepath.Join(bin, "postgres"), "-D", s.data}
	for _, setting := range settings {
		args = append(args, "-c", setting)
	}
	cmd := command("/bin/sh", args...)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if s.alive, err = cmd.StdinPipe(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	go func() {
		defer close(s.ended)
		_ = cmd.Wait()
	}()
	if err := answers(ctx, s.dsn("postgres"), s.ended); err != nil {
		s.stop()
		return nil, fmt.Errorf("%w: %s", err, log.String())
	}
	return s, nil
}

// stop ends the server and waits for its end.
func (s *server) stop() {
	_ = s.alive.Close()
	<-s.ended
}

// answers waits until a server answers, a minute at most, or until it has ended.
func answers(ctx context.Context, dsn string, ended <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := db.PingContext(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ended:
			return errors.New("the server ended")
		case <-ctx.Done():
			return fmt.Errorf("waiting for the server: %w", err)
		}
	}
}

// binaries returns the folder of the server's programs, of the newest version
// if there are several.
func binaries() (string, error) {
	if initdb, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(initdb), nil
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return "", errNotInstalled
	}
	version := func(path string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
		return n
	}
	return filepath.Dir(slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) })), nil
}

// unprivileged returns the user to run the server as, nil for the current one:
// PostgreSQL refuses to run as root.
func unprivileged() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(u.Uid, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("user %s: %w", name, err)
		}
		gid, err := strconv.ParseUint(u.Gid, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("user %s: %w", name, err)
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, errors.New("running as root, and there is neither a user postgres nor a user nobody to run PostgreSQL as")
}

// freePort returns a port that nothing listens on at this moment.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}
