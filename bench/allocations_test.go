package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mintburn/internal/testing/expect"
)

var update = flag.Bool("update", false, "rewrite testdata/allocations.txt")

// allocationsFile holds a line for each workload: its path, and the allocations of one
// answer, from socket to socket.
var allocationsFile = filepath.Join("testdata", "allocations.txt")

// TestAllocations fails when an answer of the whole server takes over a tenth more
// allocations than recorded. Unlike times, they are the same on every machine.
// With -update it records the current numbers.
func TestAllocations(t *testing.T) {
	o := startOwn(t)
	was, err := readAllocations()
	if err != nil && !*update {
		t.Fatal(err)
	}
	var lines strings.Builder
	for i := range o.workloads {
		w := &o.workloads[i]
		bodies, n := o.bodies(t, w), 0
		got := testing.AllocsPerRun(len(bodies), func() {
			o.ask(t, bodies[n%len(bodies)])
			n++
		})
		fmt.Fprintf(&lines, "%s %.0f\n", w.Path, got)
		want, known := was[w.Path]
		t.Logf("%s: %.0f allocations an answer, %.0f before", w.Name, got, want)
		switch {
		case *update:
		case !known:
			t.Errorf("%s: not in %s: run make allocations", w.Name, allocationsFile)
		case grown(got, want):
			t.Errorf("%s: %.0f allocations an answer, want about %.0f: find out why, or run make allocations", w.Name, got, want)
		}
	}
	if *update {
		expect.NoError(t, os.WriteFile(allocationsFile, []byte(lines.String()), 0o644))
	}
}

// grown reports whether got is more than a tenth above want.
func grown(got, want float64) bool { return got > want*1.1 }

func TestGrown(t *testing.T) {
	for _, c := range []struct {
		got, want float64
		grown     bool
	}{{110, 100, false}, {111, 100, true}, {50, 100, false}} {
		if grown(c.got, c.want) != c.grown {
			t.Errorf("from %.0f to %.0f: want %t", c.want, c.got, c.grown)
		}
	}
}

func readAllocations() (map[string]float64, error) {
	text, err := os.ReadFile(allocationsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s does not exist: run make allocations", allocationsFile)
	}
	if err != nil {
		return nil, err
	}
	list := map[string]float64{}
	for line := range strings.Lines(string(text)) {
		var path string
		var n float64
		if _, err := fmt.Sscanf(line, "%s %f\n", &path, &n); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", allocationsFile, line, err)
		}
		list[path] = n
	}
	return list, nil
}
