package command_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"mintburn/internal/command"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// lagging is a standby with a server, and what is executed on it and on its primary.
type lagging struct {
	node           *chaintest.Node
	dsn, otherDSN  string
	primary, other administrator
	of             *server
}

func newLagging(t *testing.T) *lagging {
	t.Helper()
	primary := pgtest.NewServer(t)
	node, _ := generated(t, 50, 50)
	mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", primary.DSN)
	standby := primary.Replica()
	return &lagging{node, primary.Alone(), standby.Alone(), administer(t, primary.Alone()), administer(t, standby.Alone()), serve(t, standby.Alone())}
}

// cursors stores a block and returns cursors of mints and of changes that need it.
func (l *lagging) cursors(t *testing.T) (mints, changes string) {
	t.Helper()
	l.node.Generate(contents(1, 10))
	mustRun(t, "sync", "--once", "--rpc", l.node.URL, "--db", l.dsn)
	got := serve(t, l.dsn).Get(t, "{ mints(first: 1, order: DESC) { cursor } changes { cursor } }", "")
	return got["mints"].(map[string]any)["cursor"].(string), got["changes"].(map[string]any)["cursor"].(string)
}

// TestServe_ReplicaBehind sends cursors of the primary to a server whose standby has not received
// their data. Each transport reports it as an error of the operation, for which a proxy tries the
// next server. The command that follows changes waits. The commands that docs/scaling.md names run.
func TestServe_ReplicaBehind(t *testing.T) {
	t.Parallel()
	skipShort(t, "runs on PostgreSQL")
	l := newLagging(t)
	l.other.execute(t, "SELECT pg_wal_replay_pause()")
	mints, changes := l.cursors(t)
	page, feed := fmt.Sprintf("{ chain { head { number } } mints(after: %q, order: DESC) { page } a: changes { cursor } }", mints), fmt.Sprintf("{ changes(after: %q) { cursor } }", changes)
	events := []string{"Accept", "text/event-stream"}
	for what, got := range map[string]*apitest.Reply{
		"POST":           l.of.Post(t, apitest.Request(page, "")),
		"GET":            l.of.Send(t, http.MethodGet, "/graphql?query="+url.QueryEscape(page), ""),
		"changes":        l.of.Post(t, apitest.Request(feed, "")),
		"a subscription": l.of.Post(t, apitest.Request("subscription "+feed, ""), events...),
		"REST":           l.of.Send(t, http.MethodGet, "/v1/mints?order=DESC&cursor="+mints, ""),
		"REST changes":   l.of.Send(t, http.MethodGet, "/v1/changes?wait=30s&after="+changes, ""),
		"REST events":    l.of.Send(t, http.MethodGet, "/v1/changes?after="+changes, "", events...),
	} {
		if got.Status != http.StatusServiceUnavailable || got.Header.Get("Retry-After") != "1" || !strings.Contains(got.Body, `"code":"REPLICA_BEHIND"`) || strings.Contains(got.Body, `"data"`) {
			t.Errorf("%s: status %d, headers %v, %s", what, got.Status, got.Header, got.Body)
		}
	}
	all := l.of.Batch(t, fmt.Sprintf("[%s, %s]", apitest.Request(page, ""), apitest.Request("{ chain { head { number } } }", "")))
	all[0].OnlyError(t, "REPLICA_BEHIND")
	expect.Equal(t, "errors of another operation", 0, len(all[1].Errors))
	socket, response, err := (&websocket.Dialer{Subprotocols: []string{"graphql-transport-ws"}}).DialContext(t.Context(), strings.Replace(l.of.Base, "http", "ws", 1)+"/graphql", nil)
	expect.NoError(t, err)
	_ = response.Body.Close()
	defer socket.Close()
	var last struct {
		Type    string
		Payload []struct{ Extensions struct{ Code string } }
	}
	for _, message := range []string{`{"type": "connection_init"}`, `{"id": "1", "type": "subscribe", "payload": ` + apitest.Request("subscription "+feed, "") + `}`} {
		expect.NoError(t, socket.WriteMessage(websocket.TextMessage, []byte(message)))
		expect.NoError(t, socket.ReadJSON(&last))
	}
	if last.Type != "error" || len(last.Payload) != 1 || last.Payload[0].Extensions.Code != "REPLICA_BEHIND" {
		t.Errorf("WebSocket: %v", last)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	said, ended := &output{endpoint: make(chan string, 1)}, make(chan int)
	go func() {
		ended <- command.Run(ctx, repository, []string{"changes", "--follow", "--after", changes, "--db", l.otherDSN}, strings.NewReader(""), said, said)
	}()
	until(t, func() bool { return strings.Contains(said.String(), "this replica has not received") })
	l.other.execute(t, "SELECT pg_wal_replay_resume()")
	l.cursors(t)
	until(t, func() bool { return strings.Contains(said.String(), `"kind":"added"`) })
	cancel()
	<-ended
	for _, name := range []string{"export mints", "changes", "migrate"} {
		mustRun(t, append(strings.Fields(name), "--db", l.otherDSN)...)
	}
	until(t, func() bool { return l.of.headIs(t, len(l.node.Blocks())-1) })
	for _, one := range []string{page, feed, "{ mints(first: 1000) { totalItems } }"} {
		l.of.Get(t, one, "")
	}
}

// lock locks a table on the primary, and returns once the standby has it too.
func (l *lagging) lock(t *testing.T, table string) (unlock func()) {
	t.Helper()
	unlock = l.primary.lock(t, table, "ACCESS EXCLUSIVE")
	// Otherwise PostgreSQL sends it up to 15 s later.
	l.primary.execute(t, "SELECT pg_switch_wal()")
	l.other.await(t, "SELECT count(*) FROM pg_locks WHERE relation = '"+table+"'::regclass AND mode = 'AccessExclusiveLock' AND granted")
	return unlock
}

// await waits until a count is not 0.
func (a administrator) await(t *testing.T, count string) {
	t.Helper()
	until(t, func() bool {
		n := 0
		expect.NoError(t, a.QueryRowContext(t.Context(), count).Scan(&n))
		return n > 0
	})
}

// TestServe_ReplicaCatchesUp sends a cursor whose block the standby receives after the operation has
// begun. The operation runs again.
func TestServe_ReplicaCatchesUp(t *testing.T) {
	t.Parallel()
	skipShort(t, "runs on PostgreSQL")
	l := newLagging(t)
	const query = "query($after: Cursor) { mints(after: $after, order: DESC) { page cursor indexed { toBlock } } }"
	// PostgreSQL prepares the statements, which needs the locks too.
	first := l.of.Get(t, query, "")["mints"].(map[string]any)["cursor"]
	l.of.Get(t, query, fmt.Sprintf(`{"after": %q}`, first))
	// An operation that failed before is no outage, which would leave the next one no time.
	l.other.execute(t, "SELECT pg_wal_replay_pause()")
	early, _ := l.cursors(t)
	l.of.Ask(t, query, fmt.Sprintf(`{"after": %q}`, early)).OnlyError(t, "REPLICA_BEHIND")
	l.other.execute(t, "SELECT pg_wal_replay_resume()")
	unlock := l.lock(t, "coverage")
	l.other.execute(t, "SELECT pg_wal_replay_pause()")
	unlock()
	mints, _ := l.cursors(t)
	answered := make(chan *apitest.Reply)
	go func() { answered <- l.of.Post(t, apitest.Request(query, `{"after": "`+mints+`"}`)) }()
	// It waits for the lock, with a snapshot from before.
	l.other.act(t, "pid", locked)
	l.other.execute(t, "SELECT pg_wal_replay_resume()")
	if got := <-answered; got.Status != http.StatusOK || strings.Contains(got.Body, `"errors"`) {
		t.Errorf("status %d: %s", got.Status, got.Body)
	}
}

// TestServe_RecoveryConflict locks a table on the primary that an operation on the standby has read.
// PostgreSQL cancels its statement, and the operation runs again.
func TestServe_RecoveryConflict(t *testing.T) {
	t.Parallel()
	skipShort(t, "runs on PostgreSQL")
	l := newLagging(t)
	l.other.execute(t, "ALTER SYSTEM SET max_standby_streaming_delay = 0", "SELECT pg_reload_conf()")
	head := l.of.Get(t, "{ chain { head { hash } } }", "")["chain"].(map[string]any)["head"].(map[string]any)
	// The block is looked up before the mints are read.
	query := fmt.Sprintf("{ mints(block: %q, first: 5) { totalItems data { tokenId } } }", head["hash"])
	l.of.Get(t, query, "")
	unlock := l.lock(t, "mints")
	answered := make(chan *apitest.Reply)
	go func() { answered <- l.of.Post(t, apitest.Request(query, "")) }()
	l.other.act(t, "pid", locked)
	unlockRead := l.lock(t, "blocks")
	l.other.await(t, "SELECT confl_lock FROM pg_stat_database_conflicts WHERE datname = current_database()")
	unlockRead()
	unlock()
	if got := <-answered; got.Status != http.StatusOK || strings.Contains(got.Body, `"errors"`) {
		t.Errorf("status %d: %s", got.Status, got.Body)
	}
}
