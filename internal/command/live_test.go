package command_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mintburn/internal/demo"
	"mintburn/internal/retrying"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// live is a server in its own process, and its database, to which this process adds the blocks of
// the live demo: those that a test asks for, over HTTP.
type live struct {
	t       *testing.T
	db, key string
	// keys is the file of API keys.
	keys string
	// ready is sent to when the next block can be added, tick adds it.
	ready, tick chan struct{}
	blocks      int
	// now is the time of the next block, or nil for the machine's.
	now    atomic.Pointer[time.Time]
	server *server
	// end ends the server with a signal.
	end     func(os.Signal)
	control *httptest.Server
}

// newLive starts a server, and adds blocks until the test ends.
func newLive(t *testing.T) *live {
	t.Helper()
	l := &live{t: t, db: importDemo(t), keys: filepath.Join(t.TempDir(), "keys"), ready: make(chan struct{}), tick: make(chan struct{})}
	line, said := mustRun(t, "keys", "new", "live")
	l.key = strings.TrimSpace(said[strings.LastIndex(said, " "):])
	expect.NoError(t, os.WriteFile(l.keys, []byte(line), 0o600))
	s, err := write.Open(t.Context(), l.db, write.Options{})
	expect.NoError(t, err)
	tip, _, _, err := s.Tip(t.Context(), 0)
	expect.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- demo.Live(ctx, s, retrying.Clock{Now: l.time, Sleep: l.sleep}, tip) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != context.Canceled {
			t.Error(err)
		}
		expect.NoError(t, s.Close())
	})
	<-l.ready
	l.serve("127.0.0.1:0")
	l.control = httptest.NewServer(http.HandlerFunc(l.handle))
	t.Cleanup(l.control.Close)
	return l
}

// environment returns the environment of the tests from npm. It contains a cursor of another
// database.
func (l *live) environment() []string {
	expired := start(l.t, "demo").Get(l.t, "{ changes { cursor } }", "")["changes"].(map[string]any)["cursor"]
	return []string{"MINTBURN_EXPIRED=" + expired.(string), "MINTBURN_URL=" + l.server.Base + "/", "MINTBURN_CONTROL=" + l.control.URL, "MINTBURN_KEY=" + l.key}
}

// time returns the time of the next block.
func (l *live) time() time.Time {
	if at := l.now.Load(); at != nil {
		return *at
	}
	return time.Now()
}

// sleep waits until a test asks for the next block.
func (l *live) sleep(ctx context.Context, _ time.Duration) error {
	select {
	case l.ready <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-l.tick:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// serve starts a server, and ends it with the test.
func (l *live) serve(address string) {
	s, process, ended := startProcess(l.t, func(c *exec.Cmd) {
		c.Args = append(c.Args, "--cors-origin", "*")
		for i, arg := range c.Args {
			if arg == "127.0.0.1:0" {
				c.Args[i] = address
			}
		}
	}, "--db", l.db, "--api-keys", l.keys)
	if s.Base == "" {
		l.t.Errorf("the server ended: %v: %s", <-ended, s.output)
	}
	l.server, l.end = s, func(signal os.Signal) {
		_ = process.Process.Signal(signal)
		<-ended
	}
}

// handle adds a block, or those before the next reorg, or sets the clock. It may kill or stop the server
// before, and start another one afterwards.
func (l *live) handle(_ http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/add":
		l.add()
	case "/fill":
		// A reorg every minute is one every 30 blocks.
		for (l.blocks+1)%30 != 0 {
			l.add()
		}
	case "/clock":
		at, err := time.Parse(time.RFC3339, r.URL.Query().Get("at"))
		if err != nil {
			l.t.Error(err)
		}
		l.now.Store(&at)
	case "/kill", "/stop":
		l.end(map[string]os.Signal{"/kill": os.Kill, "/stop": os.Interrupt}[r.URL.Path])
		l.add()
		l.serve(strings.TrimPrefix(l.server.Base, "http://"))
	}
}

// add adds a block.
func (l *live) add() {
	l.tick <- struct{}{}
	<-l.ready
	l.blocks++
}
