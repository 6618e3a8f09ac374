package httpapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/expect"
	"mintburn/internal/httpapi"
)

// ask posts a body and returns the answer, and the codes of its errors.
func ask(handler http.Handler, ctx context.Context, body string) (w *httptest.ResponseRecorder, codes []string) {
	w = httptest.NewRecorder()
	r := httptest.NewRequestWithContext(ctx, "POST", "/graphql", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	handler.ServeHTTP(w, r)
	var one struct {
		Errors []struct{ Extensions struct{ Code string } }
	}
	if json.Unmarshal(w.Body.Bytes(), &one) == nil {
		for _, e := range one.Errors {
			codes = append(codes, e.Extensions.Code)
		}
	}
	return w, codes
}

const allTypes = `{"query": "{ __schema { types { name description fields { name description args { name description } } } } }"}`

// TestEndpoint_MemoryBudget: large bodies and answers wait for no one.
func TestEndpoint_MemoryBudget(t *testing.T) {
	small := `{"query": "{ __typename }"}`
	large := `{"query": "{ __typename }"}` + strings.Repeat(" ", 40_000)
	for name, test := range map[string]struct {
		budget int64
		body   string
		status int
	}{
		"a small body needs none":    {0, small, 200},
		"a large body with room":     {96 << 10, large, 200},
		"a large body without":       {16 << 10, large, 503},
		"a large answer with room":   {128 << 10, allTypes, 200},
		"a large answer without any": {10, allTypes, 503},
	} {
		t.Run(name, func(t *testing.T) {
			handler, used, err := httpapi.NewWithBudget(config(nil), test.budget)
			expect.NoError(t, err)
			for range 3 {
				w, codes := ask(handler, t.Context(), test.body)
				if w.Code != test.status || (w.Code == 503) != (len(codes) == 1 && codes[0] == "RATE_LIMITED" && w.Header().Get("Retry-After") == "1") {
					t.Errorf("status %d, codes %v, want %d: %.100s", w.Code, codes, test.status, w.Body)
				}
				if used() != 0 {
					t.Errorf("%d bytes are still taken", used())
				}
			}
		})
	}
}

// TestEndpoint_NoMemoryForAFinalAnswer: that there is no memory is not final.
func TestEndpoint_NoMemoryForAFinalAnswer(t *testing.T) {
	c := config(nil)
	c.Final = func(context.Context, *ast.OperationDefinition, map[string]any) (string, bool, error) {
		return "a", true, nil
	}
	c.Generation = func(context.Context) (string, error) { return "a", nil }
	c.AnswerCache = 1 << 20
	handler, _, err := httpapi.NewWithBudget(c, 10)
	expect.NoError(t, err)
	for range 2 {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/graphql?query="+
			url.QueryEscape("{ __schema { types { name description fields { name description } } } }"), nil))
		if h := w.Header(); w.Code != 503 || h.Get("ETag") != "" || h.Get("Cache-Control") != "no-store" {
			t.Errorf("status %d, headers %v", w.Code, h)
		}
	}
}

// panicking panics where nothing of gqlgen recovers.
type panicking struct{ on string }

func (panicking) ExtensionName() string                   { return "Panicking" }
func (panicking) Validate(graphql.ExecutableSchema) error { return nil }
func (p panicking) InterceptOperation(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
	if strings.Contains(graphql.GetOperationContext(ctx).RawQuery, p.on) {
		panic("secret")
	}
	return next(ctx)
}

func TestEndpoint_Panic(t *testing.T) {
	c := config(nil)
	c.Extensions = []graphql.HandlerExtension{panicking{on: "boom"}}
	c.Limits.Concurrency = 1
	handler := newHandler(t, c)
	w, codes := ask(handler, t.Context(), `{"query": "{ boom: __typename }"}`)
	if w.Code != 500 || len(codes) != 1 || codes[0] != "INTERNAL" || strings.Contains(w.Body.String(), "secret") {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
	// One that panics in a batch takes nothing with it, not even its place.
	w, _ = ask(handler, t.Context(), `[{"query": "{ __typename }"}, {"query": "{ boom: __typename }"}, {"query": "{ a: __typename }"}]`)
	const want = `[{"data":{"__typename":"Query"}},{"errors":[{"message":"internal error","extensions":{"code":"INTERNAL"}}]},{"data":{"a":"Query"}}]`
	if w.Code != 200 || w.Body.String() != want {
		t.Errorf("status %d: %s, want %s", w.Code, w.Body, want)
	}
}

// TestEndpoint_Cancelled: who has gone is not worked for.
func TestEndpoint_Cancelled(t *testing.T) {
	handler := newHandler(t, config(nil))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, body := range []string{allTypes, `{"query": "{ __typename }"}`} {
		w, codes := ask(handler, ctx, body)
		if w.Code != 504 || len(codes) != 1 || codes[0] != "TIMEOUT" || strings.Contains(w.Body.String(), "data") {
			t.Errorf("status %d: %.200s", w.Code, w.Body)
		}
	}
}

// TestEndpoint_Busy: an operation that finds no place in time is refused.
func TestEndpoint_Busy(t *testing.T) {
	c := config(nil)
	c.Limits.Concurrency, c.Limits.Timeout = 1, 2*time.Millisecond
	entered, leave := make(chan struct{}), make(chan struct{})
	c.Extensions = []graphql.HandlerExtension{blocking{entered, leave}}
	handler := newHandler(t, c)
	first := make(chan int)
	go func() {
		w, _ := ask(handler, t.Context(), `{"query": "{ block: __typename }"}`)
		first <- w.Code
	}()
	<-entered
	w, codes := ask(handler, t.Context(), `{"query": "{ __typename }"}`)
	if w.Code != 503 || len(codes) != 1 || codes[0] != "RATE_LIMITED" || w.Header().Get("Retry-After") != "1" {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
	close(leave)
	<-first
	// A busy machine may take longer than the timeout, now and then.
	for tries := 0; ; tries++ {
		w, codes := ask(handler, t.Context(), `{"query": "{ __typename }"}`)
		if w.Code == 200 {
			return
		}
		if w.Code != 504 || tries == 1_000 {
			t.Fatalf("afterwards: status %d, %v", w.Code, codes)
		}
	}
}

// blocking holds an operation.
type blocking struct{ entered, leave chan struct{} }

func (blocking) ExtensionName() string                   { return "Blocking" }
func (blocking) Validate(graphql.ExecutableSchema) error { return nil }
func (b blocking) InterceptOperation(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
	if strings.Contains(graphql.GetOperationContext(ctx).RawQuery, "block") {
		b.entered <- struct{}{}
		<-b.leave
	}
	return next(ctx)
}

// counting counts operations that run at once; each ends with a token.
type counting struct {
	running, most *atomic.Int64
	tokens        chan struct{}
}

func (counting) ExtensionName() string                   { return "Counting" }
func (counting) Validate(graphql.ExecutableSchema) error { return nil }
func (c counting) InterceptOperation(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
	n := c.running.Add(1)
	for seen := c.most.Load(); n > seen && !c.most.CompareAndSwap(seen, n); seen = c.most.Load() {
	}
	<-c.tokens
	c.running.Add(-1)
	return next(ctx)
}

// TestEndpoint_BatchWidth: a batch leaves places for others.
func TestEndpoint_BatchWidth(t *testing.T) {
	count := counting{new(atomic.Int64), new(atomic.Int64), make(chan struct{})}
	c := config(nil)
	c.Extensions = []graphql.HandlerExtension{count}
	handler := newHandler(t, c)
	const elements = 20
	go func() {
		for i := 0; i < 1000; {
			// Once the batch is at its width, time for more, were there no bound.
			if runtime.Gosched(); count.running.Load() >= httpapi.BatchWidth {
				i++
			}
		}
		for range elements {
			count.tokens <- struct{}{}
		}
	}()
	element := `{"query": "{ __typename }"}`
	w, _ := ask(handler, t.Context(), "["+strings.Repeat(element+",", elements-1)+element+"]")
	if strings.Count(w.Body.String(), `"data"`) != elements {
		t.Errorf("got %s", w.Body)
	}
	if most := count.most.Load(); most > httpapi.BatchWidth {
		t.Errorf("%d ran at once, want at most %d", most, httpapi.BatchWidth)
	}
}
