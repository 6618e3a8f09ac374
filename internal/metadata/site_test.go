package metadata_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mintburn/internal/testing/chaintest"
)

// site is a web server that replays recorded answers.
type site struct {
	*httptest.Server
	// sent counts the body bytes that were sent.
	sent atomic.Int64

	// mu guards asked.
	mu      sync.Mutex
	asked   map[string]int
	answers map[string]siteAnswer
}

// recordedSite starts a server for the recorded site.
func recordedSite(t *testing.T) *site {
	t.Helper()
	answers := map[string]siteAnswer{}
	for _, answer := range chaintest.Values[siteAnswer](t, "metadata/site.ndjson.gz") {
		answers[answer.Path] = answer
	}
	return newSite(t, answers)
}

func newSite(t *testing.T, answers map[string]siteAnswer) *site {
	t.Helper()
	s := &site{asked: map[string]int{}, answers: answers}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// ServeHTTP implements [http.Handler].
func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	answer, known := s.answers[r.URL.Path]
	if n := len(answer.Sequence); n > 0 {
		answer = answer.Sequence[min(s.asked[r.URL.Path], n-1)]
	}
	s.asked[r.URL.Path]++
	s.mu.Unlock()
	if !known {
		http.NotFound(w, r)
		return
	}
	if answer.DelayMs > 0 && !wait(r, answer.DelayMs) {
		return
	}
	// Keep net/http from guessing a Content-Type.
	w.Header()["Content-Type"] = nil
	for name, value := range answer.Headers {
		w.Header().Set(name, value)
	}
	w.WriteHeader(answer.Status)
	var out io.Writer = counted{w, &s.sent}
	switch {
	case answer.Fill != nil && answer.Fill.Gzip:
		packed := gzip.NewWriter(out)
		defer packed.Close()
		answer.fill(packed)
	case answer.Fill != nil:
		answer.fill(out)
	default:
		body := []byte(answer.Body)
		if answer.BodyBase64 != nil {
			body = answer.BodyBase64
		}
		if answer.DripMs == 0 {
			out.Write(body)
			return
		}
		for i := range body {
			out.Write(body[i : i+1])
			w.(http.Flusher).Flush()
			if !wait(r, answer.DripMs) {
				return
			}
		}
	}
}

// fill writes a generated body.
func (a siteAnswer) fill(w io.Writer) {
	const atOnce = 4096
	io.WriteString(w, a.Fill.Prefix)
	chunk := []byte(strings.Repeat(a.Fill.Repeat, atOnce))
	for sent := 0; a.Fill.Times == nil || sent < *a.Fill.Times; sent += atOnce {
		if a.Fill.Times != nil {
			chunk = chunk[:len(a.Fill.Repeat)*min(atOnce, *a.Fill.Times-sent)]
		}
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
	io.WriteString(w, a.Fill.Suffix)
}

// wait waits and reports whether the client is still connected.
func wait(r *http.Request, ms int) bool {
	timer := time.NewTimer(time.Duration(ms) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	}
}

type counted struct {
	w    io.Writer
	sent *atomic.Int64
}

// Write implements [io.Writer].
func (c counted) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.sent.Add(int64(n))
	return n, err
}
