package command_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"mintburn/internal/command"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// headIs reports whether a server's last indexed block has a number.
func (s *server) headIs(t testing.TB, want int) bool {
	a := s.Ask(t, "{ chain { head { number } } }", "")
	if len(a.Errors) > 0 {
		return false
	}
	head, _ := a.Data["chain"].(map[string]any)["head"].(map[string]any)
	return head["number"] == number(fmt.Sprint(want))
}

// until polls until holds returns true, for at most a minute.
func until(t testing.TB, holds func() bool) {
	t.Helper()
	// Clean-up functions run after the end of t's own context.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("the condition did not hold within a minute")
		}
	}
}

// TestServe_NodeAway starts a server before its node.
func TestServe_NodeAway(t *testing.T) {
	t.Parallel()
	skipShort(t, "waits for a node")
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	node.MineEmpty(100)
	node.Break(0, chaintest.Fault{Close: true}, nil)
	s := start(t, "serve", "--rpc", node.URL, "--db", filepath.Join(t.TempDir(), "new.db"), "--poll", "10ms")
	until(t, func() bool { return strings.Contains(s.output.String(), "the node does not answer") })
	if got := s.Send(t, http.MethodGet, "/healthz", ""); got.Status != http.StatusOK {
		t.Errorf("/healthz: status %d", got.Status)
	}
	node.ClearFaults()
	until(t, func() bool { return s.headIs(t, 100) })
}

// TestServe_DatabaseAway checks that the API reports it while PostgreSQL is down, and that
// the follower continues when it is back.
func TestServe_DatabaseAway(t *testing.T) {
	skipShort(t, "waits for connections")
	t.Parallel()
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	node.MineEmpty(100)
	db := pgtest.NewProxy(t)
	s := start(t, "serve", "--rpc", node.URL, "--db", db.DSN, "--poll", "10ms")
	until(t, func() bool { return s.headIs(t, 100) })
	t.Cleanup(func() { t.Log(s.output) })
	db.Cut()
	node.MineEmpty(1)
	const question = `{"query": "{ chain { head { number } } __typename }"}`
	refused := s.Post(t, question)
	refused.OnlyError(t, "UNAVAILABLE")
	if refused.Status != http.StatusServiceUnavailable || refused.Header.Get("Retry-After") == "" {
		t.Errorf("GraphQL: status %d, headers %v", refused.Status, refused.Header)
	}
	got := s.Send(t, http.MethodGet, "/v1/block/50/nft/mints", "")
	if got.Status != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" || !strings.Contains(got.Body, `"code":"UNAVAILABLE"`) {
		t.Errorf("REST: status %d, headers %v, %s", got.Status, got.Header, got.Body)
	}
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 503, "/metrics": 200, "/": 200} {
		if got := s.Send(t, http.MethodGet, path, ""); got.Status != want {
			t.Errorf("%s: status %d, want %d", path, got.Status, want)
		}
	}
	until(t, func() bool { return strings.Contains(s.output.String(), "storing the health of nodes") })
	db.Restore()
	until(t, func() bool { return s.headIs(t, 101) })
}

// TestServe_ConnectionsBreak checks that an operation whose connection broke is retried
// without the client noticing.
func TestServe_ConnectionsBreak(t *testing.T) {
	skipShort(t, "runs on PostgreSQL")
	t.Parallel()
	node, _ := generated(t, 200, 20)
	db := pgtest.NewProxy(t)
	mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", db.DSN)
	s := serve(t, db.DSN)
	admin, err := sql.Open("pgx", db.DSN)
	expect.NoError(t, err)
	defer admin.Close()
	const times = 30
	for name, end := range map[string]func(){
		"cut": db.Drop,
		"terminated": func() {
			if _, err := admin.Exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			for range times {
				answered := make(chan *apitest.Reply)
				go func() {
					answered <- s.Send(t, http.MethodPost, "/graphql", `{"query": "{ mints(first: 1000) { totalItems data { id metadata { name } } } burns(last: 500) { data { id } } }"}`)
				}()
				end()
				if got := <-answered; got.Status != http.StatusOK || strings.Contains(got.Body, `"errors"`) {
					t.Errorf("status %d: %.300s", got.Status, got.Body)
				}
			}
		})
	}
}

// TestServe_DatabaseAwayAtStart checks that the server waits for PostgreSQL, and reports it.
func TestServe_DatabaseAwayAtStart(t *testing.T) {
	skipShort(t, "runs on PostgreSQL")
	t.Parallel()
	for name, flags := range map[string][]string{"follows": {"--rpc", "http://127.0.0.1:1"}, "reads": nil} {
		t.Run(name, func(t *testing.T) {
			db := pgtest.NewProxy(t)
			importInto(t, db.DSN, strings.NewReader(""), "-")
			db.Cut()
			s := start(t, append([]string{"serve", "--db", strings.Replace(db.DSN, "@", ":secret@", 1)}, flags...)...)
			for path, want := range map[string]string{
				"/healthz": "200 ok\n", "/readyz": "503 not ready: the database is not there yet\n",
				"/graphql?query={__typename}": `503 {"errors":[{"message":"the data is unavailable: try again later","extensions":{"code":"UNAVAILABLE"}}]}`,
				"/v1/block/1/nft/mints":       `503 {"message":"the data is unavailable: try again later","code":"UNAVAILABLE","details":{}}` + "\n",
			} {
				got := s.Send(t, http.MethodGet, path, "", "Accept", apitest.JSON)
				if text := fmt.Sprint(got.Status, " ", got.Body); text != want || (got.Status == 503) != (got.Header.Get("Retry-After") != "") {
					t.Errorf("%s: %s, headers %v: want %s", path, text, got.Header, want)
				}
			}
			if strings.Contains(s.output.String(), "secret") {
				t.Errorf("the log contains the password: %s", s.output)
			}
			db.Restore()
			until(t, func() bool { return len(s.Ask(t, "{ chain { head { number } } }", "").Errors) == 0 })
		})
	}
}

// TestDatabaseAway checks that commands that run until they are stopped survive an outage of
// PostgreSQL, and continue after it.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	skipShort(t, "restarts a server")
	node := chaintest.NewNode(t, chaintest.NodeOptions{URI: `data:application/json,{"name":1}`})
	node.Generate(contents(100, 2))
	db := pgtest.NewServer(t)
	serving := start(t, "serve", "--rpc", node.URL, "--db", db.DSN, "--poll", "10ms", "--no-metadata")
	until(t, func() bool { return serving.headIs(t, 100) })
	reading := serve(t, db.DSN)
	ctx, cancel := context.WithCancel(t.Context())
	outputs, ended := map[string]*output{}, make(chan string, 2)
	for name, args := range map[string][]string{"sync": {"--no-metadata"}, "metadata": nil} {
		said := &output{endpoint: make(chan string, 1)}
		outputs[name] = said
		go func() {
			code := command.Run(ctx, repository, append([]string{name, "--rpc", node.URL, "--db", db.DSN}, args...), strings.NewReader(""), said, said)
			ended <- fmt.Sprintf("%s: exit code %d", name, code)
		}()
	}
	says := func(said *output, what string, times int) {
		t.Helper()
		until(t, func() bool { return strings.Count(said.String(), what) >= times })
	}
	says(outputs["sync"], standsBy, 1)
	// After a first attempt, the worker is past its start, where it would wait without retrying.
	until(t, func() bool {
		return strings.Contains(reading.Send(t, http.MethodPost, "/graphql", `{"query": "{ mints(first: 1) { data { metadata { state } } } }"}`).Body, `"state":`)
	})
	outputs["serve"] = serving.output
	for head := 101; head < 103; head++ {
		db.Stop(head > 101)
		node.MineEmpty(1)
		reading.Ask(t, "{ chain { head { number } } }", "").OnlyError(t, "UNAVAILABLE")
		for _, said := range outputs {
			says(said, "trying again", strings.Count(said.String(), "trying again")+3)
		}
		db.Start()
		for _, s := range []*server{serving, reading} {
			until(t, func() bool { return s.headIs(t, head) })
		}
	}
	select {
	case said := <-ended:
		t.Errorf("%s while PostgreSQL was away: %s%s", said, outputs["sync"], outputs["metadata"])
	default:
	}
	cancel()
	got := []string{<-ended, <-ended}
	slices.Sort(got)
	expect.Equal(t, "ends", []string{"metadata: exit code 0", "sync: exit code 0"}, got)
}

// TestDatabaseWait checks that commands with --db-wait wait for PostgreSQL, and log it once.
func TestDatabaseWait(t *testing.T) {
	skipShort(t, "runs on PostgreSQL")
	t.Parallel()
	db := pgtest.NewProxy(t)
	importInto(t, db.DSN, strings.NewReader(""), "-")
	db.Cut()
	const waits, limit = `level=WARN msg="waiting for the database"`, "200ms"
	for _, args := range [][]string{{"check"}, {"import", "-"}, {"check", "--db-wait", "0s"}, {"serve", "--listen", "127.0.0.1:0", "--db-wait", "0s"}} {
		if _, stderr, code := run(t, nil, append(args, "--db", db.DSN)...); code != 1 || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: exit code %d, want 1 and one line: %s", args, code, stderr)
		}
	}
	for _, args := range [][]string{{"export", "mints"}, {"import", "-"}, {"metadata", "--rpc", "http://127.0.0.1:1"}, {"serve", "--listen", "127.0.0.1:0"}} {
		_, stderr, code := run(t, nil, append(args, "--db", db.DSN, "--db-wait", limit)...)
		_, last, _ := strings.Cut(stderr, "\nmintburn: ")
		if code != 1 || strings.Count(stderr, waits) != 1 || !strings.HasPrefix(last, "the database did not answer for "+limit+" (--db-wait): ") || strings.Count(last, "\n") != 1 {
			t.Errorf("%v: exit code %d: %s", args, code, stderr)
		}
	}
	for name, args := range map[string][]string{"import": {"import", "-", "--db-wait", "1m"}, "check": {"check", "--db-wait", "1m"}, "sync": {"sync", "--rpc", "http://127.0.0.1:1"}} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		output, ended := &output{endpoint: make(chan string, 1)}, make(chan int, 1)
		go func() {
			ended <- command.Run(ctx, repository, append(args, "--db", db.DSN), strings.NewReader(""), output, output)
		}()
		until(t, func() bool { return strings.Contains(output.String(), waits) })
		if name == "sync" {
			cancel()
		} else {
			db.Restore()
		}
		code := <-ended
		if said := output.String(); code != 0 || strings.Count(said, waits) != 1 || (strings.Count(said, `level=INFO msg="the database answers"`) == 1) == (name == "sync") {
			t.Errorf("%s: exit code %d: %s", name, code, said)
		}
		db.Cut()
	}
}

// TestServe_DatabaseRefuses checks that errors which waiting cannot resolve end the command.
func TestServe_DatabaseRefuses(t *testing.T) {
	skipShort(t, "runs on PostgreSQL")
	t.Parallel()
	dsn := pgtest.DSN(t)
	for name, test := range map[string]struct {
		dsn  string
		code int
	}{
		"no such database": {strings.Replace(dsn, "/test", "/none", 1), 1},
		"no such role":     {strings.Replace(dsn, "mintburn@", "nobody@", 1), 1},
		"no tables":        {dsn, 1},
		"no address":       {"postgres://[", 2},
	} {
		if _, stderr, code := run(t, nil, "serve", "--listen", "127.0.0.1:0", "--db", test.dsn); code != test.code {
			t.Errorf("%s: exit code %d, want %d: %s", name, code, test.code, stderr)
		}
	}
}

// TestServe_NewerSchema migrates a server's database to an incompatible schema. The server
// keeps running, answers that the data is unavailable, and stores nothing until the schema is
// compatible again.
func TestServe_NewerSchema(t *testing.T) {
	t.Parallel()
	skipShort(t, "waits for looks at the schema")
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	node.MineEmpty(100)
	for name, dsn := range map[string]string{"sqlite3": filepath.Join(t.TempDir(), "served.db"), "pgx": pgtest.DSN(t)} {
		t.Run(name, func(t *testing.T) {
			s := start(t, "serve", "--rpc", node.URL, "--db", dsn, "--poll", "10ms", "--no-metadata")
			until(t, func() bool { return s.headIs(t, len(node.Blocks())-1) })
			db, err := sql.Open(name, dsn)
			expect.NoError(t, err)
			defer db.Close()
			_, err = db.ExecContext(t.Context(), "UPDATE settings SET value = '999' WHERE id = 'compatible_from'")
			expect.NoError(t, err)
			until(t, func() bool {
				return strings.Contains(s.output.String(), "answering that the data is unavailable") && strings.Contains(s.output.String(), "use a newer mintburn")
			})
			node.MineEmpty(1)
			s.Ask(t, "{ mints { totalItems } }", "").OnlyError(t, "UNAVAILABLE")
			for path, want := range map[string]int{"/healthz": 200, "/readyz": 503, "/metrics": 200, "/v1/block/1/nft/mints": 503} {
				if got := s.Send(t, http.MethodGet, path, ""); got.Status != want {
					t.Errorf("%s: status %d, want %d: %s", path, got.Status, want, got.Body)
				}
			}
			_, err = db.ExecContext(t.Context(), "DELETE FROM settings WHERE id = 'compatible_from'")
			expect.NoError(t, err)
			until(t, func() bool { return s.headIs(t, len(node.Blocks())-1) })
		})
	}
}

// TestServe_WrongChain checks that an endpoint of another chain is not used. It ends the
// command only at startup, and only if no endpoint serves the right chain.
func TestServe_WrongChain(t *testing.T) {
	t.Parallel()
	skipShort(t, "follows a node")
	right, wrong := chaintest.NewNode(t, chaintest.NodeOptions{}), chaintest.NewNode(t, chaintest.NodeOptions{ChainID: 5})
	right.MineEmpty(80)
	wrong.MineEmpty(90)
	db := filepath.Join(t.TempDir(), "right.db")
	mustRun(t, "sync", "--once", "--rpc", right.URL, "--db", db)
	for _, command := range [][]string{{"serve", "--listen", "127.0.0.1:0"}, {"sync"}, {"metadata"}, {"verify"}} {
		_, stderr, code := run(t, nil, append(command, "--rpc", wrong.URL, "--db", db)...)
		if want := "mintburn: wrong chain: " + wrong.URL + " serves chain 5, want chain 31337: use another database\n"; code != 1 || !strings.HasSuffix(stderr, want) {
			t.Errorf("%s: exit code %d: %s", command, code, stderr)
		}
	}
	right.MineEmpty(1)
	s := start(t, "serve", "--rpc", wrong.URL, "--rpc", right.URL, "--db", db, "--poll", "10ms")
	until(t, func() bool { return s.headIs(t, 81) })
	until(t, func() bool {
		got := s.Send(t, http.MethodGet, "/metrics", "").Body
		return strings.Contains(got, `mintburn_endpoint_wrong_chain{endpoint="`+wrong.URL+`"} 1`) &&
			strings.Contains(got, `mintburn_endpoint_wrong_chain{endpoint="`+right.URL+`"} 0`)
	})
	if !strings.Contains(s.output.String(), "level=ERROR") {
		t.Error("no error was logged")
	}
	// The right endpoint moves to another chain.
	right.SetChainID(7)
	right.Break(1, chaintest.Fault{Close: true}, nil)
	right.MineEmpty(1)
	until(t, func() bool {
		got := s.Send(t, http.MethodGet, "/metrics", "").Body
		return strings.Contains(got, `mintburn_endpoint_wrong_chain{endpoint="`+right.URL+`"} 1`)
	})
	if !s.headIs(t, 81) {
		t.Error("a block of another chain was stored")
	}
}
