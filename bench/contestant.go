package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"mintburn/bench/measure"
	"mintburn/bench/workload"
	"mintburn/internal/testing/pgtest"
)

// contestant is a server that answers the workloads.
type contestant struct {
	// name is its name in the tables.
	name string
	// command starts the server.
	command *exec.Cmd
	// besides are the ids of processes that work for the server but were not started by it.
	besides []int
	// body returns the request of a set.
	body func(*workload.Workload, workload.Variables) ([]byte, error)
	// unseen returns the request with its values in the document; nil for contestants
	// without GraphQL.
	unseen func(*workload.Workload, workload.Variables) (workload.Varying, error)
	// prepare, if not nil, runs before the requests, for example to fetch cursors.
	prepare func(*measure.Process, *match) error
	// without holds the paths of the workloads that it cannot answer.
	without []string
	// fixed reports that all sets of a workload have the same answer.
	fixed bool
	// otherPages reports that its pages have different fields.
	otherPages bool
	// stop, if not nil, ends the processes in besides.
	stop func()
}

// The names of the contestants on the command line.
const (
	static       = "static"
	byHand       = "hand"
	ours         = "mintburn"
	onPostgreSQL = "postgresql"
	mercurius    = "mercurius"
	cluster      = "cluster"
	postGraphile = "postgraphile"
)

// Names in the tables.
const staticBytes, oursOnPostgreSQL, onPostGraphile = "static bytes", "mintburn on PostgreSQL", "PostGraphile"

// lacks reports whether the contestant cannot answer a workload.
func (c *contestant) lacks(w *workload.Workload) bool { return slices.Contains(c.without, w.Path) }

// path returns the URL path of a workload.
func (c *contestant) path(w *workload.Workload) string {
	if c.unseen == nil {
		return "/" + w.Path
	}
	return "/graphql"
}

// enter returns a contestant. program is the path of mintburn, db is a SQLite file with
// this number of generated records, and answers holds the fixed answers by path.
func enter(ctx context.Context, name, program, db string, records int, answers map[string]string) (c contestant, err error) {
	self, err := os.Executable()
	if err != nil {
		return c, fmt.Errorf("looking for this program: %w", err)
	}
	switch name {
	case static:
		text, err := json.Marshal(answers)
		if err != nil {
			return c, fmt.Errorf("encoding answers: %w", err)
		}
		c = contestant{name: staticBytes, command: exec.Command(self, "static"), body: variables, fixed: true}
		c.command.Stdin = bytes.NewReader(text)
		return c, nil
	case byHand:
		return contestant{
			name: "hand-written", command: exec.Command(self, "hand", db), body: variables,
			without: []string{"buckets", "amounts", "tokens", "collection", "collections", "nested"},
		}, nil
	case ours:
		return contestant{
			name: "mintburn", command: exec.Command(program, "serve", "--db", db, "--listen", "127.0.0.1:0"),
			body: (*workload.Workload).Body, unseen: (*workload.Workload).Unseen,
		}, nil
	case onPostgreSQL:
		return enterOnPostgreSQL(ctx, program, records)
	case mercurius, cluster:
		script := "mercurius.js"
		c = contestant{name: "Mercurius", unseen: (*workload.Workload).Unseen}
		if name == cluster {
			c.name, script = "Mercurius, a process for each processor", "cluster.js"
		}
		c.body = func(w *workload.Workload, v workload.Variables) ([]byte, error) { return w.Body(peerCursor(v)) }
		if err = summarise(ctx, db); err == nil {
			c.command, err = peer(ctx, script, db)
		}
		return c, err
	case postGraphile:
		return enterPostGraphile(ctx, db)
	default:
		return c, fmt.Errorf("no contestant %q", name)
	}
}

// enterOnPostgreSQL starts a PostgreSQL server and imports records into it.
func enterOnPostgreSQL(ctx context.Context, program string, records int) (c contestant, err error) {
	dsn, postmaster, stop, err := pgtest.Start(ctx)
	if err != nil {
		return c, err
	}
	if _, err = load(ctx, program, dsn, records); err == nil {
		err = vacuum(ctx, dsn)
	}
	if err != nil {
		stop()
		return c, err
	}
	return contestant{
		name: oursOnPostgreSQL, command: exec.Command(program, "serve", "--db", dsn, "--listen", "127.0.0.1:0"),
		body: (*workload.Workload).Body, unseen: (*workload.Workload).Unseen, besides: []int{postmaster}, stop: stop,
	}, nil
}

// vacuum does the work of autovacuum, which is off.
func vacuum(ctx context.Context, dsn string) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "VACUUM ANALYZE")
	return errors.Join(err, conn.Close(ctx))
}

// peer returns the command that runs a script of bench/peers with the Node that
// npm installed there.
func peer(ctx context.Context, script, argument string) (*exec.Cmd, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-f", "{{.Dir}}", "mintburn/bench").Output()
	if err != nil {
		return nil, fmt.Errorf("looking for bench/peers: %w", err)
	}
	dir := filepath.Join(strings.TrimSpace(string(out)), "peers")
	node := filepath.Join(dir, "node_modules", ".bin", "node")
	if _, err := os.Stat(node); err != nil {
		return nil, fmt.Errorf("npm packages of bench/peers are not installed: run make peers: %w", err)
	}
	return exec.Command(node, filepath.Join(dir, script), argument), nil
}

// variables returns the request of contestants without GraphQL.
func variables(_ *workload.Workload, v workload.Variables) ([]byte, error) {
	body, err := json.Marshal(peerCursor(v))
	if err != nil {
		return nil, fmt.Errorf("encoding variables: %w", err)
	}
	return body, nil
}

// peerCursor replaces our cursor by that of the contestants that we wrote.
func peerCursor(v workload.Variables) workload.Variables {
	if v.After != "" {
		v.After = fmt.Sprintf("%d:%d", v.Page, v.Position)
	}
	return v
}
