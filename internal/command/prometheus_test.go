package command_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// prometheus is a running Prometheus with the alerts, with seconds in place of minutes.
type prometheus struct {
	t    *testing.T
	base string
	// firing are the alerts that have fired so far.
	firing []string
}

// newPrometheus starts a Prometheus that scrapes servers.
func newPrometheus(t *testing.T, servers ...*server) *prometheus {
	t.Helper()
	folder := t.TempDir()
	rules, err := os.ReadFile(filepath.Join(root, "ops", "alerts.yaml"))
	expect.NoError(t, err)
	soon := regexp.MustCompile(`for: \d+m`).ReplaceAllString(string(rules), "for: 1s")
	soon = regexp.MustCompile(`\[\d+[mh]\]`).ReplaceAllString(soon, "[10s]")
	expect.NoError(t, os.WriteFile(filepath.Join(folder, "alerts.yaml"), []byte(soon), 0o644))
	var targets []string
	for _, s := range servers {
		targets = append(targets, strings.TrimPrefix(s.Base, "http://"))
	}
	list, err := json.Marshal(targets)
	expect.NoError(t, err)
	config := fmt.Sprintf("global: {scrape_interval: 500ms, scrape_timeout: 500ms, evaluation_interval: 500ms}\nscrape_configs:\n  - job_name: mintburn\n    static_configs: [{targets: %s}]\nrule_files: [alerts.yaml]\n", list)
	expect.NoError(t, os.WriteFile(filepath.Join(folder, "prometheus.yml"), []byte(config), 0o644))
	promtool(t, folder, "check", "config", "prometheus.yml")
	free, err := net.Listen("tcp", "127.0.0.1:0")
	expect.NoError(t, err)
	address := free.Addr().String()
	expect.NoError(t, free.Close())
	process := exec.CommandContext(t.Context(), "prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=data", "--web.listen-address="+address)
	process.Dir = folder
	process.Cancel = func() error { return process.Process.Signal(syscall.SIGTERM) }
	var said output
	process.Stderr = &said
	expect.NoError(t, process.Start())
	t.Cleanup(func() { _ = process.Wait() })
	p := &prometheus{t: t, base: "http://" + address}
	p.await("to start", func() bool {
		answer, err := http.Get(p.base + "/-/ready")
		if err != nil {
			return false
		}
		answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	})
	return p
}

// await waits for a condition, for at most two minutes.
func (p *prometheus) await(what string, holds func() bool) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), 2*time.Minute)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			p.t.Fatalf("waiting for Prometheus %s: %v", what, ctx.Err())
		}
	}
}

// ask runs a query and returns the labels of the selected series.
func (p *prometheus) ask(query string) (series []map[string]string) {
	p.t.Helper()
	answer, err := http.Get(p.base + "/api/v1/query?" + url.Values{"query": {query}}.Encode())
	expect.NoError(p.t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	expect.NoError(p.t, err)
	var got struct {
		Error string
		Data  struct {
			Result []struct{ Metric map[string]string }
		}
	}
	expect.NoError(p.t, json.Unmarshal(text, &got))
	if got.Error != "" {
		p.t.Errorf("%s: %s", query, got.Error)
	}
	for _, r := range got.Data.Result {
		series = append(series, r.Metric)
	}
	return series
}

// alerts returns the names of the firing alerts.
func (p *prometheus) alerts() (names []string) {
	for _, labels := range p.ask(`count by (alertname) (ALERTS{alertstate="firing"})`) {
		names = append(names, labels["alertname"])
	}
	slices.Sort(names)
	return names
}

// fires waits until cause fires a new alert. No other alert may fire, except earlier ones.
func (p *prometheus) fires(name string, cause func()) {
	p.t.Helper()
	if now := p.alerts(); slices.Contains(now, name) {
		p.t.Fatalf("%s fires without a cause: %v", name, now)
	}
	cause()
	p.await("to fire "+name, func() bool { return slices.Contains(p.alerts(), name) })
	p.firing = append(p.firing, name)
	p.leads(name)
	for _, other := range p.alerts() {
		if !slices.Contains(p.firing, other) {
			p.t.Errorf("%s fires as well as %v", other, p.firing)
		}
	}
}

// leads checks that each firing alert of a name leads to its section on its server.
func (p *prometheus) leads(name string) {
	p.t.Helper()
	answer, err := http.Get(p.base + "/api/v1/alerts")
	expect.NoError(p.t, err)
	defer answer.Body.Close()
	var got struct {
		Data struct {
			Alerts []struct{ Labels, Annotations map[string]string }
		}
	}
	expect.NoError(p.t, json.NewDecoder(answer.Body).Decode(&got))
	found := false
	for _, alert := range got.Data.Alerts {
		if alert.Labels["alertname"] == name {
			found = true
			expect.Equal(p.t, "runbook", runbook(alert.Labels["instance"], name), alert.Annotations["runbook_url"])
		}
	}
	if !found {
		p.t.Errorf("%s is not among the alerts", name)
	}
}

// TestAlerts_Fire runs a Prometheus that scrapes servers, some under load. Each panel of the
// dashboard must show data. The test causes the condition of each alert, which must fire, and
// no other. It runs with MINTBURN_ALERTS as root, because it takes two minutes and mounts a file
// system.
func TestAlerts_Fire(t *testing.T) {
	if os.Getenv("MINTBURN_ALERTS") == "" {
		t.Skip("MINTBURN_ALERTS is not set")
	}
	disk := t.TempDir()
	expect.NoError(t, syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=32m"))
	t.Cleanup(func() { unmount(t, disk) })
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	following := start(t, "serve", "--db", filepath.Join(disk, "x.db"), "--rpc", node.URL, "--from-block", "1", "--poll", "50ms",
		"--max-concurrency", "1", "--timeout", "1s")
	pg := pgtest.NewServer(t)
	importInto(t, pg.DSN, strings.NewReader(""), "-")
	reading, process, _ := startProcess(t, func(*exec.Cmd) {}, "--db", pg.DSN)
	p := newPrometheus(t, following, reading)
	load := func(s *server, clients int) (stop func()) {
		ctx, cancel := context.WithCancel(t.Context())
		var group errgroup.Group
		for range clients {
			group.Go(func() error {
				for ctx.Err() == nil {
					request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.Base+"/graphql", strings.NewReader(apitest.Request("query Load { mints(first: 1000) { totalItems data { id tokenId to } } }", "")))
					if err != nil {
						return err
					}
					request.Header.Set("Content-Type", "application/json")
					if answer, err := http.DefaultClient.Do(request); err == nil {
						_, _ = io.Copy(io.Discard, answer.Body)
						answer.Body.Close()
					}
				}
				return nil
			})
		}
		return func() { cancel(); expect.NoError(t, group.Wait()) }
	}
	stops := []func(){load(following, 1)}
	stopReading := load(reading, 2)
	p.await("to scrape both", func() bool {
		return len(p.ask("mintburn_database_up == 1")) == 2 && len(p.ask("mintburn_endpoint_up == 1")) == 1
	})
	if now := p.ask("ALERTS"); len(now) > 0 {
		t.Fatalf("without a cause: %v", now)
	}
	p.fires("MintburnLag", func() { node.Generate(contents(100, 20)) })
	p.dashboard()
	p.fires("MintburnLimiterFull", func() {
		stops = append(stops, load(following, 600))
	})
	p.fires("MintburnNodeGone", func() { node.Break(0, chaintest.Fault{Status: http.StatusServiceUnavailable}, nil) })
	p.fires("MintburnDiskNearlyFull", func() { fill(t, filepath.Join(disk, "rest")) })
	stopReading()
	p.fires("MintburnDatabaseGone", func() { pg.Stop(true) })
	p.fires("MintburnDown", func() { expect.NoError(t, process.Process.Kill()) })
	for _, stop := range stops {
		stop()
	}
	fired := append(newCauses(t).fire(), p.firing...)
	slices.Sort(fired)
	expect.Equal(t, "alerts", slices.Sorted(slices.Values(alertNames(t))), slices.Compact(fired))
}

// fill fills the disk with a new file.
func fill(t *testing.T, path string) {
	t.Helper()
	file, err := os.Create(path)
	expect.NoError(t, err)
	for block := make([]byte, 1<<20); err == nil; {
		_, err = file.Write(block)
	}
	expect.NoError(t, file.Close())
}

// dashboard runs the queries of each panel of the dashboard, until each panel has data.
func (p *prometheus) dashboard() {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "ops", "grafana.json"))
	expect.NoError(p.t, err)
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	expect.NoError(p.t, json.Unmarshal(text, &board))
	n := 0
	for _, panel := range board.Panels {
		for _, target := range panel.Targets {
			n++
			query := strings.NewReplacer("$instance", ".*", "$__rate_interval", "10s").Replace(target.Expr)
			p.await(fmt.Sprintf("to show %q: %s", panel.Title, query), func() bool { return len(p.ask(query)) > 0 })
		}
	}
	if n < 40 {
		p.t.Errorf("the dashboard has %d queries", n)
	}
}
