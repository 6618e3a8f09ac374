package httpapi_test

import (
	"bufio"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"mintburn/graph"
	"mintburn/internal/httpapi"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// TestServer_IdleConnection checks that a POST on a connection that has been idle for longer
// than a request may take to arrive is answered, after answers of every kind.
func TestServer_IdleConnection(t *testing.T) {
	const read = 30 * time.Millisecond
	address := listenWithin(t, serve(t).Handler, read, 10)
	body := inJSON("{ __typename }")
	post := "POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: " + fmt.Sprint(len(body)) + "\r\n\r\n" + body
	for name, first := range map[string]string{
		"a GET": "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", "a POST": post, "an error": strings.Replace(post, "application/json", "text/plain", 1),
	} {
		conn := dial(t, address)
		in := bufio.NewReader(conn)
		for _, request := range []string{first, post} {
			_, err := conn.Write([]byte(request))
			expect.NoError(t, err)
			expect.NoError(t, conn.SetReadDeadline(time.Now().Add(10*time.Second)))
			response, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Fatalf("after %s: %v", name, err)
			}
			if n, _ := io.Copy(io.Discard, response.Body); n != response.ContentLength {
				t.Fatalf("after %s: the answer is cut", name)
			}
			_ = response.Body.Close()
			// The connection stays open and silent.
			expect.NoError(t, conn.SetReadDeadline(time.Now().Add(3*read)))
			if _, err := in.Peek(1); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Fatalf("after %s, idle: %v", name, err)
			}
		}
	}
}

// TestServer_MaxWait checks that an operation waits for a slot for half of its time, so that the
// other half is left to run.
func TestServer_MaxWait(t *testing.T) {
	c := config(nil)
	for _, timeout := range []time.Duration{time.Second, 10 * time.Second, time.Minute} {
		c.Limits.Timeout = timeout
		got, err := httpapi.MaxWait(c)
		expect.NoError(t, err)
		expect.Equal(t, "wait", timeout/2, got)
	}
}

// TestCollections_CoverageFails checks that an error of the indexed ranges is an error of the
// answer, wherever they are selected, and never an empty list.
func TestCollections_CoverageFails(t *testing.T) {
	drivers := map[string]string{"sqlite": "sqlite3", "postgres": "pgx"}
	for driver, create := range storetest.Databases() {
		dsn := create(t)
		s := openStore(t, dsn)
		if _, err := s.Apply(t.Context(), version(1).blocks(0, 3)); err != nil {
			t.Fatal(err)
		}
		db, err := sql.Open(drivers[driver], dsn)
		expect.NoError(t, err)
		defer db.Close()
		if _, err := db.Exec("ALTER TABLE coverage RENAME TO elsewhere"); err != nil {
			t.Fatal(err)
		}
		var logged lockedBuffer
		client := serveStore(t, s, func(c *httpapi.Config) {
			c.ErrorPresenter = graph.PresentError(slog.New(slog.NewTextHandler(&logged, nil)))
		})
		for _, selection := range []string{"indexed { fromBlock }", "totalItems indexed { fromBlock } data { address }", "data { address indexed { fromBlock } }", "pageInfo { hasNextPage } indexed { toBlock }"} {
			a := client.Ask(t, "{ collections(partial: true, first: 1) { "+selection+" } }", "")
			if len(a.Errors) == 0 || a.Errors[0].Extensions["code"] != "INTERNAL" || strings.Contains(a.Text, `"indexed":[]`) {
				t.Errorf("%s, %s: %s", driver, selection, a.Text)
			}
		}
		if text := logged.String(); !strings.Contains(text, "coverage") || strings.Contains(text, "aborted") {
			t.Errorf("%s: the log has another cause: %s", driver, text)
		}
	}
}
