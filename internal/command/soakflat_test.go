package command_test

import (
	"fmt"
	"math"
	"net/http"
	"os"
)

// gauged is something that a server must not take more and more of.
type gauged struct {
	name string
	read func(*soak, *life) float64
	// factor and follower, reader are how much more a later measure may be: times the
	// first, and added. Fetches of documents add to the follower's.
	factor           float64
	follower, reader float64
}

var (
	soakFiles      = gauged{"open files", (*soak).files, 1, 40, 8}
	soakGoroutines = gauged{"goroutines", (*soak).goroutines, 1, 700, 16}
	soakMemory     = gauged{"bytes of heap", (*soak).memory, 1.5, 64 << 20, 64 << 20}
)

// measure returns the measures of the follower and of the reader, without a load.
func (s *soak) measure(g gauged) (values [2]float64) {
	for i, l := range s.lives() {
		values[i] = g.read(s, l)
	}
	s.t.Logf("%s: follower %.0f, reader %.0f", g.name, values[0], values[1])
	return values
}

// flat waits until the measures are as the first ones were.
func (s *soak) flat(g gauged, first [2]float64) {
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

// memory is the heap at which the process collects garbage next: a multiple of what was in
// use at the last collection. That one began without a load.
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
