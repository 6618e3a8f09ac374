//go:build otel

package command_test

import (
	"bufio"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"mintburn/internal/demo"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// receiver receives spans with OTLP over HTTP, either itself or, with MINTBURN_COLLECTOR,
// through the receiver of OpenTelemetry's collector.
type receiver struct {
	url string
	// end waits until all sent spans are received.
	end func()

	mu      sync.Mutex // guards spans and headers
	spans   []*tracepb.Span
	headers []string
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{}
	if os.Getenv("MINTBURN_COLLECTOR") != "" {
		r.collect(t)
		return r
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body := io.Reader(request.Body)
		if request.Header.Get("Content-Encoding") == "gzip" {
			var err error
			if body, err = gzip.NewReader(body); err != nil {
				t.Error(err)
			}
		}
		raw, err := io.ReadAll(body)
		var sent collector.ExportTraceServiceRequest
		if err == nil {
			err = proto.Unmarshal(raw, &sent)
		}
		if err != nil || request.URL.Path != "/v1/traces" {
			t.Errorf("%s: %v", request.URL.Path, err)
		}
		r.add(&sent, request.Header.Get("Authorization"))
	}))
	t.Cleanup(server.Close)
	r.url, r.end = server.URL, func() {}
	return r
}

// add adds the spans of a request.
func (r *receiver) add(sent *collector.ExportTraceServiceRequest, header string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.headers = append(r.headers, header)
	for _, resource := range sent.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			r.spans = append(r.spans, scope.Spans...)
		}
	}
}

// collect starts the collector, which prints the received spans until r ends.
func (r *receiver) collect(t *testing.T) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "collector")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".")
	build.Dir = filepath.Join("testdata", "collector")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	expect.NoError(t, err)
	address := free.Addr().String()
	expect.NoError(t, free.Close())
	process := exec.CommandContext(t.Context(), program, address)
	out, err := process.StdoutPipe()
	expect.NoError(t, err)
	expect.NoError(t, process.Start())
	printed := bufio.NewScanner(out)
	printed.Buffer(nil, 64<<20)
	if !printed.Scan() || printed.Text() != "ready" {
		t.Fatalf("the collector printed %q: %v", printed.Text(), printed.Err())
	}
	var reading sync.WaitGroup
	reading.Go(func() {
		for printed.Scan() {
			raw, err := base64.StdEncoding.DecodeString(printed.Text())
			var sent collector.ExportTraceServiceRequest
			if err == nil {
				err = proto.Unmarshal(raw, &sent)
			}
			if err != nil {
				t.Error(err)
			}
			r.add(&sent, "hush")
		}
	})
	r.url, r.end = "http://"+address, sync.OnceFunc(func() {
		_ = process.Process.Signal(syscall.SIGTERM)
		reading.Wait()
		expect.NoError(t, process.Wait())
	})
	t.Cleanup(r.end)
}

// attribute returns the value of a span's attribute as text, or "".
func attribute(s *tracepb.Span, name string) string {
	for _, a := range s.Attributes {
		if a.Key == name {
			if a.Value.GetStringValue() != "" {
				return a.Value.GetStringValue()
			}
			return fmt.Sprint(a.Value.GetIntValue())
		}
	}
	return ""
}

// trace starts a server that sends its traces to r, calls ask, and stops the server. It
// returns the server's log.
func (r *receiver) trace(t *testing.T, dsn string, ask func(*server), env ...string) string {
	t.Helper()
	var log string
	t.Run("serve", func(t *testing.T) {
		t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", r.url)
		for i := 0; i < len(env); i += 2 {
			t.Setenv(env[i], env[i+1])
		}
		s := serve(t, dsn)
		ask(s)
		t.Cleanup(func() { log = s.output.String() })
	})
	r.end()
	return log
}

// TestTracing checks that each request is one trace, from its parent through the operation
// to the statements, and that statements contain no values.
func TestTracing(t *testing.T) {
	for name, dsn := range map[string]func() string{
		"sqlite": func() string { return filepath.Join(t.TempDir(), "traced.db") }, "postgres": func() string { return pgtest.DSN(t) },
	} {
		t.Run(name, func(t *testing.T) {
			dsn, r := dsn(), newReceiver(t)
			importInto(t, dsn, demo.Open(), "-")
			const address = "0x5fbdb2315678afecb367f032d93f642f64180aa3"
			parent := "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-"
			log := r.trace(t, dsn, func(s *server) {
				body := apitest.Request(fmt.Sprintf(`query Burns { burns(address: %q, first: 2) { totalItems data { tokenId } } secret: __typename }`, address), "")
				for _, flags := range []string{"01", "00"} {
					if got := s.Send(t, http.MethodPost, "/graphql", body, "Traceparent", parent+flags, "X-Request-Id", "mine"); got.Status != http.StatusOK {
						t.Errorf("status %d: %s", got.Status, got.Body)
					}
				}
				s.Send(t, http.MethodGet, "/v1/nft/"+address+"/burns?from_block=0&to_block=9", "")
				s.Ask(t, "{ mints(first: -1) { page } }", "")
				s.Send(t, "SECRET", "/nowhere", "")
			}, "OTEL_EXPORTER_OTLP_HEADERS", "authorization=hush")
			traces := map[string]map[string]*tracepb.Span{}
			for _, s := range r.spans {
				id := fmt.Sprintf("%x", s.TraceId)
				if traces[id] == nil {
					traces[id] = map[string]*tracepb.Span{}
				}
				traces[id][string(s.SpanId)] = s
			}
			var got []string
			for id, spans := range traces {
				var operation, root *tracepb.Span
				statements := 0
				for _, s := range spans {
					above := spans[string(s.ParentSpanId)]
					switch {
					case above == nil:
						root = s
					case s.Kind == tracepb.Span_SPAN_KIND_INTERNAL:
						operation = s
					case s.Kind == tracepb.Span_SPAN_KIND_CLIENT:
						statements++
						text := attribute(s, "db.query.text")
						if !strings.Contains(text, " ") || strings.Contains(text, address[2:]) || strings.Contains(strings.ToLower(text), "x'5fbd") {
							t.Errorf("a span has the statement %s", text)
						}
						if operation := spans[string(s.ParentSpanId)]; attribute(operation, "graphql.operation.type") == "" {
							t.Errorf("the parent of %s is %v", text, operation)
						}
					default:
						t.Errorf("unexpected span %v", s)
					}
				}
				line := fmt.Sprintf("%s %s", root.Name, attribute(root, "http.response.status_code"))
				if operation != nil {
					line += fmt.Sprintf(" %s %s statements:%t", operation.Name, attribute(operation, "graphql.operation.name"), statements > 0)
					if operation.Status.GetCode() == tracepb.Status_STATUS_CODE_ERROR {
						line += " error"
					}
				}
				if id == parent[3:35] {
					line += fmt.Sprintf(" parent:%x %s", root.ParentSpanId, attribute(root, "mintburn.request_id"))
				}
				got = append(got, line)
			}
			slices.Sort(got)
			expect.Equal(t, "traces", []string{
				"GET /v1/ 200 query /v1/nft/{address}/burns statements:true",
				"POST /graphql 200 query (none) statements:false error",
				"POST /graphql 200 query Burns statements:true parent:b7ad6b7169203331 mine",
				"_OTHER 404",
			}, got)
			if len(r.headers) == 0 || r.headers[0] != "hush" {
				t.Errorf("OTEL_EXPORTER_OTLP_HEADERS: got %q", r.headers)
			}
			if text := fmt.Sprint(r.spans) + log; strings.Contains(text, "SECRET") || strings.Contains(text, "secret:") || strings.Contains(log, "hush") {
				t.Errorf("spans or the log contain a secret: %s", text)
			}
		})
	}
}

// TestTracing_Redirected checks that the headers of OTEL_EXPORTER_OTLP_HEADERS do not
// follow a redirect.
func TestTracing_Redirected(t *testing.T) {
	db := importDemo(t)
	for _, status := range []int{301, 302, 303, 307, 308} {
		target := newReceiver(t)
		moved := httptest.NewServer(http.RedirectHandler(target.url+"/v1/traces", status))
		from := &receiver{url: moved.URL, end: func() {}}
		var traced *server
		from.trace(t, db, func(s *server) {
			traced = s
			s.Get(t, "{ mints(first: 1) { page } }", "")
		}, "OTEL_EXPORTER_OTLP_HEADERS", "x-key=hush")
		// The spans are sent when the server ends.
		log := traced.output.String()
		if len(target.headers) > 0 || strings.Contains(log, "hush") || !strings.Contains(log, fmt.Sprintf("status %d: the redirect to ", status)) {
			t.Errorf("status %d: %d requests followed the redirect: %s", status, len(target.headers), log)
		}
		moved.Close()
	}
}

// TestTracing_Off checks that no spans are sent if they are not sampled or tracing is off.
func TestTracing_Off(t *testing.T) {
	db := importDemo(t)
	for _, env := range [][]string{
		{"OTEL_TRACES_SAMPLER", "traceidratio", "OTEL_TRACES_SAMPLER_ARG", "0"}, {"OTEL_TRACES_EXPORTER", "none"}, {"OTEL_SDK_DISABLED", "true"},
	} {
		r := newReceiver(t)
		log := r.trace(t, db, func(s *server) { s.Get(t, "{ mints(first: 1) { page } }", "") }, env...)
		if len(r.spans) > 0 || strings.Contains(log, "sending traces") != (env[0] == "OTEL_TRACES_SAMPLER") {
			t.Errorf("%s: %d spans: %s", env, len(r.spans), log)
		}
	}
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
	fails(t, 1, `OTEL_EXPORTER_OTLP_PROTOCOL: got "grpc", want http/protobuf`, "serve", "--db", db, "--listen", "127.0.0.1:0")
}
