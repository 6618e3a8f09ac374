package main

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"errors"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"mintburn/bench/workload"
	"mintburn/internal/command"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// The records and the sets of variables of measurements in this process.
const (
	ownRecords = 20_000
	ownSets    = 100
)

// own is the complete program in this process, with a client that does not allocate.
type own struct {
	workloads []workload.Workload
	client    fasthttp.HostClient
	request   *fasthttp.Request
	response  *fasthttp.Response
}

// startOwn serves generated records until the test ends, with additional flags.
func startOwn(t testing.TB, flags ...string) *own {
	db := filepath.Join(t.TempDir(), "bench.db")
	if _, err := fill(t.Context(), program(t), db, ownRecords); err != nil {
		t.Fatal(err)
	}
	return serveOwn(t, db, db, flags...)
}

// startOnPostgreSQL is startOwn with the same records in PostgreSQL.
func startOnPostgreSQL(t testing.TB) *own {
	picked, dsn := filepath.Join(t.TempDir(), "bench.db"), pgtest.DSN(t)
	for _, db := range []string{picked, dsn} {
		if _, err := load(t.Context(), program(t), db, ownRecords); err != nil {
			t.Fatal(err)
		}
	}
	// Autovacuum would do this, but it is off in the tests' server. Without it, the query
	// plans would be those for empty tables.
	db, err := sql.Open("pgx", dsn)
	if err == nil {
		_, err = db.ExecContext(t.Context(), "ANALYZE")
	}
	expect.NoError(t, errors.Join(err, db.Close()))
	return serveOwn(t, picked, dsn)
}

// serveOwn serves db. The variables are picked from a SQLite file with the same records.
func serveOwn(t testing.TB, picked, db string, flags ...string) *own {
	ctx, cancel := context.WithCancel(context.Background())
	stderr, log := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- command.Run(ctx, nil, append([]string{"serve", "--db", db, "--listen", "127.0.0.1:0"}, flags...), strings.NewReader(""), io.Discard, log)
		_ = log.Close()
	}()
	t.Cleanup(func() {
		cancel()
		if code := <-ended; code != 0 {
			t.Errorf("the server ended with exit code %d", code)
		}
	})
	o := newOwn(listeningOn(t, stderr))
	t.Cleanup(o.client.CloseIdleConnections)
	var err error
	if o.workloads, err = workload.Pick(t.Context(), picked, ownSets); err != nil {
		t.Fatal(err)
	}
	expect.NoError(t, workload.AddCursors(o.workloads, func(body []byte) ([]byte, error) {
		o.ask(t, body)
		return bytes.Clone(o.response.Body()), nil
	}))
	return o
}

// newOwn returns a client of the server at an address.
func newOwn(address string) *own {
	o := &own{request: fasthttp.AcquireRequest(), response: fasthttp.AcquireResponse()}
	o.client = fasthttp.HostClient{Addr: address, ReadTimeout: 10 * time.Second}
	o.request.Header.SetMethod(fasthttp.MethodPost)
	o.request.Header.SetContentType("application/json")
	o.request.SetRequestURI("http://" + address + "/graphql")
	return o
}

var address = regexp.MustCompile(`http://(127\.0\.0\.1:\d+)`)

// listeningOn returns the first address in a log, and reads the log to its end.
func listeningOn(t testing.TB, log io.Reader) string {
	for lines := bufio.NewScanner(log); lines.Scan(); {
		if found := address.FindStringSubmatch(lines.Text()); found != nil {
			go func() { _, _ = io.Copy(io.Discard, log) }()
			return found[1]
		}
	}
	t.Fatal("the server ended before it served")
	return ""
}

// ask sends a body; the answer stays in o.
func (o *own) ask(t testing.TB, body []byte) {
	o.request.SetBodyRaw(body)
	expect.NoError(t, o.client.Do(o.request, o.response))
	if text := o.response.Body(); o.response.StatusCode() != fasthttp.StatusOK || !bytes.HasPrefix(text, []byte(`{"data":{`)) {
		t.Fatalf("%s: status %d: %.300s", body, o.response.StatusCode(), text)
	}
}

// bodies returns the requests of a workload, and sends each once.
func (o *own) bodies(t testing.TB, w *workload.Workload) [][]byte {
	list := make([][]byte, len(w.Sets))
	for n, v := range w.Sets {
		var err error
		if list[n], err = w.Body(v); err != nil {
			t.Fatal(err)
		}
		o.ask(t, list[n])
	}
	return list
}

// BenchmarkAnswer requests one answer after another, with client and server in one
// process. make bench-compare compares its results.
func BenchmarkAnswer(b *testing.B) { startOwn(b).measureAll(b) }

// BenchmarkAnswer_PostgreSQL is BenchmarkAnswer with the records in PostgreSQL.
func BenchmarkAnswer_PostgreSQL(b *testing.B) { startOnPostgreSQL(b).measureAll(b) }

func (o *own) measureAll(b *testing.B) {
	for i := range o.workloads {
		w := &o.workloads[i]
		bodies := o.bodies(b, w)
		b.Run(w.Path, func(b *testing.B) { o.measure(b, bodies) })
		if w.Name == workload.Range {
			o.measureBeside(b, *w)
		}
	}
}

// measureBeside queries the state of the chain, alone and in one document with
// a page. A document should cost the sum of its fields.
func (o *own) measureBeside(b *testing.B, page workload.Workload) {
	const chain = `chain { lag head { number hash } }`
	alone := page
	alone.Document, alone.Sets = "{ "+chain+" }", page.Sets[:1]
	page.Document = strings.TrimSuffix(page.Document, "}") + chain + " }"
	for name, w := range map[string]workload.Workload{"chain": alone, "range+chain": page} {
		bodies := o.bodies(b, &w)
		b.Run(name, func(b *testing.B) { o.measure(b, bodies) })
	}
}

// measure sends one request after the other.
func (o *own) measure(b *testing.B, bodies [][]byte) {
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		o.ask(b, bodies[n%len(bodies)])
	}
}
