package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// A dataset is a database that both programs fill. The demo fills its own.
type dataset struct {
	name string
	// files are recordings, relative to the root of the repository. Generated records follow.
	files     []string
	generated int
	// flags are those of the import.
	flags string
	// traits builds the index of traits.
	traits   bool
	postgres bool
}

// recorded is the recording of the demo.
const recorded = "internal/demo/chain.ndjson.gz"

// datasets returns all datasets; that of the commands has no database. Users lack the last one.
func (c *comparison) datasets() []dataset {
	shared := filepath.Join("..", "shared", "data", "chain-a", "bundle.ndjson.gz")
	list := []dataset{
		{name: "commands"},
		{name: "demo"},
		{name: "recorded", files: []string{recorded}, flags: "--transactions --final --chain-id 31337", traits: true},
		{name: "archive", files: []string{"internal/chain/recording/testdata/ethereumjs.era1"}},
		// The blocks between the two are missing.
		{name: "gap", files: []string{recorded}, generated: 2000, traits: true},
		{name: "generated", generated: c.records, flags: "--from-deployment --final", traits: true},
	}
	if _, err := os.Stat(shared); err == nil {
		list = append(list, dataset{name: "shared", files: []string{shared}, flags: "--from-deployment --burn-address 0x000000000000000000000000000000000000dEaD"})
	}
	for _, d := range list[2:] {
		if d.name, d.postgres = d.name+"-postgres", true; c.postgres != "" {
			list = append(list, d)
		}
	}
	return list
}

// dataset compares everything about a dataset.
func (c *comparison) dataset(ctx context.Context, d dataset) error {
	if err := c.folder(d.name); err != nil {
		return err
	}
	serve := "serve --db {DB}"
	switch d.name {
	case "commands":
		return c.standalone(ctx)
	case "demo":
		serve = "demo"
	default:
		if err := c.fill(ctx, d); err != nil {
			return err
		}
	}
	for i := range c.sides {
		// No answer may depend on the speed of the machine.
		stop, err := c.sides[i].serve(ctx, serve+" --listen 127.0.0.1:0 --timeout 10m")
		if err != nil {
			return err
		}
		defer stop()
	}
	k, err := c.learn(ctx)
	if err != nil {
		return err
	}
	c.repeat(ctx, k)
	c.random(ctx, k)
	c.pages(ctx, k)
	if err := c.routes(ctx, k); err != nil {
		return err
	}
	c.paths(ctx, k)
	if d.name != "demo" {
		c.exports(ctx, k)
	}
	for i := range c.sides {
		if answer := c.sides[i].ask(ctx, request{path: "/healthz"}); !bytes.HasPrefix(answer, []byte("200 ")) {
			return fmt.Errorf("%s stopped: %s", c.sides[i].program, answer)
		}
	}
	return ctx.Err()
}

// fill creates the databases of a dataset, and imports its recordings.
func (c *comparison) fill(ctx context.Context, d dataset) (err error) {
	for i, of := range []string{"compare_old", "compare_new"} {
		if d.postgres {
			if c.sides[i].db, err = create(ctx, c.postgres, of); err != nil {
				return err
			}
		}
	}
	c.line(ctx, "migrate --db {DB}")
	c.mark(ctx)
	files := d.files
	if d.generated > 0 {
		file := filepath.Join(c.work, "generated.ndjson")
		if err := generate(ctx, file, d.generated); err != nil {
			return fmt.Errorf("generating records: %w", err)
		}
		files = append(files, file)
	}
	for _, file := range files {
		if !filepath.IsAbs(file) {
			file = filepath.Join(c.root, file)
		}
		args := append([]string{"import", "--db", "{DB}", file}, strings.Fields(d.flags)...)
		answers := c.command(ctx, "command", "import "+filepath.Base(file), call{args: args})
		if !bytes.HasPrefix(answers[0], []byte("0 ")) {
			return fmt.Errorf("importing: %s", answers[0])
		}
		// It replaces documents, in transactions that depend on the time, as does their order.
		if strings.HasSuffix(file, recorded) {
			c.mark(ctx)
		}
	}
	if d.traits {
		c.line(ctx, "migrate --db {DB} --index-traits")
	}
	return nil
}

// create creates a database of a PostgreSQL server, in place of one of the same name.
func create(ctx context.Context, server, name string) (dsn string, err error) {
	u, err := url.Parse(server)
	if err != nil {
		return "", err
	}
	u.Path = "/" + name
	connection, err := pgx.Connect(ctx, server)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, connection.Close(ctx)) }()
	for _, statement := range []string{"DROP DATABASE IF EXISTS ", "CREATE DATABASE "} {
		if _, err := connection.Exec(ctx, statement+name); err != nil {
			return "", err
		}
	}
	return u.String(), nil
}

// generate writes a recording with the generator of the benchmark.
func generate(ctx context.Context, path string, records int) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	bench := exec.CommandContext(ctx, "go", "run", "-C", "bench", ".", "record", strconv.Itoa(records))
	bench.Stdout, bench.Stderr = file, os.Stderr
	return bench.Run()
}

// mark stores where the change feed stands.
func (c *comparison) mark(ctx context.Context) {
	for i, answer := range c.line(ctx, "changes --db {DB}") {
		if found := printed.FindSubmatch(answer); found != nil {
			c.sides[i].start = string(found[1])
		}
	}
}

// printed matches the cursor that mintburn changes prints.
var printed = regexp.MustCompile(`--after ([\w-]+)`)
