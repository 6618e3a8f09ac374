package observe

import (
	"log/slog"
	"math"
	"net/http"
	"sync/atomic"
	"time"

	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/parse"
)

// AccessLog selects the logged requests. The zero value logs none.
type AccessLog struct {
	// Rate is the fraction of requests that are logged, 0 to 1.
	Rate float64
	// Slow, if not 0, is the duration from which a request is always logged.
	Slow time.Duration
}

// accessLog writes one line for each selected request.
type accessLog struct {
	AccessLog
	log     *slog.Logger
	clients *admit.Clients
	seen    atomic.Uint64
}

// wants reports whether to log a request of a duration. Sampling is exact: of n requests it
// selects floor(n × rate).
func (l *accessLog) wants(took time.Duration) bool {
	n := float64(l.seen.Add(1))
	return math.Floor(n*l.Rate) > math.Floor((n-1)*l.Rate) || l.Slow > 0 && took >= l.Slow
}

// write logs an answered request, unless it is a probe. The only client-supplied texts in the
// line are the request id and the name of a valid operation, because documents, variables and
// query strings may contain secrets.
func (l *accessLog) write(x *Exchange, r *http.Request, took time.Duration) {
	if x.Route == Probe || !l.wants(took) {
		return
	}
	line := []slog.Attr{slog.String("client", l.clients.Of(r).String())}
	if name := admit.KeyName(r.Context()); name != "" {
		line = append(line, slog.String("key", name))
	}
	line = append(line, slog.String("method", methodOf(r)), slog.String("route", x.Route))
	x.mu.Lock()
	chain, name, text, operations, cost := x.Chain, x.name, x.text, x.operations, x.cost
	x.mu.Unlock()
	if chain != "" && admit.ChainOf(r.Context()) == "" {
		line = append(line, slog.String("chain", chain))
	}
	if operations > 0 {
		line = append(line, slog.String("operation", failure.Brief(name, longestName)), slog.String("hash", parse.Hash(text)), slog.Int("cost", cost))
	}
	if operations > 1 {
		line = append(line, slog.Int("operations", operations))
	}
	line = append(line, slog.Int("status", x.status), slog.Int64("bytes", x.bytes), slog.Float64("ms", float64(took.Microseconds())/1000))
	l.log.LogAttrs(r.Context(), slog.LevelInfo, "request", line...)
}

// methodOf returns a request's method, or _OTHER for an unsupported one, as OpenTelemetry's
// conventions prescribe.
func methodOf(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodOptions:
		return r.Method
	default:
		return "_OTHER"
	}
}
