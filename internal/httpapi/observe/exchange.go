package observe

import (
	"bufio"
	"cmp"
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

// Exchange is a request and its answer, with the values for logs, metrics and traces.
type Exchange struct {
	http.ResponseWriter
	// id is the request's id.
	id    string
	began time.Time
	// Route is the group of the path, or [Stream].
	Route string
	// status is the answer's status, bytes the length of its body as sent.
	status int
	bytes  int64
	// Held is the memory reserved for the open request.
	Held *admit.Buffer
	// Chain is the chain at paths of the default chain, else that of the first operation, or "".
	Chain string

	mu sync.Mutex // guards the fields below
	// operations counts the prepared operations. name is the label of the first one, text its
	// document. cost is the sum of all costs.
	operations int
	name, text string
	cost       int
}

// Route groups, the values of the metric label "route".
const (
	GraphQL = "graphql"
	REST    = "rest"
	Page    = "page"
	Probe   = "probe"
	Other   = "other"
	// Stream is a request that waits for changes, whatever its path.
	Stream = "stream"
)

// exchangeKey is the context key of an *Exchange.
type exchangeKey struct{}

// Of returns the exchange in a context. Every request has one.
func Of(ctx context.Context) *Exchange {
	return ctx.Value(exchangeKey{}).(*Exchange)
}

// As records the route group of requests.
func As(route string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		Of(r.Context()).Route = route
		next.ServeHTTP(w, r)
	})
}

// CostHeader is the header field with the cost of a GraphQL request, the sum of its operations.
const CostHeader = "Mintburn-Cost"

// Note records a prepared operation: its chain, label, document and cost. It sets the cost's header if the
// request is GraphQL.
func (x *Exchange) Note(chain, label, text string, price int, graphQL bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.operations++; x.operations == 1 {
		x.Chain, x.name, x.text = cmp.Or(x.Chain, chain), label, text
	}
	x.cost = cost.Plus(x.cost, price)
	if graphQL {
		x.Header().Set(CostHeader, strconv.Itoa(x.cost))
	}
}

// WriteHeader implements [http.ResponseWriter].
func (x *Exchange) WriteHeader(status int) {
	x.status = status
	x.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (x *Exchange) Write(p []byte) (int, error) {
	n, err := x.ResponseWriter.Write(p)
	x.bytes += int64(n)
	return n, err
}

// Hijack implements [http.Hijacker], for WebSockets.
func (x *Exchange) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	x.status = http.StatusSwitchingProtocols
	return http.NewResponseController(x.ResponseWriter).Hijack()
}

// Unwrap lets [http.ResponseController] reach the wrapped writer.
func (x *Exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// IDHeader is the header of the request id, in requests and answers.
const IDHeader = "X-Request-Id"

// requestID returns the id that the client or a proxy sent, or a new one if the sent id is
// missing or unfit for logs.
func requestID(h http.Header) string {
	if given := h[IDHeader]; len(given) == 1 && isID(given[0]) {
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
// record, as "request", and the name of its chain, as "chain".
func WithRequestIDs(h slog.Handler) slog.Handler { return requestIDs{h} }

type requestIDs struct{ slog.Handler }

// Handle implements [slog.Handler].
func (h requestIDs) Handle(ctx context.Context, r slog.Record) error {
	if name := admit.ChainOf(ctx); name != "" {
		r.AddAttrs(slog.String("chain", name))
	}
	if x, ok := ctx.Value(exchangeKey{}).(*Exchange); ok {
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
