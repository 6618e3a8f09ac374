package command_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// restart ends the follower with a signal, and starts a new one.
func (s *soak) restart(signal syscall.Signal) {
	s.end(s.follower.Load(), signal)
	s.mix.await(20)
	s.follower.Store(s.follow())
}

// reorg replaces blocks.
func (s *soak) reorg() {
	depth := 1 + s.random.IntN(deepest)
	s.node.Reorg(depth)
	s.records = s.records[:len(s.records)-depth]
	s.mine(depth)
}

// nodeAway makes the node close connections, refuse requests, or not respond.
func (s *soak) nodeAway() {
	hang := make(chan struct{})
	fault := []chaintest.Fault{{Close: true}, {Status: http.StatusServiceUnavailable}, {Hang: hang}}[s.random.IntN(3)]
	s.node.Break(0, fault, nil)
	s.mine(3)
	s.mix.await(200)
	s.node.ClearFaults()
	close(hang)
}

// gatewayAway makes the gateway close connections until a fetch has failed.
func (s *soak) gatewayAway() {
	s.gateway.away.Store(true)
	s.awaitMore("metadata_failures_total")
	s.gateway.away.Store(false)
	s.awaitMore("metadata_documents_total")
}

// fillDisk fills the disk until the follower cannot store a block.
func (s *soak) fillDisk() {
	rest, l := filepath.Join(s.disk, "rest"), s.follower.Load()
	full := func() int { return strings.Count(l.output.String(), "no space left on its disk") }
	before := full()
	fill(s.t, rest)
	until(s.t, func() bool {
		if l.headIs(s.t, len(s.records)-1) {
			// The write-ahead log still had space.
			s.mine(20)
		}
		return full() > before
	})
	s.mix.await(200)
	expect.NoError(s.t, os.Remove(rest))
	s.awaitMore("metadata_documents_total")
}

// postgresAway stops or kills PostgreSQL, and starts it again.
func (s *soak) postgresAway() {
	s.outages.Add(1)
	s.postgres.Stop(s.random.IntN(2) > 0)
	s.mix.await(50)
	s.postgres.Start()
	s.caughtUp()
	s.outages.Add(1)
}

// overload sends ten times as many operations as may run or wait.
func (s *soak) overload() {
	s.mix.end()
	s.mix.begin(overloading, true)
	s.mix.await(2 * overloading)
	s.mix.end()
	s.mix.begin(saturating, false)
}

// stepClock sets the follower's clock back, and then forward.
func (s *soak) stepClock() {
	for _, sign := range []int64{-1, 1} {
		s.setClock(time.Duration(sign * s.random.Int64N(int64(maxStep))))
		s.awaitTried()
	}
}

// awaitTried mints a token, and waits until a fetch of its document has succeeded or failed.
func (s *soak) awaitTried() {
	s.t.Helper()
	s.mine(1)
	for len(s.records[len(s.records)-1].Mints) == 0 {
		s.mine(1)
	}
	question := apitest.Request(fmt.Sprintf("{ mints(block: %d, first: 1) { data { metadata { state } } } }", len(s.records)-1), "")
	until(s.t, func() bool {
		return strings.Contains(s.reader.Send(s.t, http.MethodPost, "/graphql", question).Body, `"state":`)
	})
}

// maxStep is the largest difference between the clock and the system's.
const maxStep = 400 * 24 * time.Hour

// awaitMore waits until a counter of the metadata worker grows. Tokens are minted if none
// is due.
func (s *soak) awaitMore(counter string) {
	s.t.Helper()
	now := func() (value, due float64) {
		text := s.follower.Load().Send(s.t, http.MethodGet, "/metrics", "").Body
		return metric(s.t, text, counter), metric(s.t, text, "metadata_due_tokens")
	}
	before, _ := now()
	until(s.t, func() bool {
		value, due := now()
		if due == 0 {
			s.mine(1)
		}
		return value > before
	})
}

// metric returns a value of /metrics.
func metric(t testing.TB, text, name string) (value float64) {
	t.Helper()
	prefix := "\nmintburn_"
	if strings.HasPrefix(name, "go_") {
		prefix = "\n"
	}
	_, rest, found := strings.Cut(text, prefix+name+" ")
	if _, err := fmt.Sscan(rest, &value); err != nil || !found {
		t.Fatalf("/metrics has no %s", name)
	}
	return value
}

// clockVariable is an environment variable with the name of a file. The file's time minus
// clockStart is how far the clock of a process that a test starts is ahead of the system's.
const clockVariable = "SOAK_CLOCK"

var clockStart = time.Unix(1_000_000_000, 0)

// processClock returns the clock that [clockVariable] sets, or the system's.
func processClock() func() time.Time {
	path := os.Getenv(clockVariable)
	if path == "" {
		return time.Now
	}
	return func() time.Time {
		info, err := os.Stat(path)
		if err != nil {
			// The test has ended.
			return time.Now()
		}
		return time.Now().Add(info.ModTime().Sub(clockStart))
	}
}

func (s *soak) setClock(ahead time.Duration) {
	at := clockStart.Add(ahead)
	expect.NoError(s.t, os.Chtimes(s.clock, at, at))
}

// gateway serves token documents. A fifth of the requests get an error. Up to two at a time
// get no response, so that half of the concurrent requests continue.
type gateway struct {
	url               string
	requests, hanging atomic.Int64
	// away makes it close all connections.
	away atomic.Bool
}

func newGateway(t *testing.T) *gateway {
	g := &gateway{}
	server := httptest.NewServer(g)
	t.Cleanup(server.Close)
	g.url = server.URL
	return g
}

// ServeHTTP answers one request.
func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch n := g.requests.Add(1); {
	case g.away.Load():
		panic(http.ErrAbortHandler)
	case n%50 == 0 && g.hanging.Load() < 2:
		g.hanging.Add(1)
		<-r.Context().Done()
		g.hanging.Add(-1)
	case n%5 == 0:
		http.Error(w, "no", http.StatusInternalServerError)
	default:
		fmt.Fprintf(w, `{"name":"soak %d","attributes":[{"trait_type":"n","value":%d}]}`, n, n)
	}
}
