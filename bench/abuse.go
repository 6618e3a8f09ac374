package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"mintburn/bench/measure"
)

type abuseCommand struct {
	Program string        `help:"Mintburn program; built unless given." placeholder:"PATH"`
	DB      string        `help:"SQLite file to generate 20,000 records into, or to use if it exists; temporary unless given." placeholder:"PATH"`
	Only    string        `help:"Run only the abuses whose names contain this text." placeholder:"TEXT"`
	For     time.Duration `help:"How long each load lasts, ${default} unless given." default:"5s" placeholder:"DURATION"`
}

// abuseRecords suffices for pages of 1,000.
const abuseRecords = 20_000

// Run sends the requests of each abuse and prints their cost for the server and for
// another client.
func (c *abuseCommand) Run(ctx context.Context) error {
	return withProgram(ctx, c.Program, func(program, dir string) error { return c.measure(ctx, program, dir, os.Stdout) })
}

// measure serves a database and prints a line for each abuse.
func (c *abuseCommand) measure(ctx context.Context, program, dir string, out io.Writer) (err error) {
	db := cmp.Or(c.DB, filepath.Join(dir, "abuse.db"))
	if _, err := fill(ctx, program, db, abuseRecords); err != nil {
		return err
	}
	heavy, address, err := documentsDB(ctx, program, dir)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "abuse\tanswers\ttime\tCPU\tmemory above rest\tpeak memory\tothers p50\tothers p99\tothers failed")
	for _, a := range abuses(address) {
		if !strings.Contains(a.name, c.Only) {
			continue
		}
		served := db
		if a.documents {
			served = heavy
		}
		if err := c.abuse(ctx, program, served, a, table); err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
	}
	return table.Flush()
}

// abuse runs one abuse against a new server, so that no memory remains from the previous
// abuse.
func (c *abuseCommand) abuse(ctx context.Context, program, db string, a abuse, out io.Writer) (err error) {
	server, err := measure.Start(exec.CommandContext(ctx, program, "serve", "--db", db, "--listen", "127.0.0.1:0"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	if err := warmUp(server); err != nil {
		return err
	}
	before, err := server.ResetPeak()
	if err != nil {
		return err
	}
	cpu, err := server.CPU()
	if err != nil {
		return err
	}
	began := time.Now()
	stop := startBystander(ctx, server.Address)
	answers, err := c.attack(ctx, server.Address, a)
	others := stop()
	if err != nil {
		return err
	}
	took := time.Since(began)
	spent, err := server.CPU()
	if err != nil {
		return err
	}
	peak, err := server.Peak()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s\t%s\t%.1f s\t%.2f s\t%d MiB\t%d MiB\t%s\t%s\t%d of %d\n", a.name, answers, took.Seconds(), (spent - cpu).Seconds(),
		(peak-before)>>20, peak>>20, others.at(.5), others.at(.99), others.failed, len(others.taken)+others.failed)
	return nil
}

// warmUp makes the pages of the database resident, so that they don't count as memory
// of the abuse.
func warmUp(server *measure.Process) error {
	for _, body := range []string{quote(bystanderQuery), quote(pages(4))} {
		if _, err := server.Ask("/graphql", []byte(body)); err != nil {
			return err
		}
	}
	return nil
}

// documentRecords, heavyDocuments and documentBytes describe the database with long
// documents: its records, its documents, and the bytes of each document.
const documentRecords, heavyDocuments, documentBytes = 5_000, 40, 4 << 20

// documentsDB creates a database in which tokens of one collection have long
// documents, and returns the address of that collection.
func documentsDB(ctx context.Context, program, dir string) (db, address string, err error) {
	db = filepath.Join(dir, "documents.db")
	if _, err := fill(ctx, program, db, documentRecords); err != nil {
		return "", "", err
	}
	address, ids, err := largestCollection(ctx, program, db)
	if err != nil {
		return "", "", err
	}
	err = importInto(ctx, program, db, func(w io.Writer) error {
		for _, id := range ids {
			if _, err := w.Write(longDocument(address, id)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return "", "", fmt.Errorf("documents: %w", err)
	}
	return db, address, nil
}

// longDocument returns a line of an import file with a long document.
func longDocument(address, id string) []byte {
	image := "data:image/png;base64," + strings.Repeat("iVBORw0K", (documentBytes-200)/8)
	// Strings and numbers can always be encoded.
	document, _ := json.Marshal(map[string]any{"name": "Token " + id, "image": image})
	line, _ := json.Marshal(map[string]any{"metadata": map[string]any{
		"address": address, "tokenId": id, "uri": "ipfs://long/" + id, "fetchedAt": time.Now().Unix(), "document": string(document),
	}})
	return append(line, '\n')
}

// largestCollection returns the collection with the most mints, and ids of its tokens.
func largestCollection(ctx context.Context, program, db string) (address string, ids []string, err error) {
	mints, err := exec.CommandContext(ctx, program, "export", "--db", db, "mints").Output()
	if err != nil {
		return "", nil, fmt.Errorf("reading mints: %w", err)
	}
	byAddress := map[string][]string{}
	for line := range bytes.Lines(mints) {
		var m struct {
			Address string `json:"token_address"`
			ID      string `json:"token_id"`
		}
		if err := json.Unmarshal(line, &m); err != nil {
			return "", nil, fmt.Errorf("reading mints: %w", err)
		}
		list := append(byAddress[m.Address], m.ID)
		byAddress[m.Address] = list
		if len(list) > len(ids) && len(list) <= heavyDocuments {
			address, ids = m.Address, list
		}
	}
	return address, ids, nil
}
