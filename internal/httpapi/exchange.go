package httpapi

import (
	"bufio"
	"context"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/cost"
)

// exchange is a request and its answer, with the values for logs, metrics and traces.
type exchange struct {
	http.ResponseWriter
	// id is the request's id.
	id    string
	began time.Time
	// route is the group of the path: graphql, rest, page, probe or other. It is stream for a
	// request that waits for changes.
	route string
	// status is the answer's status, bytes the length of its body as sent.
	status int
	bytes  int64
	// held is the memory reserved for the open request.
	held *admit.Buffer

	mu sync.Mutex // guards the fields below
	// operations counts the prepared operations. name is the label of the first one, text its
	// document. cost is the sum of all costs.
	operations int
	name, text string
	cost       int
}

// Route groups, the values of the metric label "route".
const (
	routeGraphQL = "graphql"
	routeREST    = "rest"
	routePage    = "page"
	routeProbe   = "probe"
	routeOther   = "other"
	routeStream  = "stream"
)

// exchangeKey is the context key of an *exchange.
type exchangeKey struct{}

// exchangeOf returns the exchange in a context. Every request has one.
func exchangeOf(ctx context.Context) *exchange {
	return ctx.Value(exchangeKey{}).(*exchange)
}

// as records the route group of requests.
func as(route string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		exchangeOf(r.Context()).route = route
		next.ServeHTTP(w, r)
	})
}

// observe assigns each request its id, and counts and logs it once it is answered.
func (e *endpoint) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := &exchange{ResponseWriter: w, id: requestID(r.Header), began: time.Now(), route: routeOther, status: http.StatusOK}
		w.Header()[idHeader] = []string{x.id}
		ctx := context.WithValue(r.Context(), exchangeKey{}, x)
		var end func(route string, status int)
		if e.Tracer != nil {
			ctx, end = e.Tracer.Request(ctx, r.Header, methodOf(r), x.id)
		}
		r = r.WithContext(ctx)
		// A stream that the server aborts is a request too.
		defer func() {
			if end != nil {
				end(matched(r), x.status)
			}
			took := time.Since(x.began)
			e.metrics.seconds.WithLabelValues(x.route).Observe(took.Seconds())
			e.metrics.requests.WithLabelValues(x.route, strconv.Itoa(x.status)).Inc()
			if e.accessLog != nil {
				e.accessLog.write(x, r, took)
			}
		}()
		next.ServeHTTP(x, r)
	})
}

// costHeader is the header field with the cost of a GraphQL request, the sum of its operations.
const costHeader = "Mintburn-Cost"

// note records a prepared operation, and sets the cost's header if it is GraphQL.
func (x *exchange) note(o operation) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.operations++; x.operations == 1 {
		x.name, x.text = o.label(), o.document.Text
	}
	x.cost = cost.Plus(x.cost, o.cost)
	if o.document.Route == "" {
		x.Header().Set(costHeader, strconv.Itoa(x.cost))
	}
}

// WriteHeader implements [http.ResponseWriter].
func (x *exchange) WriteHeader(status int) {
	x.status = status
	x.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (x *exchange) Write(p []byte) (int, error) {
	n, err := x.ResponseWriter.Write(p)
	x.bytes += int64(n)
	return n, err
}

// Hijack implements [http.Hijacker], for WebSockets.
func (x *exchange) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	x.status = http.StatusSwitchingProtocols
	return http.NewResponseController(x.ResponseWriter).Hijack()
}

// Unwrap lets [http.ResponseController] reach the wrapped writer.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// idHeader is the header of the request id, in requests and answers.
const idHeader = "X-Request-Id"

// requestID returns the id that the client or a proxy sent, or a new one if the sent id is
// missing or unfit for logs.
func requestID(h http.Header) string {
	if given := h[idHeader]; len(given) == 1 && isID(given[0]) {
		return given[0]
	}
	// The highest bit ensures 16 digits.
	return strconv.FormatUint(rand.Uint64()|1<<63, 16)
}

// longestID is the maximum length of a client's request id, in bytes.
const longestID = 128

// isID reports whether a text consists of 1 to longestID letters, digits and ._~:/+=-.
func isID(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '-' <= c && c <= ':', c == '_', c == '~', c == '+', c == '=':
		default:
			return false
		}
	}
	return text != "" && len(text) <= longestID
}

// WithRequestIDs returns a log handler that adds the request id in a record's context to the
// record, as "request".
func WithRequestIDs(h slog.Handler) slog.Handler { return requestIDs{h} }

type requestIDs struct{ slog.Handler }

// Handle implements [slog.Handler].
func (h requestIDs) Handle(ctx context.Context, r slog.Record) error {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		r.AddAttrs(slog.String("request", x.id))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements [slog.Handler].
func (h requestIDs) WithAttrs(attrs []slog.Attr) slog.Handler {
	return requestIDs{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements [slog.Handler].
func (h requestIDs) WithGroup(name string) slog.Handler {
	return requestIDs{h.Handler.WithGroup(name)}
}
