package measure_test

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"mintburn/bench/measure"
	"mintburn/internal/testing/expect"
)

// TestMain lets the test binary act as a server.
func TestMain(m *testing.M) {
	if os.Getenv("MEASURE_SERVER") == "" {
		os.Exit(m.Run())
	}
	memory := make([]byte, 64<<20)
	for i := 0; i < len(memory); i += 4096 {
		memory[i] = 1
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(os.Stderr, "noise\nserving http://%s/\n", listener.Addr())
	_ = http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/bad" {
			fmt.Fprintf(w, `{"errors":[%d]}`, memory[0])
			return
		}
		for start := time.Now(); time.Since(start) < 2*time.Millisecond; {
			// This uses processor time.
			memory[1]++
		}
		fmt.Fprint(w, `{"data":{}}`)
	}))
}

func server(t *testing.T) *measure.Process {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "MEASURE_SERVER=1")
	p, err := measure.Start(cmd)
	expect.NoError(t, err)
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func TestRun(t *testing.T) {
	p, idle := server(t), server(t)
	others := idle.Others()
	seen := make([]int, 10)
	body := func(dst []byte, n int) []byte {
		if n < len(seen) {
			seen[n]++ // Each is sent by one client only.
		}
		return fmt.Append(dst, n)
	}
	r, err := p.Run(measure.Load{Path: "/good", Body: body, Clients: 2, For: 200 * time.Millisecond})
	expect.NoError(t, err)
	for n, times := range seen {
		if times != 1 {
			t.Errorf("request %d was sent %d times", n, times)
		}
	}
	// An answer takes 2 ms, and 2 ms of processor time unless another process has the
	// processor.
	if r.P50 < 2*time.Millisecond || r.P99 < r.P50 || r.CPU <= 0 || r.CPU > 10*time.Millisecond {
		t.Errorf("got %+v", r)
	}
	// The idle server's others include p. The kernel's sums are rounded to 10 ms.
	used := (r.CPU*time.Duration(r.Requests) - 50*time.Millisecond).Seconds() / 0.2 / float64(runtime.NumCPU())
	if share, err := others(); err != nil || share < used/2 || share > 1 {
		t.Errorf("others used %.2f of the processors, %v: want at least %.2f", share, err, used/2)
	}
	if memory, err := p.Memory(); err != nil || memory < 64<<20 || memory > 256<<20 {
		t.Errorf("%d bytes, %v: want a little more than 64 MiB", memory, err)
	}
}

func TestRun_AnErrorFails(t *testing.T) {
	p := server(t)
	body := func(dst []byte, _ int) []byte { return append(dst, "body"...) }
	_, err := p.Run(measure.Load{Path: "/bad", Body: body, Clients: 2, For: time.Hour})
	if err == nil || !strings.Contains(err.Error(), `{"errors":[1]}`) {
		t.Errorf("got %v", err)
	}
}

func TestStart_EndsBeforeItServes(t *testing.T) {
	_, err := measure.Start(exec.Command("sh", "-c", "echo no luck >&2; exit 3"))
	if err == nil || !strings.Contains(err.Error(), "no luck") {
		t.Errorf("got %v", err)
	}
}
