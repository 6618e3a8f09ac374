package command_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// BenchmarkSync syncs 1,000,000 records, 20,000 blocks of 50, from a node in this
// process. The node shares the machine with the program, which bounds the rate. It
// reports the CPU time of the program, its memory after 2,000 and after all blocks,
// and its number of calls, which are batched into requests.
func BenchmarkSync(b *testing.B) {
	const blocks, perBlock = 20_000, 50
	node := chaintest.NewNode(b, chaintest.NodeOptions{})
	node.Generate(contents(blocks, perBlock))
	for b.Loop() {
		_, few := syncProcess(b, node.URL, "--to-block", "2000")
		callsBefore, requestsBefore := node.AllCalls()
		start := time.Now()
		took, many := syncProcess(b, node.URL)
		calls, requests := node.AllCalls()
		b.ReportMetric(blocks*perBlock/time.Since(start).Seconds(), "records/s")
		b.ReportMetric(took.Seconds()/(blocks*perBlock)*1e6, "cpu-us/record")
		b.ReportMetric(float64(calls-callsBefore), "calls")
		b.ReportMetric(float64(requests-requestsBefore), "requests")
		b.ReportMetric(few, "MiB-2000")
		b.ReportMetric(many, "MiB-20000")
	}
}

// syncProcess syncs a fresh database in a separate process, and returns the CPU time
// and the peak memory of the process, in MiB.
func syncProcess(b testing.TB, url string, flags ...string) (cpu time.Duration, memory float64) {
	db := filepath.Join(b.TempDir(), "bench.db")
	command := exec.Command("mintburn", append([]string{"sync", "--once", "--rpc", url, "--db", db}, flags...)...)
	var said bytes.Buffer
	command.Stderr = &said
	expect.NoError(b, command.Start())
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	for {
		// The usage that the system reports at exit includes the memory of this
		// process, from which the other one was forked.
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", command.Process.Pid))
		if _, line, ok := strings.Cut(string(status), "VmHWM:"); ok {
			var kib float64
			if _, err := fmt.Sscan(line, &kib); err == nil {
				memory = max(memory, kib/1024)
			}
		}
		select {
		case err := <-ended:
			if err != nil {
				b.Fatalf("%v: %s", err, said.String())
			}
			return command.ProcessState.UserTime() + command.ProcessState.SystemTime(), memory
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// pageBody is a front end's request for a page.
var pageBody = apitest.Request("{ mints(first: 20) { cursor page limit data { "+apitest.Fields("Transfer")+" } } }", "")

// BenchmarkServe_DuringSync requests pages with one client from a program that follows
// a chain at full speed, and again when it has caught up. The node and the program run
// in this process.
func BenchmarkServe_DuringSync(b *testing.B) {
	node := chaintest.NewNode(b, chaintest.NodeOptions{})
	node.Generate(contents(6_000, 50))
	for b.Loop() {
		s := start(b, "serve", "--rpc", node.URL, "--db", filepath.Join(b.TempDir(), "bench.db"))
		var during []time.Duration
		began := time.Now()
		for !s.headIs(b, 6_000) {
			for range 50 {
				start := time.Now()
				if got := s.Post(b, pageBody); strings.Contains(got.Body, `"data":[{`) {
					during = append(during, time.Since(start))
				}
			}
		}
		took := time.Since(began)
		var rest []time.Duration
		for len(rest) < len(during) {
			start := time.Now()
			s.Post(b, pageBody)
			rest = append(rest, time.Since(start))
		}
		for name, at := range map[string]float64{"p50": 0.5, "p99": 0.99} {
			busy, idle := quantile(during, at), quantile(rest, at)
			b.ReportMetric(float64(idle.Microseconds()), name+"-rest-µs")
			b.ReportMetric(float64(busy.Microseconds()), name+"-sync-µs")
			b.ReportMetric(float64(busy)/float64(idle), name+"-ratio")
		}
		b.ReportMetric(6_000*50/took.Seconds(), "records/s")
		b.ReportMetric(float64(len(during))/took.Seconds(), "pages/s")
	}
}

// quantile returns the value below which the given part of the list lies.
func quantile(list []time.Duration, part float64) time.Duration {
	slices.Sort(list)
	return list[min(len(list)-1, int(part*float64(len(list))))]
}
