package httpapi_test

import (
	"context"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/httpapi"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
)

// endpointOf returns a client of a server without data.
func endpointOf(t *testing.T, c httpapi.Config) *apitest.Client {
	t.Helper()
	return &apitest.Client{Handler: newHandler(t, c)}
}

// checkBusy checks that an answer reports a busy server.
func checkBusy(t *testing.T, got *apitest.Reply) {
	t.Helper()
	if got.OnlyError(t, "RATE_LIMITED"); got.Status != 503 || got.Header.Get("Retry-After") != "1" {
		t.Errorf("status %d, headers %v", got.Status, got.Header)
	}
}

const allTypes = `{"query": "{ __schema { types { name description fields { name description args { name description } } } } }"}`

// TestEndpoint_MemoryBudget checks that large bodies and answers fail at once if there is no
// memory.
func TestEndpoint_MemoryBudget(t *testing.T) {
	small := `{"query": "{ __typename }"}`
	large := `{"query": "{ __typename }"}` + strings.Repeat(" ", 40_000)
	for name, test := range map[string]struct {
		budget int64
		body   string
		status int
	}{
		"a small body needs no budget": {0, small, 200},
		"a large body with room":       {96 << 10, large, 200},
		"a large body without":         {16 << 10, large, 503},
		"a large answer with room":     {128 << 10, allTypes, 200},
		"a large answer without any":   {10, allTypes, 503},
	} {
		t.Run(name, func(t *testing.T) {
			handler, used, err := httpapi.NewWithBudget(config(nil), test.budget)
			expect.NoError(t, err)
			s := &apitest.Client{Handler: handler}
			for range 3 {
				got := s.Post(t, test.body)
				if got.Status != test.status {
					t.Errorf("status %d, want %d: %.100s", got.Status, test.status, got.Body)
				}
				if got.Status != 200 {
					checkBusy(t, got)
				}
				if used() != 0 {
					t.Errorf("%d bytes are still taken", used())
				}
			}
		})
	}
}

// TestEndpoint_NoMemoryForAFinalAnswer checks that no cache may store the error for a lack
// of memory.
func TestEndpoint_NoMemoryForAFinalAnswer(t *testing.T) {
	c := config(nil)
	c.Final = func(context.Context, *ast.OperationDefinition, map[string]any) (is, verified bool, err error) {
		return true, true, nil
	}
	handler, _, err := httpapi.NewWithBudget(c, 10)
	expect.NoError(t, err)
	for range 3 {
		got := (&apitest.Client{Handler: handler}).Send(t, "GET", "/graphql?query="+
			url.QueryEscape("{ __schema { types { name description fields { name description } } } }"), "")
		if got.Status != 503 || got.Header.Get("ETag") != "" || got.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("status %d, headers %v", got.Status, got.Header)
		}
	}
}

// before runs before each operation, outside of gqlgen's recovery.
type before func(document string)

func (before) ExtensionName() string                   { return "Before" }
func (before) Validate(graphql.ExecutableSchema) error { return nil }
func (f before) InterceptOperation(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
	f(graphql.GetOperationContext(ctx).RawQuery)
	return next(ctx)
}

func TestEndpoint_Panic(t *testing.T) {
	c := config(nil)
	c.Extensions = []graphql.HandlerExtension{before(func(document string) {
		if strings.Contains(document, "boom") {
			panic("secret")
		}
	})}
	c.Limits.Concurrency = 1
	s := endpointOf(t, c)
	got := s.Post(t, `{"query": "{ boom: __typename }"}`)
	if got.OnlyError(t, "INTERNAL"); got.Status != 500 || strings.Contains(got.Body, "secret") {
		t.Errorf("status %d: %s", got.Status, got.Body)
	}
	// A panic in a batch affects no other operation, and releases its slot.
	got = s.Post(t, `[{"query": "{ __typename }"}, {"query": "{ boom: __typename }"}, {"query": "{ a: __typename }"}]`)
	const want = `[{"data":{"__typename":"Query"}},{"errors":[{"message":"internal error","extensions":{"code":"INTERNAL"}}]},{"data":{"a":"Query"}}]`
	if got.Status != 200 || got.Body != want {
		t.Errorf("status %d: %s, want %s", got.Status, got.Body, want)
	}
}

// TestEndpoint_Cancelled checks that operations of disconnected clients do not run.
func TestEndpoint_Cancelled(t *testing.T) {
	handler := newHandler(t, config(nil))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := &apitest.Client{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r.WithContext(ctx)) })}
	for _, body := range []string{allTypes, `{"query": "{ __typename }"}`} {
		got := s.Post(t, body)
		if got.OnlyError(t, "TIMEOUT"); got.Status != 504 || strings.Contains(got.Body, "data") {
			t.Errorf("status %d: %.200s", got.Status, got.Body)
		}
	}
}

// TestEndpoint_Busy checks that an operation that gets no slot within half of its timeout is
// rejected.
func TestEndpoint_Busy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := config(nil)
		c.Limits.Concurrency, c.Limits.Timeout = 1, 10*time.Second
		leave := make(chan struct{})
		c.Extensions = []graphql.HandlerExtension{before(func(document string) {
			if strings.Contains(document, "block") {
				<-leave
			}
		})}
		s := endpointOf(t, c)
		var first sync.WaitGroup
		first.Go(func() { s.Post(t, `{"query": "{ block: __typename }"}`) })
		synctest.Wait()
		began := time.Now()
		checkBusy(t, s.Post(t, `{"query": "{ __typename }"}`))
		expect.Equal(t, "wait for a slot", 5*time.Second, time.Since(began))
		close(leave)
		first.Wait()
		expect.Equal(t, "status afterwards", 200, s.Post(t, `{"query": "{ __typename }"}`).Status)
	})
}

// TestEndpoint_BatchWidth checks that a batch leaves slots for other requests.
func TestEndpoint_BatchWidth(t *testing.T) {
	var running, most atomic.Int64
	tokens := make(chan struct{})
	c := config(nil)
	c.Extensions = []graphql.HandlerExtension{before(func(string) {
		n := running.Add(1)
		for seen := most.Load(); n > seen && !most.CompareAndSwap(seen, n); seen = most.Load() {
		}
		<-tokens
		running.Add(-1)
	})}
	s := endpointOf(t, c)
	const elements = 20
	go func() {
		for i := 0; i < 1000; {
			// Once batchWidth operations run, more would start in this time if there were no
			// bound.
			if runtime.Gosched(); running.Load() >= httpapi.BatchWidth {
				i++
			}
		}
		for range elements {
			tokens <- struct{}{}
		}
	}()
	element := `{"query": "{ __typename }"}`
	got := s.Post(t, "["+strings.Repeat(element+",", elements-1)+element+"]")
	if strings.Count(got.Body, `"data"`) != elements {
		t.Errorf("got %s", got.Body)
	}
	if n := most.Load(); n > httpapi.BatchWidth {
		t.Errorf("%d ran at once, want at most %d", n, httpapi.BatchWidth)
	}
}
