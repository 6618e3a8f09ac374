package command_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// TestMetrics_Following checks the metrics of the follower, of a reorg's depth, of the disk,
// and of each node, even if two nodes share a host.
func TestMetrics_Following(t *testing.T) {
	t.Parallel()
	skipShort(t, "follows a node")
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	node.MineEmpty(100)
	s := start(t, "serve", "--db", filepath.Join(t.TempDir(), "x.db"), "--rpc", node.URL+"/first", "--rpc", node.URL+"/second", "--poll", "10ms")
	awaitMetric(t, s, "mintburn_head_block 100$")
	awaitMetric(t, s, "mintburn_follower_blocks_total 101$")
	node.Reorg(3, make([][][]evm.Log, 5)...)
	awaitMetric(t, s, "mintburn_head_block 102$")
	awaitMetric(t, s, "mintburn_endpoint_up")
	got := s.Send(t, http.MethodGet, "/metrics", "").Body
	for _, line := range []string{
		`reorg_depth_blocks_bucket{le="2"} 0`, `reorg_depth_blocks_bucket{le="3"} 1`, `reorg_depth_blocks_sum 3`,
		`endpoint_up{endpoint="` + node.URL + `/…"} 1`, `endpoint_up{endpoint="` + node.URL + `/… (2)"} 1`, `metadata_due_tokens 0`, `errors_total{code="INTERNAL"} 0`,
	} {
		if !strings.Contains(got, "\nmintburn_"+line+"\n") {
			t.Errorf("/metrics has no %s: %s", line, regexp.MustCompile(`(?m)^mintburn_endpoint.*$`).FindAllString(got, -1))
		}
	}
	var free, size float64
	for name, into := range map[string]*float64{"disk_free_bytes": &free, "disk_bytes": &size} {
		_, text, _ := strings.Cut(got, "\nmintburn_"+name+" ")
		_, err := fmt.Sscan(text, into)
		expect.NoError(t, err)
	}
	if free <= 0 || size < free || size < 1<<20 {
		t.Errorf("%v of %v bytes are free", free, size)
	}
}

// TestNoSecrets checks that node keys, the database password and client input never appear in
// log lines, metrics, responses or the process title, even when everything fails.
func TestNoSecrets(t *testing.T) {
	skipShort(t, "runs on PostgreSQL")
	t.Parallel()
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	node.MineEmpty(3)
	host := strings.TrimPrefix(node.URL, "http://")
	dsn := strings.Replace(pgtest.DSN(t), "@", ":SECRETpassword@", 1)
	if !strings.Contains(dsn, "SECRET") {
		t.Fatalf("%s has no user", dsn)
	}
	s, process, _ := startProcess(t, func(p *exec.Cmd) {
		p.Env = append(os.Environ(), "MINTBURN_DB="+dsn, "MINTBURN_RPC=http://127.0.0.1:1/SECRETgone,http://SECRETuser:SECRETpass@"+host+"/SECRETpath?key=SECRETquery",
			"MINTBURN_ACCESS_LOG=1", "MINTBURN_POLL=10ms", "OTEL_EXPORTER_OTLP_ENDPOINT=http://SECRETuser:SECRETpass@127.0.0.1:1/SECRETpath", "OTEL_EXPORTER_OTLP_HEADERS=key=SECRETheader")
	})
	awaitMetric(t, s, `mintburn_endpoint_up\{endpoint="http://127.0.0.1:1/…"\} 0`)
	for _, sent := range [][3]string{
		{http.MethodPost, "/graphql?SECRET=SECRET", apitest.Request(`query Good($a: String = "SECRET") { __typename @include(if: true) a: chain { lag } }`, `{"a":"SECRET"}`)},
		{http.MethodPost, "/graphql", apitest.Request(`query Wrong { mints(address: "0xdeadSECRET") { page } }`, "")},
		{http.MethodGet, "/v1/nft/SECRET/burns?from_block=SECRET", ""},
		{http.MethodGet, "/SECRET", ""},
		{"SECRET", "/graphql", ""},
	} {
		s.Send(t, sent[0], sent[1], sent[2], "Authorization", "Bearer SECRET", "Cookie", "k=SECRET", "X-Api-Key", "SECRET", "User-Agent", "SECRET", "Referer", "http://SECRET")
	}
	node.Break(0, chaintest.Fault{Status: http.StatusUnauthorized, Body: "no key SECRETpath"}, nil)
	awaitMetric(t, s, `mintburn_endpoint_up\{endpoint="http://`+regexp.QuoteMeta(host)+`/…"\} 0`)
	endpoints, title := s.Ask(t, "{ chain { endpoints { url lastError } } }", "").Text, ""
	for _, name := range []string{"cmdline", "comm", "status"} {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", process.Process.Pid, name))
		expect.NoError(t, err)
		title += string(text)
	}
	for what, text := range map[string]string{
		"the log": s.output.String(), "/metrics": s.Send(t, http.MethodGet, "/metrics", "").Body, "/readyz": s.Send(t, http.MethodGet, "/readyz", "").Body,
		"the state of the chain": endpoints, "the process's title": title,
	} {
		if !strings.Contains(text, "mintburn") && !strings.Contains(text, "http") && !strings.Contains(text, "ready") {
			t.Errorf("%s is %q", what, text)
		}
		if at := strings.Index(text, "SECRET"); at >= 0 {
			t.Errorf("%s contains a secret: %s", what, text[max(0, at-300):min(len(text), at+100)])
		}
	}
	if n := strings.Count(s.output.String(), "msg=request "); n != 6 {
		t.Errorf("%d of 6 requests are logged: %s", n, s.output)
	}
	expect.NoError(t, process.Process.Kill())
}
