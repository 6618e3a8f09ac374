package admit

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"mintburn/internal/httpapi/failure"
	"mintburn/internal/testing/expect"
)

// stalled is a client that receives nothing until it is closed.
type stalled struct {
	*httptest.ResponseRecorder
	until chan struct{}
}

func (s stalled) Write(p []byte) (int, error) {
	<-s.until
	return s.ResponseRecorder.Write(p)
}

// TestOneAtATime checks that a client with many requests has its next turn after another one, and that
// one that receives nothing holds nobody up.
func TestOneAtATime(t *testing.T) {
	clients, err := NewClients(nil, slog.New(slog.DiscardHandler))
	expect.NoError(t, err)
	entered, leave := make(chan string), make(chan struct{})
	fail := func(w http.ResponseWriter, _ *http.Request, failed *failure.Error) { w.WriteHeader(failed.Status) }
	handler := OneAtATime(time.Minute, clients, fail, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		entered <- r.RemoteAddr
		<-leave
		w.Header().Set("X", "1")
		w.WriteHeader(http.StatusTeapot)
		_, _ = w.Write([]byte("tea"))
	}))
	answers := make(chan *httptest.ResponseRecorder, 100)
	ask := func(address string, until chan struct{}) {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = address
		w := stalled{httptest.NewRecorder(), until}
		handler.ServeHTTP(w, r)
		answers <- w.ResponseRecorder
	}
	now, never := make(chan struct{}), make(chan struct{})
	close(now)
	go ask("192.0.2.1:1", never)
	<-entered
	for range 3 {
		go ask("192.0.2.1:1", never)
	}
	go ask("192.0.2.2:1", now)
	// All wait before the first has left.
	for waiting := 0; waiting < 4; _, waiting = handler.(oneAtATime).limiter.state() {
		runtime.Gosched()
	}
	leave <- struct{}{}
	if first := <-entered; first != "192.0.2.2:1" {
		t.Errorf("the next turn is that of %s", first)
	}
	leave <- struct{}{}
	got := <-answers
	expect.Equal(t, "answer", []any{http.StatusTeapot, "tea", "1"}, []any{got.Code, got.Body.String(), got.Header().Get("X")})
	close(never)
	close(leave)
	for range 3 {
		<-entered
	}
	for range 4 {
		<-answers
	}
}
