package console

import (
	"bytes"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestWindow checks that rates are those of the last span, and never negative.
func TestWindow(t *testing.T) {
	start := time.Unix(1_700_000_000, 0)
	w := Window{Span: 30 * time.Second}
	for i, c := range []struct {
		second       int
		count, grown int64
		seconds      float64
	}{
		{0, 0, 0, 0}, {10, 1000, 1000, 10}, {30, 3000, 3000, 30}, {40, 3010, 2010, 30}, {60, 3020, 20, 30}, {200, 3020, 0, 140}, {210, 2000, 0, 150}, {205, 2000, 0, 145}, {100, 2000, 0, 40},
	} {
		grown, seconds := w.Since(start.Add(time.Duration(c.second)*time.Second), c.count)
		if grown[0] != c.grown || seconds != c.seconds {
			t.Errorf("sample %d: grown by %d in %g s, want %d in %g s", i, grown[0], seconds, c.grown, c.seconds)
		}
	}
}

// TestProgress_Bounds checks that no line has more than 100 percent or a negative time, even if
// the work grows or shrinks.
func TestProgress_Bounds(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]int64{{150, 100}, {50, 100}, {100, 100}, {1 << 40, 1}, {7, -3}} {
		var stderr bytes.Buffer
		shown := Console{Log: slog.New(slog.NewTextHandler(&stderr, nil)), Every: time.Nanosecond}
		NewProgress(shown, "bytes", func() (int64, int64) { return c[0], c[1] }).Stop()
		if text := stderr.String(); !strings.Contains(text, "bytes=") || regexp.MustCompile(`percent=(-|[2-9]\d\d|1[1-9]\d|10[1-9]|\d{4})|eta=-|second=-`).MatchString(text) {
			t.Errorf("%v: %s", c, text)
		}
	}
}
