package admit

import (
	"bytes"
	"net/http"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus/promauto"

	"mintburn/internal/httpapi/failure"
)

// Computing bounds how many requests are answered at once by the handlers that it bounds: a quarter of
// the processors compute, at least one, so that the others are left for operations.
type Computing struct {
	limiter *Limiter
	clients *Clients
	fail    func(http.ResponseWriter, *http.Request, *failure.Error)
}

// NewComputing returns bounds for some handlers. Clients take turns, and a request that has waited for
// maxWait gets an error by fail.
func NewComputing(maxWait time.Duration, clients *Clients, fail func(http.ResponseWriter, *http.Request, *failure.Error)) *Computing {
	return &Computing{NewLimiter(max(1, runtime.GOMAXPROCS(0)/4), maxWait, NewLimiterMetrics(promauto.With(nil))), clients, fail}
}

// Bound returns next within the bounds. Its answers are computed in memory, so that a slow client holds
// no slot.
func (c *Computing) Bound(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		slot, failed := c.limiter.Enter(r.Context(), c.clients.Of(r))
		defer slot.Leave()
		if failed != nil {
			c.fail(w, r, failed)
			return
		}
		answer := &computed{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(answer, r)
		slot.Leave()
		w.WriteHeader(answer.status)
		// An error means that the client is gone.
		_, _ = w.Write(answer.body.Bytes())
	})
}

// computed is a response that is not sent yet, except for its headers.
type computed struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

// WriteHeader implements [http.ResponseWriter].
func (c *computed) WriteHeader(status int) { c.status = status }

// Write implements [http.ResponseWriter].
func (c *computed) Write(p []byte) (int, error) { return c.body.Write(p) }
