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

	"mintburn/internal/testing/chaintest"
)

// Network is a PostgreSQL server in a separate network namespace, with two links to it. A
// test can cut one of them: all its packets are then lost.
type Network struct {
	// DSN is a postgres:// URL of an empty database, Way a URL of the same database over
	// the link that can be cut.
	DSN, Way string
	// Client is the client address that PostgreSQL sees for connections over Way.
	Client string

	t testing.TB
	// inside runs a function in the namespace.
	inside func(func())
}

// The addresses of both links, from the block for network tests (RFC 2544): ours, and
// PostgreSQL's.
var ways = [2][2]string{{"198.18.7.1", "198.18.7.2"}, {"198.18.7.5", "198.18.7.6"}}

// NewNetwork starts a server that ends with the test. If network namespaces are not
// allowed, the test is skipped. If ip(8) is not installed, it is skipped, or fails if
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

// unshare creates the namespace, which ends with the test, and returns the id of a thread
// in it.
func (n *Network) unshare() (thread int) {
	n.t.Helper()
	work, done, began := make(chan func()), make(chan struct{}), make(chan error)
	go func() {
		// Never unlocked, so that the thread ends with the goroutine.
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

// device returns the device names of both ends of a link.
func (n *Network) device(way int) (outer, inner string) {
	return fmt.Sprintf("mint%d-%d", way, os.Getpid()), fmt.Sprintf("burn%d", way)
}

// ip runs ip(8).
func (n *Network) ip(format string, args ...any) {
	if out, err := exec.Command("ip", strings.Fields(fmt.Sprintf(format, args...))...).CombinedOutput(); err != nil {
		n.t.Errorf("ip "+format+": %v: %s", append(args, err, out)...)
	}
}

// Cut drops the packets of Way in both directions, by sending them to a link-layer address
// that no device has.
func (n *Network) Cut() { n.neighbour("replace", "lladdr 02:00:00:00:00:01 nud permanent") }

// Restore ends Cut.
func (n *Network) Restore() { n.neighbour("del", "") }

func (n *Network) neighbour(what, is string) {
	outer, inner := n.device(1)
	n.ip("neigh %s %s dev %s %s", what, ways[1][1], outer, is)
	n.inside(func() { n.ip("neigh %s %s dev %s %s", what, ways[1][0], inner, is) })
}
