package httpapi

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strconv"
)

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
