package command_test

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"mintburn/internal/chaintest"
)

// pageBody is a page as a front end asks for it.
const pageBody = `{"query":"{ mints(first: 20) { cursor page limit data { tokenAddress contractType tokenId blockHash blockNumber transactionHash logIndex from to amount operator timestamp blockTime } } }"}`

// BenchmarkServe_DuringSync asks one client's pages of a program that serves
// while it follows a chain at full speed, and again when it has caught up. The
// node is in this process, on the same machine.
func BenchmarkServe_DuringSync(b *testing.B) {
	node := chaintest.NewNode(b, chaintest.NodeOptions{})
	contents := chaintest.Default()
	contents.Blocks, contents.Records = 6_000, 50
	node.Generate(contents)
	for b.Loop() {
		base := serveProcess(b, "--rpc", node.URL, "--db", filepath.Join(b.TempDir(), "bench.db"))
		var during []time.Duration
		began := time.Now()
		for !strings.Contains(ask(b, base, `{"query":"{ chain { head { number } } }"}`), `"number":6000`) {
			for range 50 {
				start := time.Now()
				if text := ask(b, base, pageBody); strings.Contains(text, `"data":[{`) {
					during = append(during, time.Since(start))
				}
			}
		}
		took := time.Since(began)
		var rest []time.Duration
		for len(rest) < len(during) {
			start := time.Now()
			ask(b, base, pageBody)
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

// quantile returns the value below which a part of the list is.
func quantile(list []time.Duration, part float64) time.Duration {
	slices.Sort(list)
	return list[min(len(list)-1, int(part*float64(len(list))))]
}

func ask(b *testing.B, base, body string) string {
	answer, err := http.Post(base+"/graphql", "application/json", bytes.NewReader([]byte(body)))
	if err != nil {
		b.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		b.Fatal(err)
	}
	return string(text)
}

// serveProcess runs the program in a process of its own until the benchmark
// ends, and returns its address.
func serveProcess(b *testing.B, args ...string) (base string) {
	process := exec.Command("mintburn", append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	stderr, err := process.StderrPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := process.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = process.Process.Signal(syscall.SIGTERM)
		_ = process.Wait()
	})
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if found := endpointPattern.FindStringSubmatch(lines.Text()); found != nil {
			go func() { _, _ = io.Copy(io.Discard, stderr) }()
			return found[1]
		}
	}
	b.Fatal("the program ended before it served")
	return ""
}
