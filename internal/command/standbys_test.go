package command_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"mintburn/internal/command"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// TestStandbys kills a standby, and stops the replay of the other one, below servers that clients
// use through a proxy. No request may fail. [TestStandbys_Proxies] is the long form.
func TestStandbys(t *testing.T) {
	t.Parallel()
	skipShort(t, "starts PostgreSQL three times")
	c := newStandbys(t)
	front := &nextServer{servers: c.servers[:]}
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: front.choose, Transport: front, ErrorLog: log.New(io.Discard, "", 0)})
	t.Cleanup(proxy.Close)
	c.begin(proxy.URL)
	c.during(5, c.kill)
	c.during(5, c.pause)
	c.end()
}

// TestStandbys_Proxies sends 50 requests a second to servers on two standbys, through each proxy as
// docs/scaling.md configures it. One standby is stopped, one killed, one stands still, and one is
// promoted. No request may fail. It runs with MINTBURN_STANDBYS.
func TestStandbys_Proxies(t *testing.T) {
	t.Parallel()
	if os.Getenv("MINTBURN_STANDBYS") == "" {
		t.Skip("MINTBURN_STANDBYS is not set")
	}
	for _, name := range []string{"nginx", "caddy", "haproxy"} {
		t.Run(name, func(t *testing.T) {
			c := newStandbys(t)
			address := runProxy(t, name, "docs/scaling.md", map[string]string{
				"10.0.0.1:8080": strings.TrimPrefix(c.servers[0].Base, "http://"), "10.0.0.2:8080": strings.TrimPrefix(c.servers[1].Base, "http://"),
			})
			c.begin("http://" + address)
			for _, fault := range []func() (heal func()){c.stop, c.kill, c.pause, c.promote} {
				c.during(30, fault)
			}
			c.end()
		})
	}
}

// standbys are a primary that a follower writes to, two standbys, and a server on each of these.
type standbys struct {
	t        *testing.T
	node     *chaintest.Node
	primary  *pgtest.Server
	replicas [2]*pgtest.Server
	servers  [2]*server
	blocks   uint64
	load     *walkers
	copies   map[string]*feedCopy
	// unsubscribe ends the copies.
	unsubscribe func()
}

func newStandbys(t *testing.T) *standbys {
	t.Helper()
	c := &standbys{t: t, node: chaintest.NewNode(t, chaintest.NodeOptions{}), primary: pgtest.NewServer(t)}
	c.mine(30)
	mustRun(t, "sync", "--once", "--rpc", c.node.URL, "--db", c.primary.DSN)
	for i := range c.replicas {
		c.replicas[i] = c.primary.Replica()
		c.servers[i] = serve(t, c.replicas[i].Alone())
	}
	return c
}

func (c *standbys) mine(count int) {
	contents := contents(count, 4*count)
	c.blocks++
	contents.Seed, contents.Collections = c.blocks, 3
	c.node.Generate(contents)
}

// begin starts the follower, and clients of a proxy.
func (c *standbys) begin(proxy string) {
	ctx, cancel := context.WithCancel(context.Background())
	said, ended := &output{endpoint: make(chan string, 1)}, make(chan int, 1)
	go func() {
		ended <- command.Run(ctx, repository, []string{"sync", "--rpc", c.node.URL, "--db", c.primary.DSN, "--poll", "10ms", "--no-metadata"}, strings.NewReader(""), said, said)
	}()
	c.t.Cleanup(func() {
		cancel()
		if code := <-ended; code != 0 {
			c.t.Errorf("the follower ended with exit code %d: %s", code, said)
		}
	})
	front := &server{output: said}
	front.Base = proxy
	c.copies, c.unsubscribe = newFeedCopies(c.t, front, c.primary.DSN)
	c.load = newWalkers(c.t, proxy)
}

// during mines this many blocks during a fault, while clients send requests. It then waits until both
// servers have all blocks.
func (c *standbys) during(blocks int, fault func() (heal func())) {
	c.t.Helper()
	heal := fault()
	for range blocks {
		c.mine(1)
		c.load.await(5)
	}
	heal()
	for _, s := range c.servers {
		until(c.t, func() bool { return s.headIs(c.t, len(c.node.Blocks())-1) })
	}
	c.load.await(5)
}

func (c *standbys) stop() (heal func()) {
	c.replicas[0].Stop(false)
	return c.replicas[0].Start
}

func (c *standbys) kill() (heal func()) {
	c.replicas[1].Stop(true)
	return c.replicas[1].Start
}

// pause stops the replay of a standby, which receives all and shows nothing of it.
func (c *standbys) pause() (heal func()) {
	at := administer(c.t, c.replicas[0].Alone())
	at.execute(c.t, "SELECT pg_wal_replay_pause()")
	return func() { at.execute(c.t, "SELECT pg_wal_replay_resume()") }
}

// promote ends the primary, promotes a standby, and lets the other one follow it.
func (c *standbys) promote() (heal func()) {
	c.primary.Stop(false)
	c.replicas[0].Promote()
	administer(c.t, c.replicas[1].Alone()).execute(c.t, "ALTER SYSTEM SET primary_conninfo = '"+c.replicas[0].Alone()+"'", "SELECT pg_reload_conf()")
	return func() {}
}

// end compares what the clients have read with the records of a server.
func (c *standbys) end() {
	t := c.t
	t.Helper()
	want, err := exportedIDs(t, c.replicas[0].Alone())
	expect.NoError(t, err)
	for name, f := range c.copies {
		until(t, func() bool { return f.equals(want) })
		expect.Equal(t, name+": cursors that have expired", 0, f.expired)
	}
	c.unsubscribe()
	var mints []string
	for _, r := range c.servers[0].walk(t, "mints", "", 100) {
		mints = append(mints, r.place())
	}
	c.load.compare(mints)
	if len(mints) < 40 {
		t.Errorf("%d mints", len(mints))
	}
}

func (a administrator) execute(t *testing.T, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		_, err := a.ExecContext(t.Context(), statement)
		expect.NoError(t, err)
	}
}

// nextServer is the transport of a proxy that tries the next server if one answers 503 or not at all.
type nextServer struct {
	servers []*server
	turn    atomic.Uint32
}

// choose leaves the choice to RoundTrip.
func (n *nextServer) choose(r *httputil.ProxyRequest) { r.Out.URL.Scheme = "http" }

func (n *nextServer) RoundTrip(r *http.Request) (response *http.Response, err error) {
	body := []byte{}
	if r.Body != nil {
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	first := int(n.turn.Add(1))
	for i := range n.servers {
		base, failed := url.Parse(n.servers[(first+i)%len(n.servers)].Base)
		if failed != nil {
			return nil, failed
		}
		one := r.Clone(r.Context())
		one.URL.Host, one.Body = base.Host, io.NopCloser(bytes.NewReader(body))
		if response != nil {
			response.Body.Close()
		}
		response, failed = http.DefaultTransport.RoundTrip(one)
		if err = errors.Join(err, failed); failed == nil && response.StatusCode != http.StatusServiceUnavailable {
			return response, nil
		}
	}
	if response != nil {
		err = nil
	}
	return response, err
}
