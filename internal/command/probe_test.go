package command_test

import (
	"net"
	"strings"
	"testing"

	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// TestHealth runs health checks against servers that are ready, not ready, and not running.
func TestHealth(t *testing.T) {
	t.Parallel()
	address := func(s *server) string { return strings.TrimPrefix(s.Base, "http://") }
	ready := address(start(t, "demo"))
	empty := address(start(t, "serve", "--db", storetest.SQLite(t)))
	out, _ := mustRun(t, "health", "--listen", ready)
	expect.Equal(t, "health of the demo", "ok\n", out)
	out, _ = mustRun(t, "health", "--listen", ready, "--ready")
	expect.Equal(t, "readiness of the demo", "ready\n", out)
	mustRun(t, "health", "--listen", empty)
	fails(t, 1, "mintburn: status 503: not ready: nothing is indexed yet\n", "health", "--ready", "--listen", empty)
	_, port, err := net.SplitHostPort(ready)
	expect.NoError(t, err)
	for _, host := range []string{"", "0.0.0.0", "[::]"} {
		mustRun(t, "health", "--listen", host+":"+port)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	expect.NoError(t, err)
	expect.NoError(t, free.Close())
	fails(t, 1, "mintburn: the server does not answer: ", "health", "--listen", free.Addr().String())
	fails(t, 2, "--listen: got \"x\", want HOST:PORT", "health", "--listen", "x")
}
