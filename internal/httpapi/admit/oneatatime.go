package admit

import (
	"bytes"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promauto"

	"mintburn/internal/httpapi/failure"
)

// OneAtATime returns a handler that answers one request at a time by next. Clients take turns, and a
// request that has waited for maxWait gets an error by fail. Answers are computed in memory, so that a
// slow client holds nobody up.
func OneAtATime(maxWait time.Duration, clients *Clients, fail func(http.ResponseWriter, *http.Request, *failure.Error), next http.Handler) http.Handler {
	return oneAtATime{NewLimiter(1, maxWait, NewLimiterMetrics(promauto.With(nil))), clients, fail, next}
}

type oneAtATime struct {
	limiter *Limiter
	clients *Clients
	fail    func(http.ResponseWriter, *http.Request, *failure.Error)
	next    http.Handler
}

// ServeHTTP implements [http.Handler].
func (o oneAtATime) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	slot, failed := o.limiter.Enter(r.Context(), o.clients.Of(r))
	defer slot.Leave()
	if failed != nil {
		o.fail(w, r, failed)
		return
	}
	answer := &computed{ResponseWriter: w, status: http.StatusOK}
	o.next.ServeHTTP(answer, r)
	slot.Leave()
	w.WriteHeader(answer.status)
	// An error means that the client is gone.
	_, _ = w.Write(answer.body.Bytes())
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
