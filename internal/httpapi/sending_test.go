package httpapi

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/execute"
	"mintburn/internal/httpapi/negotiate"
	"mintburn/internal/httpapi/observe"
	"mintburn/internal/testing/expect"
)

// TestSend_NoMemoryLeft checks that a long answer is sent only if memory is available until the client
// has read it.
func TestSend_NoMemoryLeft(t *testing.T) {
	known, err := admit.NewClients(nil, slog.New(slog.DiscardHandler))
	expect.NoError(t, err)
	e := &endpoint{clients: known, Parts: execute.Parts{Observer: observe.New(observe.Options{}, nil, known)}, compressors: negotiate.NewCompressors()}
	body := bytes.Repeat([]byte("x"), 2*admit.SmallBuffer)
	for left, want := range map[int64]int{4 * admit.SmallBuffer: http.StatusOK, admit.SmallBuffer: http.StatusServiceUnavailable} {
		e.Budget = admit.NewBudget(left, known)
		r, sent := httptest.NewRequest(http.MethodGet, "/", nil), httptest.NewRecorder()
		b := e.Budget.Buffer(r)
		b.Write(body)
		e.send(sent, r, negotiate.JSON, http.StatusOK, b, nil)
		e.Budget.Drop(b)
		expect.Equal(t, "status", want, sent.Code)
	}
}
