package command_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// steady sends operations for a chain, at its path and at /graphql, until stop is called, which fails the
// test if one of them failed.
func steady(t *testing.T, s *server, name string) (stop func()) {
	t.Helper()
	stopped, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for sent := 0; ; sent++ {
			select {
			case <-stopped:
				if sent == 0 {
					t.Error("nothing was sent")
				}
				return
			default:
			}
			for _, at := range []string{s.Base + "/" + name, s.Base} {
				body := onChain("{ chain { head { number } } mints(last: 3, partial: true) { totalItems data { id } } }", name)
				response, err := http.Post(at+"/graphql", apitest.JSON, strings.NewReader(body))
				if err != nil {
					t.Error(err)
					return
				}
				answer := make([]byte, 1_000)
				n, _ := response.Body.Read(answer)
				_ = response.Body.Close()
				if text := string(answer[:n]); response.StatusCode != http.StatusOK || strings.Contains(text, `"errors"`) {
					t.Errorf("%s: status %d: %s", at, response.StatusCode, text)
				}
			}
		}
	}()
	return sync.OnceFunc(func() {
		close(stopped)
		<-ended
	})
}

// named returns the administrator's URL of the server of a database, and the database's name.
func named(t *testing.T, dsn string) (admin, name string) {
	t.Helper()
	u, err := url.Parse(dsn)
	expect.NoError(t, err)
	name = strings.TrimPrefix(u.Path, "/")
	u.Path = "/postgres"
	return u.String(), name
}

// TestServe_ChainsFail takes its node, its database, its network or its file from each chain but one, which
// answers and follows all the time. All come back.
func TestServe_ChainsFail(t *testing.T) {
	t.Parallel()
	skipShort(t, "runs on PostgreSQL")
	dropped, frozen := pgtest.DSN(t), pgtest.NewProxy(t)
	admin, name := named(t, dropped)
	file := filepath.Join(t.TempDir(), "file.db")
	databases := map[string]string{"well": filepath.Join(t.TempDir(), "well.db"), "node": filepath.Join(t.TempDir(), "node.db"), "dropped": dropped, "frozen": frozen.DSN, "file": file}
	nodes, args := map[string]*chaintest.Node{}, []string{"serve", "--poll", "10ms", "--no-metadata", "--timeout", "1s", "--default-chain", "frozen"}
	for i, k := range []string{"well", "node", "dropped", "frozen", "file"} {
		nodes[k] = chaintest.NewNode(t, chaintest.NodeOptions{ChainID: uint64(i) + 1})
		nodes[k].Generate(contents(70, 5))
		args = append(args, "--chain", k+"="+databases[k], "--rpc", k+"="+nodes[k].URL)
	}
	// The database that takes the place of the dropped one.
	mustRun(t, "sync", "--once", "--db", dropped, "--rpc", nodes["dropped"].URL, "--no-metadata")
	change(t, admin, "CREATE DATABASE "+name+"saved TEMPLATE "+name)
	s := start(t, args...)
	for k := range nodes {
		until(t, func() bool { return s.at("/"+k).headIs(t, 70) })
	}
	if strings.Contains(s.output.String(), "same chain id") {
		t.Errorf("it logged %s", s.output)
	}
	stop := steady(t, s, "well")
	defer stop()
	nodes["node"].Break(0, chaintest.Fault{Close: true}, nil)
	change(t, admin, "DROP DATABASE "+name+" WITH (FORCE)")
	frozen.Freeze()
	expect.NoError(t, os.Rename(file, file+".away"))
	for _, node := range nodes {
		node.MineEmpty(1)
	}
	until(t, func() bool { return s.at("/well").headIs(t, 71) })
	for range 2 {
		got := s.at("/dropped").Post(t, apitest.Request("{ chain { head { number } } }", ""))
		if got.OnlyError(t, "UNAVAILABLE"); got.Status != http.StatusServiceUnavailable {
			t.Errorf("a dropped database: status %d: %s", got.Status, got.Body)
		}
	}
	const query = "{ chain { head { number } } }"
	answers := s.Batch(t, apitest.BatchOf(onChain(query, "well"), onChain(query, ""), onChain(query, "dropped"), onChain(query, "node")))
	for i, want := range map[int]int{0: 71, 3: 70} {
		expect.Equal(t, "an element", fmt.Sprintf(`{"data":{"chain":{"head":{"number":%d}}}}`, want), answers[i].Text)
	}
	answers[1].OnlyError(t, "TIMEOUT")
	answers[2].OnlyError(t, "UNAVAILABLE")
	readiness := regexp.MustCompile(`^well: ready\nnode: ready\ndropped: not ready: [^\n]+\nfrozen: not ready: no answer\nfile: not ready: the database file was deleted[^\n]*\n$`)
	if got := s.Send(t, http.MethodGet, "/readyz", ""); got.Status != http.StatusOK || !readiness.MatchString(got.Body) {
		t.Errorf("/readyz: status %d: %s", got.Status, got.Body)
	}
	var list struct {
		Chains []struct {
			Name      string
			Head      *struct{ Number int }
			Ready     bool
			Following bool
			Reason    *string
		}
	}
	apitest.Decode(t, s.Send(t, http.MethodGet, "/chains", "").Body, &list)
	for i, want := range []struct {
		head  int
		ready bool
	}{{71, true}, {70, true}, {0, false}, {0, false}, {70, false}} {
		k, head := list.Chains[i], 0
		if k.Head != nil {
			head = k.Head.Number
		}
		if head != want.head || k.Ready != want.ready || k.Ready != (k.Reason == nil) {
			t.Errorf("/chains: %s: head %d, ready %t", k.Name, head, k.Ready)
		}
	}
	metrics := s.Send(t, http.MethodGet, "/metrics", "").Body
	for _, want := range []string{`mintburn_head_block{chain="well"} 71`, `mintburn_database_up{chain="well"} 1`, `mintburn_database_up{chain="dropped"} 0`, `mintburn_database_up{chain="frozen"} 0`, `mintburn_database_up{chain="file"} 0`} {
		if !strings.Contains(metrics, "\n"+want+"\n") {
			t.Errorf("/metrics has no %s", want)
		}
	}
	nodes["node"].ClearFaults()
	change(t, admin, "ALTER DATABASE "+name+"saved RENAME TO "+name)
	frozen.Thaw()
	expect.NoError(t, os.Rename(file+".away", file))
	for k := range nodes {
		until(t, func() bool { return s.at("/"+k).headIs(t, 71) })
	}
	until(t, func() bool { return strings.Count(s.Send(t, http.MethodGet, "/readyz", "").Body, ": ready\n") == 5 })
	stop()
	for line := range strings.Lines(s.output.String()) {
		if strings.Contains(line, "HTTP/1.1") {
			continue // The version of Go.
		}
		if regexp.MustCompile(`level=(WARN|ERROR)`).MatchString(line) && !strings.Contains(line, "chain=") || strings.Contains(line, "chain=well") && strings.Contains(line, "level=ERROR") {
			t.Errorf("it logged %s", line)
		}
	}
}

// TestServe_ChainsBroken starts a server of which only one chain is well, which answers. The others come
// once their faults are gone.
func TestServe_ChainsBroken(t *testing.T) {
	t.Parallel()
	skipShort(t, "runs on PostgreSQL")
	folder := t.TempDir()
	well, missing, away := importDemo(t), pgtest.DSN(t), pgtest.NewProxy(t)
	garbage, absent := filepath.Join(folder, "garbage.db"), filepath.Join(folder, "absent.db")
	expect.NoError(t, os.WriteFile(garbage, []byte(strings.Repeat("no database ", 1_000)), 0o600))
	good := map[string]string{garbage: importChainA(t), absent: importChainA(t)}
	node, _ := generated(t, 20, 5)
	other := filepath.Join(folder, "other.db")
	for _, db := range []string{other, missing, away.DSN} {
		mustRun(t, "sync", "--once", "--db", db, "--rpc", node.URL, "--no-metadata")
	}
	admin, name := named(t, missing)
	change(t, admin, "ALTER DATABASE "+name+" RENAME TO "+name+"saved")
	away.Cut()
	node.SetChainID(7)
	s := start(t, "serve", "--poll", "10ms", "--no-metadata", "--chain", "garbage="+garbage, "--chain", "absent="+absent, "--chain", "missing="+missing,
		"--chain", "away="+away.DSN, "--chain", "other="+other, "--rpc", "other="+node.URL, "--chain", "well="+well)
	until(t, func() bool { return s.at("/well").headIs(t, 824) })
	until(t, func() bool { return s.at("/other").headIs(t, 20) })
	broken, closed := []string{"garbage", "absent", "missing", "away"}, []string(nil)
	for _, k := range broken {
		closed = append(closed, onChain("{ chain { lag } }", k))
	}
	for _, answer := range s.Batch(t, apitest.BatchOf(closed...)) {
		answer.OnlyError(t, "UNAVAILABLE")
	}
	for _, k := range broken {
		got := s.at("/"+k).Post(t, apitest.Request("{ chain { lag } }", ""))
		if got.OnlyError(t, "UNAVAILABLE"); got.Status != http.StatusServiceUnavailable {
			t.Errorf("%s: status %d: %s", k, got.Status, got.Body)
		}
		ready := s.at("/"+k).Send(t, http.MethodGet, "/readyz", "")
		if ready.Status != http.StatusServiceUnavailable || ready.Body != "not ready: the database is not there yet\n" {
			t.Errorf("%s: /readyz: status %d: %s", k, ready.Status, ready.Body)
		}
	}
	until(t, func() bool {
		for _, k := range []string{"garbage", "absent", "missing", "other"} {
			// Later pauses are longer.
			if !regexp.MustCompile(`level=ERROR msg="the chain failed: beginning again" chain=` + k + ` error=.* in=1s`).MatchString(s.output.String()) {
				return false
			}
		}
		return strings.Contains(s.output.String(), `msg="waiting for the database" chain=away`)
	})
	for _, db := range []string{garbage, absent} {
		expect.NoError(t, os.Rename(good[db], db))
	}
	change(t, admin, "ALTER DATABASE "+name+"saved RENAME TO "+name)
	away.Restore()
	node.SetChainID(31337)
	node.MineEmpty(1)
	for k, head := range map[string]int{"garbage": 360, "absent": 360, "missing": 20, "away": 20, "other": 21, "well": 824} {
		until(t, func() bool { return s.at("/"+k).headIs(t, head) })
	}
	if !regexp.MustCompile(`level=WARN msg="another chain has the same chain id" chain=\w+ other=\w+ chain_id=31337`).MatchString(s.output.String()) {
		t.Errorf("it logged %s", s.output)
	}
}

// TestServe_ChainsEnd ends servers none of whose chains is open.
func TestServe_ChainsEnd(t *testing.T) {
	t.Parallel()
	skipShort(t, "runs on PostgreSQL")
	one, two := filepath.Join(t.TempDir(), "one.db"), filepath.Join(t.TempDir(), "two.db")
	_, stderr, code := run(t, nil, "serve", "--listen", "127.0.0.1:0", "--chain", "one="+one, "--chain", "two="+two)
	if want := regexp.MustCompile(`\nmintburn: chain one: no database at .*chain two: no database at .*\n$`); code != 1 || !want.MatchString(stderr) || strings.Contains(stderr, "msg=serving") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	// One that waits for its database keeps the process alive until it is stopped, here at the test's end. Both
	// databases are empty.
	first, second := pgtest.NewProxy(t), pgtest.NewProxy(t)
	second.Cut()
	s := start(t, "serve", "--chain", "one="+first.DSN, "--chain", "two="+second.DSN)
	said := func(what string) {
		t.Helper()
		until(t, func() bool { return regexp.MustCompile(what).MatchString(s.output.String()) })
	}
	said("msg=.waiting for the database. chain=two")
	said("beginning again. chain=one error=.no database")
	first.Cut()
	said("msg=.waiting for the database. chain=one")
	second.Restore()
	said("beginning again. chain=two error=.no database")
	got := s.Send(t, http.MethodGet, "/readyz", "")
	if got.Status != http.StatusServiceUnavailable || strings.Count(got.Body, ": not ready: the database is not there yet\n") != 2 {
		t.Errorf("/readyz: status %d: %s", got.Status, got.Body)
	}
}
