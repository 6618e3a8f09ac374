package pgtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"mintburn/internal/chaintest"
)

// Network is a PostgreSQL in a network namespace of its own, with two ways to it, one of
// which a test can cut: all packets then vanish.
type Network struct {
	// DSN is a postgres:// URL of an empty database, Way one of the same by the way that
	// can be cut.
	DSN, Way string
	// Client is the address that PostgreSQL sees of clients of Way.
	Client string

	t testing.TB
	// inside runs a function in the namespace.
	inside func(func())
}

// The addresses of both ways, of a block for tests of networks (RFC 2544): ours, and that
// of PostgreSQL.
var ways = [2][2]string{{"198.18.7.1", "198.18.7.2"}, {"198.18.7.5", "198.18.7.6"}}

// NewNetwork starts a server that ends with the test. Where network namespaces are not
// allowed, the test is skipped. If ip(8) is not installed, it is skipped, or fails when
// MINTBURN_REQUIRE_ALL is set.
func NewNetwork(t testing.TB) *Network {
	t.Helper()
	if _, err := exec.LookPath("ip"); err != nil {
		chaintest.Absent(t, err.Error())
	}
	n := &Network{t: t, Client: ways[1][0]}
	thread := n.unshare()
	n.inside(func() { n.ip("link set lo up") })
	for i, way := range ways {
		outer, inner := n.device(i)
		n.ip("link add %s type veth peer name %s netns %d", outer, inner, thread)
		t.Cleanup(func() { n.ip("link del %s", outer) })
		n.ip("addr add %s/30 dev %s", way[0], outer)
		n.ip("link set %s up", outer)
		n.inside(func() {
			n.ip("addr add %s/30 dev %s", way[1], inner)
			n.ip("link set %s up", inner)
		})
	}
	s := prepared(t)
	must(t, s.server.initialise())
	access, err := os.OpenFile(filepath.Join(s.server.data, "pg_hba.conf"), os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = access.WriteString("host all all 198.18.7.0/24 trust\n")
	must(t, err)
	must(t, access.Close())
	s.server.host = ways[0][1]
	n.inside(func() { err = s.server.run(t.Context(), "listen_addresses=*") })
	must(t, err)
	s.running = true
	must(t, s.server.create(t.Context(), "test", empty))
	n.DSN = s.server.dsn("test")
	n.Way = strings.Replace(n.DSN, ways[0][1], ways[1][1], 1)
	return n
}

// unshare makes the namespace, which ends with the test, and returns a thread in it.
func (n *Network) unshare() (thread int) {
	n.t.Helper()
	work, done, began := make(chan func()), make(chan struct{}), make(chan error)
	go func() {
		// It is not unlocked: the thread ends with the goroutine.
		runtime.LockOSThread()
		thread = syscall.Gettid()
		began <- syscall.Unshare(syscall.CLONE_NEWNET)
		for f := range work {
			f()
			done <- struct{}{}
		}
	}()
	err := <-began
	n.t.Cleanup(func() { close(work) })
	if err != nil {
		n.t.Skipf("no network namespace: %v", err)
	}
	n.inside = func(f func()) {
		work <- f
		<-done
	}
	return thread
}

// device returns the names of both ends of a way.
func (n *Network) device(way int) (outer, inner string) {
	return fmt.Sprintf("mint%d-%d", way, os.Getpid()), fmt.Sprintf("burn%d", way)
}

// ip configures the network.
func (n *Network) ip(format string, args ...any) {
	if out, err := exec.Command("ip", strings.Fields(fmt.Sprintf(format, args...))...).CombinedOutput(); err != nil {
		n.t.Errorf("ip "+format+": %v: %s", append(args, err, out)...)
	}
}

// Cut makes the packets of Way vanish in both directions: they go to an address that no
// device has.
func (n *Network) Cut() { n.neighbour("replace", "lladdr 02:00:00:00:00:01 nud permanent") }

// Restore ends Cut.
func (n *Network) Restore() { n.neighbour("del", "") }

func (n *Network) neighbour(what, is string) {
	outer, inner := n.device(1)
	n.ip("neigh %s %s dev %s %s", what, ways[1][1], outer, is)
	n.inside(func() { n.ip("neigh %s %s dev %s %s", what, ways[1][0], inner, is) })
}
