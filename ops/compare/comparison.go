package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/vektah/gqlparser/v2/ast"
)

// A comparison sends the same to both programs and counts what differs.
type comparison struct {
	out        io.Writer
	records, n int
	seed       uint64
	// root is the repository, work the folder for files.
	root, work string
	schema     *ast.Schema
	documents  []document
	meant      []*regexp.Regexp
	// postgres is the URL of a PostgreSQL server, or "".
	postgres string
	// sides are the old program and the new one, at work on the dataset.
	sides  [2]side
	name   string
	counts map[string]*count
}

// A count is that of one kind of requests or commands. failed are those that both answer with
// an error; differ includes meant.
type count struct{ all, failed, differ, meant int }

// readMeant reads a list of meant differences: expressions for a kind and a name; # begins a
// comment.
func readMeant(path string) (list []*regexp.Regexp, err error) {
	text, err := os.ReadFile(path)
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line != "" {
			pattern, wrong := regexp.Compile(`^(?:` + line + `)$`)
			list, err = append(list, pattern), errors.Join(err, wrong)
		}
	}
	return list, err
}

// folder begins a dataset, in new folders.
func (c *comparison) folder(name string) (err error) {
	c.name = name
	for i, of := range []string{"old", "new"} {
		folder := filepath.Join(c.work, name, of)
		err = errors.Join(err, os.RemoveAll(folder), os.MkdirAll(folder, 0o755))
		c.sides[i] = side{program: c.sides[i].program, folder: folder, db: "mintburn.db"}
	}
	return err
}

// request sends a request to both servers and compares the answers.
func (c *comparison) request(ctx context.Context, kind, name string, r request) (answers [2][]byte) {
	for i := range c.sides {
		answers[i] = c.sides[i].ask(ctx, r)
	}
	failed := !bytes.HasPrefix(answers[0], []byte("2")) || bytes.Contains(answers[0], []byte(`"errors":`))
	c.compare(kind, name, answers, failed)
	return answers
}

// command runs a command of both programs, at the same time, and compares the results.
func (c *comparison) command(ctx context.Context, kind, name string, one call) (answers [2][]byte) {
	var both sync.WaitGroup
	for i := range c.sides {
		both.Go(func() { answers[i] = c.sides[i].command(ctx, one) })
	}
	both.Wait()
	c.compare(kind, name, answers, !bytes.HasPrefix(answers[0], []byte("0 ")))
	return answers
}

// line runs a command whose arguments have no spaces.
func (c *comparison) line(ctx context.Context, line string) [2][]byte {
	return c.command(ctx, "command", line, call{args: strings.Fields(line)})
}

// walk compares three pages. The request for the next one has {PAGE} in place of the cursor,
// which the expression matches in an answer.
func (c *comparison) walk(ctx context.Context, kind, name string, first, next request, cursor *regexp.Regexp) {
	for n := range 3 {
		answers := c.request(ctx, kind, fmt.Sprintf("%s page %d", name, n+1), first)
		for i := range c.sides {
			found := cursor.FindSubmatch(answers[i])
			if found == nil {
				return
			}
			c.sides[i].page = string(found[1])
		}
		first = next
	}
}

// compare counts an answer of both sides, and prints a difference.
func (c *comparison) compare(kind, name string, answers [2][]byte, failed bool) {
	n := c.counts[kind]
	if n == nil {
		n = &count{}
		c.counts[kind] = n
	}
	n.all++
	if failed {
		n.failed++
	}
	report := difference(answers[0], answers[1])
	if report == "" {
		return
	}
	n.differ++
	name = kind + " " + c.name + ": " + name
	if slices.ContainsFunc(c.meant, func(m *regexp.Regexp) bool { return m.MatchString(name) }) {
		n.meant++
		return
	}
	fmt.Fprintf(c.out, "%s: %s", name, report)
}

// difference returns "" for texts that are equal but for the masks, else the first position
// that differs with the bytes around it.
func difference(old, now []byte) string {
	if bytes.Equal(old, now) {
		return ""
	}
	if old, now = masked(old), masked(now); bytes.Equal(old, now) {
		return ""
	}
	at := 0
	for at < len(old) && at < len(now) && old[at] == now[at] {
		at++
	}
	around := func(text []byte) []byte { return text[max(0, at-40):min(len(text), at+40)] }
	return fmt.Sprintf("byte %d\n\told %q\n\tnew %q\n", at, around(old), around(now))
}

// summary prints the counts and returns the number of differences that are not meant.
func (c *comparison) summary() (differing int) {
	var all, meant int
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(c.counts)) {
		n := c.counts[kind]
		kinds = append(kinds, fmt.Sprintf("%d %ss (%d errors)", n.all, kind, n.failed))
		all, meant, differing = all+n.all, meant+n.meant, differing+n.differ-n.meant
	}
	fmt.Fprintf(c.out, "compared %d: %s; %d differ, %d more are meant\n", all, strings.Join(kinds, ", "), differing, meant)
	return differing
}
