package respond_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/client_golang/prometheus/promauto"

	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/execute"
	"mintburn/internal/httpapi/negotiate"
	"mintburn/internal/httpapi/observe"
	"mintburn/internal/httpapi/respond"
	"mintburn/internal/testing/expect"
)

// TestSend_NoMemoryLeft checks that a long answer is sent only if memory is available until the client
// has read it.
func TestSend_NoMemoryLeft(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	known, err := admit.NewClients(nil, log)
	expect.NoError(t, err)
	o := observe.New(observe.Options{}, log, known)
	body := bytes.Repeat([]byte("x"), 2*admit.SmallBuffer)
	for left, want := range map[int64]int{4 * admit.SmallBuffer: http.StatusOK, admit.SmallBuffer: http.StatusServiceUnavailable} {
		budget := admit.NewBudget(left, known)
		s := respond.New(execute.Parts{Budget: budget, Observer: o, Limiter: admit.NewLimiter(1, 0, admit.NewLimiterMetrics(promauto.With(nil)))}, known, nil, log)
		r, sent := httptest.NewRequest(http.MethodGet, "/", nil), httptest.NewRecorder()
		b := budget.Buffer(r)
		b.Write(body)
		s.Send(sent, r, negotiate.JSON, http.StatusOK, b, nil)
		budget.Drop(b)
		expect.Equal(t, "status", want, sent.Code)
	}
}
