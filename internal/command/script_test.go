package command_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"entgo.io/ent/dialect"
	"github.com/rogpeppe/go-internal/testscript"

	"mintburn/internal/httpapi/negotiate"
	"mintburn/internal/store/migrations"
	"mintburn/internal/testing/storetest"
)

// TestScripts runs testdata/*.txtar. In addition to testscript's commands, they use
//
//	fails CODE PATTERN COMMAND…  the command must end with the exit code, and its
//	                             standard error must be one line that matches
//	await FILE PATTERN           waits until a file matches
//	terminate                    sends SIGTERM to the background commands
//	sql DB STATEMENTS WANT       compares the first value of the last statement's first row
//	listen NAME                  listens on a port and sets the variable to its address
//	before DB                    creates a database of the schema's version $BEFORE, which lacks $MIGRATION of $VERSION
//
// The condition [http2] holds unless the program warns that it has no HTTP/2.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join(root, "testdata"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Condition: func(name string) (bool, error) {
			if name != "http2" {
				return false, fmt.Errorf("no condition %q", name)
			}
			return negotiate.HTTP2(), nil
		},
		Setup: func(e *testscript.Env) error {
			e.Setenv("GORACE", raceOptions)
			steps, err := migrations.Of(migrations.Files, dialect.SQLite)
			last := steps[len(steps)-1]
			for i, name := range []string{"BEFORE", "VERSION", "NEXT"} {
				e.Setenv(name, strconv.FormatInt(last.Version-1+int64(i), 10))
			}
			e.Setenv("MIGRATION", last.Name)
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"fails":     scriptFails,
			"await":     scriptAwait,
			"terminate": scriptTerminate,
			"sql":       scriptSQL,
			"listen":    scriptListen,
			"before": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(os.Rename(storetest.Before(t), ts.MkAbs(args[0])))
			},
		},
	})
}

func scriptFails(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: fails CODE PATTERN COMMAND…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[2], args[3:]...)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != want {
		ts.Fatalf("ended with %v, want exit code %d", err, want)
	}
	stderr := ts.ReadFile("stderr")
	line, rest, _ := strings.Cut(stderr, "\n")
	matched, err := regexp.MatchString(args[1], line)
	ts.Check(err)
	if rest != "" || !strings.HasPrefix(line, "mintburn: ") || !matched {
		ts.Fatalf("standard error is\n%s\nwant one line that begins with mintburn: and matches %s", stderr, args[1])
	}
}

func scriptAwait(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await FILE PATTERN")
	}
	pattern, err := regexp.Compile(args[1])
	ts.Check(err)
	deadline := time.After(30 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		text, err := os.ReadFile(ts.MkAbs(args[0]))
		if err == nil && pattern.Match(text) {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			ts.Fatalf("%s never matched %s: %s", args[0], args[1], bytes.TrimSpace(text))
		}
	}
}

func scriptTerminate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: terminate")
	}
	for _, command := range ts.BackgroundCmds() {
		ts.Check(command.Process.Signal(syscall.SIGTERM))
	}
}

func scriptSQL(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: sql DB STATEMENT WANT")
	}
	db, err := sql.Open("sqlite3", "file:"+ts.MkAbs(args[0])+"?mode=rw")
	ts.Check(err)
	defer db.Close()
	statements := strings.Split(args[1], "; ")
	last := len(statements) - 1
	for _, statement := range statements[:last] {
		_, err := db.Exec(statement)
		ts.Check(err)
	}
	var got string
	ts.Check(db.QueryRow(statements[last]).Scan(&got))
	if got != args[2] {
		ts.Fatalf("%s is %s, want %s", args[1], got, args[2])
	}
}

func scriptListen(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: listen NAME")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { _ = listener.Close() })
	ts.Setenv(args[0], listener.Addr().String())
}
