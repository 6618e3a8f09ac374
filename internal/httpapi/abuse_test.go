package httpapi_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mintburn/graph"
	"mintburn/internal/httpapi"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
)

// answers checks that the server still answers.
func answers(t testing.TB, s *apitest.Client) {
	t.Helper()
	if got := s.Post(t, inJSON("{ mints(first: 2) { limit } }")); got.Body != `{"data":{"mints":{"limit":2}}}` {
		t.Errorf("the server does not answer others: status %d: %.300s", got.Status, got.Body)
	}
}

// long skips a test with thousands of requests in short mode.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it sends thousands of requests")
	}
}

// memory returns how many bytes the process, with server and clients, holds and has allocated
// in total.
func memory() (held, allocated uint64) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse, m.TotalAlloc
}

// TestAbuse_LargeBodies sends 100 MB, once with and once without Content-Length. With it, the
// request is rejected before any byte of the body arrives.
func TestAbuse_LargeBodies(t *testing.T) {
	s := online(t, serve(t))
	const size = 100 << 20
	for name, header := range map[string]string{"announced": fmt.Sprintf("Content-Length: %d", size), "in chunks": "Transfer-Encoding: chunked"} {
		t.Run(name, func(t *testing.T) {
			_, before := memory()
			conn := dial(t, s.Base)
			fmt.Fprintf(conn, "POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n%s\r\n\r\n", header)
			sent, answered := make(chan int), make(chan bool)
			go func() {
				if name == "announced" {
					<-answered
				}
				part, total := bytes.Repeat([]byte(" "), 64<<10), 0
				for total < size {
					var err error
					if name == "in chunks" {
						_, err = fmt.Fprintf(conn, "%x\r\n%s\r\n", len(part), part)
					} else {
						_, err = conn.Write(part)
					}
					if err != nil {
						break
					}
					total += len(part)
				}
				sent <- total
			}()
			response, err := http.ReadResponse(bufio.NewReader(conn), nil)
			expect.NoError(t, err)
			close(answered)
			defer response.Body.Close()
			if response.StatusCode != http.StatusRequestEntityTooLarge || !response.Close {
				t.Errorf("status %d, closes: %t", response.StatusCode, response.Close)
			}
			answers(t, s)
			conn.Close()
			total := <-sent
			_, after := memory()
			// Bytes in the system's buffers count too.
			if total > size/4 || after-before > 64<<20 {
				t.Errorf("%d MB were taken of %d, %d MB allocated", total>>20, size>>20, (after-before)>>20)
			}
			t.Logf("%d kB taken of %d MB, %d kB allocated", total>>10, size>>20, (after-before)>>10)
		})
	}
}

// TestAbuse_LongBatch checks that a batch of 10,000 elements costs as much as reading 50 of
// them.
func TestAbuse_LongBatch(t *testing.T) {
	s := online(t, serve(t))
	body := "[" + strings.Repeat(`{"query":"{chain{lag}}"},`, 9_999) + `{"query":"{chain{lag}}"}]`
	_, before := memory()
	for range 10 {
		got := s.Post(t, body)
		if got.OnlyError(t, "QUERY_TOO_COSTLY"); got.Status != 400 {
			t.Errorf("status %d", got.Status)
		}
	}
	if _, after := memory(); after-before > 30<<20 {
		t.Errorf("%d kB allocated", (after-before)>>10)
	} else {
		t.Logf("%d kB allocated for 10 of %d kB", (after-before)>>10, len(body)>>10)
	}
	answers(t, s)
}

// TestAbuse_SlowBodies checks that thousands of connections that stall within a request hold
// little memory, do not slow down other clients, and time out.
func TestAbuse_SlowBodies(t *testing.T) {
	long(t)
	s := &apitest.Client{Base: "http://" + listenWithin(t, serve(t).Handler, 3*time.Second, 1<<20)}
	const slow = 3_000
	before, _ := memory()
	conns := make([]net.Conn, slow)
	for i := range conns {
		conns[i] = dial(t, s.Base)
		switch i % 3 {
		case 0: // nothing at all
		case 1:
			fmt.Fprint(conns[i], "POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Ty")
		case 2:
			fmt.Fprintf(conns[i], "POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n%s", strings.Repeat(" ", 1000))
		}
		if i%500 == 0 {
			answers(t, s)
		}
	}
	answers(t, s)
	after, _ := memory()
	t.Logf("%d connections hold %d kB, both ends", slow, (after-before)>>10)
	if after > before+150<<20 {
		t.Errorf("%d connections hold %d MB", slow, (after-before)>>20)
	}
	for i, conn := range conns {
		text, err := io.ReadAll(conn)
		if err != nil {
			t.Fatalf("connection %d: %v", i, err)
		}
		if i%3 == 2 && (!bytes.HasPrefix(text, []byte("HTTP/1.1 408 ")) || !bytes.Contains(text, []byte(`"TIMEOUT"`))) {
			t.Fatalf("connection %d: %s", i, text)
		}
	}
	answers(t, s)
}

// heavy returns an operation whose run time grows with the number of pages; 30 pages are
// within the limits.
func heavy(pages int) string {
	return inJSON("{ " + apitest.Repeat(pages, func(i int) string {
		return fmt.Sprintf("a%d: mints(first: 1000) { totalItems data { id tokenAddress blockHash transactionHash from to amount operator timestamp } } ", i)
	}) + "}")
}

// TestAbuse_Overload checks that operations that wait for more than half of the timeout are
// rejected, and that the others are answered.
func TestAbuse_Overload(t *testing.T) {
	long(t)
	s := online(t, serve(t, func(c *httpapi.Config) { c.Limits.Concurrency, c.Limits.Timeout = 1, 8*time.Second }))
	// Together the requests take far more than four seconds, and each of them far less, even
	// beside other tests.
	const clients = 600
	var wait sync.WaitGroup
	replies := make([]*apitest.Reply, clients)
	for i := range replies {
		wait.Go(func() { replies[i] = s.Post(t, heavy(5)) })
	}
	if got := s.Send(t, "GET", "/healthz", ""); got.Status != 200 {
		t.Errorf("/healthz: %d", got.Status)
	}
	wait.Wait()
	count := map[int]int{}
	for _, r := range replies {
		count[r.Status]++
		switch {
		case r.Status == 200 && strings.HasPrefix(r.Body, `{"data":{"a0":`):
		case r.Status == 503 && r.Header.Get("Retry-After") == "1":
			r.OnlyError(t, "RATE_LIMITED")
		default:
			t.Errorf("status %d: %.200s", r.Status, r.Body)
		}
	}
	if count[200] == 0 || count[503] == 0 {
		t.Errorf("statuses %v, want both 200 and 503", count)
	}
	t.Logf("statuses %v", count)
	answers(t, s)
}

// TestAbuse_OtherClients checks that a client's requests are answered before the many waiting
// requests of another client.
func TestAbuse_OtherClients(t *testing.T) {
	long(t)
	s := serve(t, func(c *httpapi.Config) { c.Limits.Concurrency = 2 })
	attacker, other := &apitest.Client{Handler: s.Handler, RemoteAddr: "10.0.0.2:1"}, &apitest.Client{Handler: s.Handler, RemoteAddr: "10.0.0.3:1"}
	const requests = 600
	var waiting, refused atomic.Int64
	var all sync.WaitGroup
	waiting.Store(requests)
	for range requests {
		all.Go(func() {
			got := attacker.Post(t, heavy(30))
			if waiting.Add(-1); got.Status == http.StatusServiceUnavailable {
				refused.Add(1)
			}
		})
	}
	// Wait until the queue is full.
	for refused.Load() == 0 {
		runtime.Gosched()
	}
	const small = 100
	for range small {
		if got := other.Post(t, inJSON("{ mints(first: 2) { limit } }")); got.Body != `{"data":{"mints":{"limit":2}}}` {
			t.Errorf("status %d: %s", got.Status, got.Body)
		}
	}
	if waiting.Load() == 0 {
		t.Errorf("%d small requests were answered after all %d others", small, requests)
	}
	all.Wait()
	if got := metricsOf(t, s); !strings.Contains(got, `mintburn_limiter_operations_total{outcome="after_waiting"}`) ||
		!strings.Contains(got, `mintburn_limiter_operations_total{outcome="queue_full"}`) || strings.Contains(got, `queue_full"} 0`) {
		t.Error("/metrics does not count the outcomes of operations")
	}
}

// TestAbuse_LongKeys checks that a long key, which a fragment repeats in every object, is
// rejected before any data is read.
func TestAbuse_LongKeys(t *testing.T) {
	s := online(t, serve(t))
	for _, size := range []int{20_000, 1<<20 - 5_000} {
		body := inJSON("{ " + apitest.Repeat(50, func(i int) string { return fmt.Sprintf("a%d: mints(first: 1000) { ...F } ", i) }) +
			"} fragment F on MintConnection { data { " + strings.Repeat("k", size) + ": logIndex } }")
		_, before := memory()
		s.Post(t, body).OnlyError(t, "QUERY_TOO_COSTLY")
		// The client holds a few copies of the body.
		if _, after := memory(); after-before > uint64(10*size+1<<20) {
			t.Errorf("%d bytes: %d kB allocated", size, (after-before)>>10)
		}
	}
	answers(t, s)
}

// TestAbuse_Timeout checks that an operation that takes too long fails with TIMEOUT.
func TestAbuse_Timeout(t *testing.T) {
	var log bytes.Buffer
	s := serve(t, func(c *httpapi.Config) {
		c.Limits.Timeout, c.Log = 5*time.Millisecond, slog.New(slog.NewTextHandler(&log, nil))
		c.ErrorPresenter = graph.PresentError(c.Log)
	})
	got := s.Post(t, heavy(30))
	a := got.Answer(t)
	if len(a.Errors) == 0 || a.Data != nil {
		t.Fatalf("status %d: %.200s", got.Status, got.Body)
	}
	for _, e := range a.Errors {
		if e.Extensions["code"] != "TIMEOUT" {
			t.Errorf("status %d: %v", got.Status, e)
		}
	}
	if out := log.String(); strings.Contains(out, "operation failed") || strings.Contains(out, "panic") {
		t.Errorf("logged: %s", out)
	}
	var body struct{ Query string }
	apitest.Decode(t, heavy(30), &body)
	if got := s.Send(t, http.MethodGet, "/graphql?query="+url.QueryEscape(body.Query), ""); !strings.Contains(got.Body, `"TIMEOUT"`) {
		t.Errorf("a GET: status %d: %.200s", got.Status, got.Body)
	}
	list := s.Batch(t, apitest.BatchOf(heavy(30), heavy(30), heavy(30)))
	for _, a := range list {
		if len(a.Errors) == 0 || a.Errors[0].Extensions["code"] != "TIMEOUT" && a.Errors[0].Extensions["code"] != "QUERY_TOO_COSTLY" {
			t.Errorf("in a batch: %.200s", a.Text)
		}
	}
}

// TestAbuse_Gone checks that operations of disconnected clients stop.
func TestAbuse_Gone(t *testing.T) {
	s := online(t, serve(t, func(c *httpapi.Config) { c.Limits.Concurrency = 2 }))
	answers(t, s)
	http.DefaultClient.CloseIdleConnections()
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.Base+"/graphql", strings.NewReader(heavy(30)))
			if err != nil {
				t.Error(err)
				return
			}
			request.Header.Set("Content-Type", asJSON)
			conn := dial(t, s.Base)
			if err := request.Write(conn); err != nil {
				t.Error(err)
			}
			conn.Close()
		})
	}
	wait.Wait()
	// Twenty abandoned operations in two slots would delay others for long if they still
	// ran.
	answers(t, s)
}
