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

// server is a PostgreSQL server on a free port of host, by default the loopback address.
type server struct {
	host string
	port int
	// bin is the folder of the programs, dir that of the server's files, and data, inside
	// dir, that of the cluster.
	bin, dir, data string
	// credential is the user of its processes, nil for the current one.
	credential *syscall.Credential
	// alive is the supervisor's standard input. The server stops when it is
	// closed, at the latest by the end of this process.
	alive io.WriteCloser
	// ended is closed after the supervisor has ended. Until then log must not be read.
	ended chan struct{}
	log   *bytes.Buffer
	// group is the process group of the supervisor and its program.
	group int
}

func (s *server) dsn(database string) string {
	return fmt.Sprintf("postgres://mintburn@%s:%d/%s?sslmode=disable", s.host, s.port, database)
}

// supervisor runs the server until the standard input or the server ends, then removes
// its folder, unless the folder has a file named kept. Arguments: the folder, the signal
// that ends the server, then its command line. A shell cannot wait for one of two things,
// hence the background reader, which keeps the input open as descriptor 3.
const supervisor = `
dir=$1; signal=$2; shift 2
exec 3<&0
"$@" </dev/null 3<&- & server=$!
{ read -r _ <&3; kill -$signal $server 2>/dev/null; } & reader=$!
wait $server
kill $reader 2>/dev/null
cd /
[ -e "$dir/kept" ] || rm -rf "$dir"
`

// start creates a cluster and runs a server on it that acknowledges commits before they
// are written, for speed.
func start(ctx context.Context) (*server, error) {
	s, err := prepare()
	if err != nil {
		return nil, err
	}
	if err := s.initialise(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.dir))
	}
	return s, s.run(ctx, "synchronous_commit=off")
}

// prepare returns a server without a cluster, with a temporary folder.
func prepare() (s *server, err error) {
	s = &server{host: "127.0.0.1"}
	if s.bin, err = binaries(); err != nil {
		return nil, err
	}
	if s.credential, err = unprivileged(); err != nil {
		return nil, err
	}
	if s.port, err = freePort(); err != nil {
		return nil, err
	}
	if s.dir, err = os.MkdirTemp("", "pgtest"); err != nil {
		return nil, err
	}
	s.data = filepath.Join(s.dir, "data")
	if s.credential != nil {
		if err := os.Chown(s.dir, int(s.credential.Uid), int(s.credential.Gid)); err != nil {
			return nil, errors.Join(err, os.RemoveAll(s.dir))
		}
	}
	return s, nil
}

// initialise creates the cluster.
func (s *server) initialise() error {
	out, err := s.command(filepath.Join(s.bin, "initdb"), "--pgdata="+s.data, "--username=mintburn", "--auth=trust",
		"--encoding=UTF8", "--locale=C", "--no-sync").CombinedOutput()
	if err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	return nil
}

// command returns a program that runs as the server's user.
func (s *server) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = s.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.credential, Setpgid: true}
	return cmd
}

// run runs the server until stop, with additional settings. If it fails, it leaves no
// files.
func (s *server) run(ctx context.Context, more ...string) error {
	settings := append([]string{
		"listen_addresses=" + s.host, fmt.Sprintf("port=%d", s.port), "unix_socket_directories=" + s.dir,
		"fsync=off", "full_page_writes=off", "max_connections=300",
		"max_wal_size=1GB", "autovacuum=off", "shared_buffers=128MB", "wal_retrieve_retry_interval=100ms",
	}, more...)
	args := []string{"-D", s.data}
	for _, setting := range settings {
		args = append(args, "-c", setting)
	}
	if err := s.supervise("INT", filepath.Join(s.bin, "postgres"), args...); err != nil {
		return errors.Join(err, os.RemoveAll(s.dir))
	}
	if err := answers(ctx, s.dsn("postgres"), s.ended); err != nil {
		s.stop()
		return fmt.Errorf("%w: %s", err, s.log.String())
	}
	return nil
}

// supervise runs a program until stop, which ends it with a signal.
func (s *server) supervise(signal, program string, args ...string) (err error) {
	cmd := s.command("/bin/sh", slices.Concat([]string{"-c", supervisor, "supervise", s.dir, signal, program}, args)...)
	s.log = &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = s.log, s.log
	if s.alive, err = cmd.StdinPipe(); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	s.group, s.ended = cmd.Process.Pid, make(chan struct{})
	go func() {
		defer close(s.ended)
		_ = cmd.Wait()
	}()
	return nil
}

// postmaster returns the process id of the postmaster.
func (s *server) postmaster() (pid int, err error) {
	text, err := os.ReadFile(filepath.Join(s.data, "postmaster.pid"))
	if err == nil {
		// Its first line is the id.
		_, err = fmt.Sscanln(string(text), &pid)
	}
	return pid, err
}

// stop ends the server and waits until it has ended.
func (s *server) stop() {
	_ = s.alive.Close()
	<-s.ended
}

// answers waits at most a minute until a server answers. It fails early if the server ends.
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

// binaries returns the folder of the server's programs: MINTBURN_POSTGRES_BIN, that of the
// initdb in PATH, or that of the newest version in /usr/lib/postgresql.
func binaries() (string, error) {
	if folder := os.Getenv("MINTBURN_POSTGRES_BIN"); folder != "" {
		return filepath.Abs(folder)
	}
	if initdb, err := exec.LookPath("initdb"); err == nil {
		// The other programs may only exist next to the target of the link.
		initdb, err = filepath.EvalSymlinks(initdb)
		return filepath.Dir(initdb), err
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

// freePort returns a port that nothing listens on right now.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}
