package httpapi

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/negotiate"
	"mintburn/internal/testing/expect"
)

// TestSend_NoMemoryLeft checks that a long answer, cached or not, is sent only if memory is
// available until the client has read it.
func TestSend_NoMemoryLeft(t *testing.T) {
	known, err := admit.NewClients(nil, slog.New(slog.DiscardHandler))
	expect.NoError(t, err)
	generation := func(context.Context) (string, error) { return "1", nil }
	e := &endpoint{clients: known, metrics: newMetrics(nil, nil), compressors: negotiate.NewCompressors(), responses: newResponseCache(1<<20, generation)}
	body := bytes.Repeat([]byte("x"), 2*admit.SmallBuffer)
	e.responses.put(&final{key: "long", generation: "1"}, encoded{body: body})
	for left, want := range map[int64]int{4 * admit.SmallBuffer: http.StatusOK, admit.SmallBuffer: http.StatusServiceUnavailable} {
		e.budget = admit.NewBudget(left, known)
		r, sent, cached := httptest.NewRequest(http.MethodGet, "/", nil), httptest.NewRecorder(), httptest.NewRecorder()
		r = r.WithContext(context.WithValue(r.Context(), exchangeKey{}, &exchange{}))
		b := e.budget.Buffer(r)
		b.Write(body)
		e.send(sent, r, negotiate.JSON, http.StatusOK, b, nil)
		e.budget.Drop(b)
		if !e.serveCached(r.Context(), cached, r, negotiate.JSON, "long") {
			t.Error("the answer is not cached")
		}
		expect.Equal(t, "status", [2]int{want, want}, [2]int{sent.Code, cached.Code})
	}
}
