package httpapi

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Unavailable answers in place of the handler of [New] while there is no database
// yet: the process is alive, and all else is UNAVAILABLE.
func Unavailable() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", alive)
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) { notReady(w, "the database is not there yet") })
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		// A connection that is closed before its request was read may lose the
		// answer.
		_, _ = io.CopyN(io.Discard, r.Body, 256<<10)
		refused, b := unavailable(), &buffer{}
		media := legacyJSON
		if strings.HasPrefix(r.URL.Path, "/v1/") {
			writeREST(b, refused)
		} else {
			// Where no answer is acceptable, one of JSON says why.
			media, _ = negotiate(r.Header)
			// A refusal has no value that JSON can't hold.
			_ = outcome{refused: refused}.appendTo(b)
		}
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Content-Type", media.name()+"; charset=utf-8")
		w.Header().Set("Retry-After", refused.header["Retry-After"])
		w.WriteHeader(refused.status)
		_, _ = w.Write(b.Bytes())
	})
	return mux
}

func alive(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok\n"))
}

// notReady says why requests should not be sent here.
func notReady(w http.ResponseWriter, reason string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Retry-After", "1")
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = fmt.Fprintf(w, "not ready: %s\n", reason)
}
