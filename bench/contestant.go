package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"mintburn/bench/measure"
	"mintburn/bench/workload"
)

// contestant is a server that answers the workloads.
type contestant struct {
	// name is that of the tables.
	name string
	// command starts it.
	command *exec.Cmd
	// besides are processes that work for it and that it does not start.
	besides []int
	// path is the URL path of a workload.
	path func(*workload.Workload) string
	// body is the request of a set.
	body func(*workload.Workload, workload.Variables) ([]byte, error)
	// unseen is the request with its values in the document, in two halves around the
	// last block; nil for contestants without GraphQL.
	unseen func(*workload.Workload, workload.Variables) (before, after []byte, err error)
	// prepare, if not nil, runs before the requests, such as to fetch cursors.
	prepare func(*measure.Process, *match) error
	// fixed says that all sets of a workload have the same answer.
	fixed bool
	// otherPages says that its pages have other fields.
	otherPages bool
	// stop, if not nil, ends the processes besides.
	stop func()
}

// The contestants as the command line names them.
const (
	static       = "static"
	byHand       = "hand"
	ours         = "mintburn"
	mercurius    = "mercurius"
	postGraphile = "postgraphile"
)

// enter returns a contestant. program is the path of mintburn, dir a folder for
// files, answers the fixed answers by path.
func enter(ctx context.Context, name, program, dir, db string, answers map[string]string) (c contestant, err error) {
	self, err := os.Executable()
	if err != nil {
		return c, fmt.Errorf("looking for this program: %w", err)
	}
	own := func(w *workload.Workload) string { return "/" + w.Path }
	graphql := func(*workload.Workload) string { return "/graphql" }
	switch name {
	case static:
		file := filepath.Join(dir, "answers.json")
		text, err := json.Marshal(answers)
		if err != nil {
			return c, fmt.Errorf("encoding answers: %w", err)
		}
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return c, err
		}
		return contestant{name: "static bytes", command: exec.Command(self, "static", file), path: own, body: variables, fixed: true}, nil
	case byHand:
		return contestant{name: "hand-written", command: exec.Command(self, "hand", db), path: own, body: variables}, nil
	case ours:
		return contestant{
			name: "mintburn", command: exec.Command(program, "serve", "--db", db, "--listen", "127.0.0.1:0"),
			path: graphql, body: (*workload.Workload).Body, unseen: (*workload.Workload).Unseen,
		}, nil
	case mercurius:
		c = contestant{name: "Mercurius", path: graphql, unseen: (*workload.Workload).Unseen}
		c.body = func(w *workload.Workload, v workload.Variables) ([]byte, error) { return w.Body(peerCursor(v)) }
		c.command, err = peer(ctx, "mercurius.js", db)
		return c, err
	case postGraphile:
		return enterPostGraphile(ctx, db, graphql)
	default:
		return c, fmt.Errorf("no contestant %q", name)
	}
}

// peer returns the command that runs a script of bench/peers with the Node that
// npm has installed there.
func peer(ctx context.Context, script, argument string) (*exec.Cmd, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-f", "{{.Dir}}", "mintburn/bench").Output()
	if err != nil {
		return nil, fmt.Errorf("looking for bench/peers: %w", err)
	}
	dir := filepath.Join(strings.TrimSpace(string(out)), "peers")
	node := filepath.Join(dir, "node_modules", ".bin", "node")
	if _, err := os.Stat(node); err != nil {
		return nil, fmt.Errorf("what npm installs is not there: make peers: %w", err)
	}
	return exec.Command(node, filepath.Join(dir, script), argument), nil
}

// variables is the request of contestants without GraphQL.
func variables(_ *workload.Workload, v workload.Variables) ([]byte, error) {
	body, err := json.Marshal(peerCursor(v))
	if err != nil {
		return nil, fmt.Errorf("encoding variables: %w", err)
	}
	return body, nil
}

// peerCursor replaces our cursor by the one of the contestants that we wrote.
func peerCursor(v workload.Variables) workload.Variables {
	if v.After != "" {
		v.After = fmt.Sprintf("%d:%d", v.Page, v.Position)
	}
	return v
}
