package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/testing/pgtest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	c := comparison{out: os.Stdout, counts: map[string]*count{}}
	flag.IntVar(&c.records, "records", 1_000_000, "records of the generated dataset")
	flag.IntVar(&c.n, "n", 2000, "random operations for each dataset")
	flag.Uint64Var(&c.seed, "seed", 1, "seed of the random operations")
	flag.StringVar(&c.postgres, "postgres", "", "repeat all in databases of a PostgreSQL server: a URL, or new for a temporary server")
	work := flag.String("work", "", "folder for recordings and databases, which stay; temporary unless set")
	meant := flag.String("meant", "ops/compare/meant.txt", "list of meant differences")
	only := flag.String("only", "", "only datasets whose names match this expression; commands is a dataset")
	flag.Parse()
	differing, err := c.run(ctx, flag.Args(), *work, *meant, *only)
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
	}
	if err != nil || differing > 0 {
		os.Exit(1)
	}
}

// run compares two programs and returns the number of differences that are not meant.
func (c *comparison) run(ctx context.Context, programs []string, work, meant, only string) (differing int, err error) {
	if len(programs) != 2 {
		return 0, errors.New("want two programs: OLD NEW")
	}
	if work == "" {
		if work, err = os.MkdirTemp("", "compare"); err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	}
	if c.postgres == "new" {
		dsn, _, stop, err := pgtest.Start(ctx)
		if err != nil {
			return 0, err
		}
		defer stop()
		c.postgres = dsn
	}
	if err := c.prepare(programs, work, meant); err != nil {
		return 0, err
	}
	wanted, err := regexp.Compile(only)
	if err != nil {
		return 0, err
	}
	for _, d := range c.datasets() {
		if wanted.MatchString(d.name) {
			if err := c.dataset(ctx, d); err != nil {
				return 0, fmt.Errorf("%s: %w", d.name, err)
			}
		}
	}
	return c.summary(), ctx.Err()
}

// prepare reads what does not depend on a dataset.
func (c *comparison) prepare(programs []string, work, meant string) (err error) {
	if c.root, err = os.Getwd(); err != nil {
		return err
	}
	if c.work, err = filepath.Abs(work); err != nil {
		return err
	}
	for i, program := range programs {
		if c.sides[i].program, err = filepath.Abs(program); err != nil {
			return err
		}
	}
	if c.meant, err = readMeant(meant); err != nil {
		return err
	}
	schema, err := os.ReadFile("schema.graphqls")
	if err != nil {
		return err
	}
	if c.schema, err = gqlparser.LoadSchema(&ast.Source{Input: string(schema)}); err != nil {
		return err
	}
	c.documents, err = documentsIn(".")
	return err
}
