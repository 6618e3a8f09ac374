package command_test

import (
	"fmt"
	"math"
	"net/http"
	"os"
)

// resource is something whose use by a server must not keep growing.
type resource struct {
	name string
	read func(*soak, *life) float64
	// A later measure may be the first one times factor, plus follower or reader. follower
	// is larger because it includes fetches of documents.
	factor           float64
	follower, reader float64
}

var (
	soakFiles      = resource{"open files", (*soak).files, 1, 40, 8}
	soakGoroutines = resource{"goroutines", (*soak).goroutines, 1, 700, 16}
	soakMemory     = resource{"bytes of heap", (*soak).memory, 1.5, 64 << 20, 64 << 20}
)

// measure returns the measures of the follower and the reader, without a load.
func (s *soak) measure(g resource) (values [2]float64) {
	for i, l := range s.lives() {
		values[i] = g.read(s, l)
	}
	s.t.Logf("%s: follower %.0f, reader %.0f", g.name, values[0], values[1])
	return values
}

// flat waits until the measures are within the bounds that the first ones allow.
func (s *soak) flat(g resource, first [2]float64) {
	s.t.Helper()
	for i, l := range s.lives() {
		most, now := first[i]*g.factor+[]float64{g.follower, g.reader}[i], 0.0
		defer func() {
			if now > most {
				s.t.Errorf("%s: %.0f, first %.0f, want at most %.0f", g.name, now, first[i], most)
			}
		}()
		until(s.t, func() bool {
			now = g.read(s, l)
			return now <= most
		})
	}
}

func (s *soak) files(l *life) float64 {
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", l.process.Process.Pid))
	if err != nil {
		s.t.Fatal(err)
	}
	return float64(len(open))
}

func (s *soak) goroutines(l *life) float64 {
	return metric(s.t, l.Send(s.t, http.MethodGet, "/metrics", "").Body, "go_goroutines")
}

// memory returns the heap size at which the process will next collect garbage, a multiple of
// the memory in use at the last collection. That collection began without a load.
func (s *soak) memory(l *life) (bytes float64) {
	for began, now := math.Inf(1), 0.0; now < began+2; {
		for range 10 {
			l.Get(s.t, "{ mints(first: 1000) { data { "+transferFields()+" } } }", "")
		}
		text := l.Send(s.t, http.MethodGet, "/metrics", "").Body
		now, bytes = metric(s.t, text, "go_gc_duration_seconds_count"), metric(s.t, text, "go_memstats_next_gc_bytes")
		began = min(began, now)
	}
	return bytes
}
