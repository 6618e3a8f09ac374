package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"mintburn/internal/command/flags"
	"mintburn/internal/command/opening"
	"mintburn/internal/command/process"
	"mintburn/internal/compare"
	"mintburn/internal/database"
	"mintburn/internal/reload"
)

type compareCommand struct {
	opening.Name
	Other      string  `arg:"" help:"Database, as --db, or URL of a server." placeholder:"OTHER"`
	APIKeyFile string  `help:"File with the API key for the server." name:"api-key-file" placeholder:"FILE"`
	FromBlock  uint64  `help:"First block to compare. Default: 0." placeholder:"N"`
	ToBlock    *uint64 `help:"Last block to compare. Default: the lower of the finalized blocks." placeholder:"N"`
	Limit      int     `help:"Print at most this many differing blocks. Default: ${default}." default:"100" placeholder:"N"`
}

// Help implements kong.HelpProvider.
func (*compareCommand) Help() string {
	return "Compares the mints and burns of the blocks that both have, and prints those of each differing block: after - those of --db alone, after + those of OTHER alone. Digests of ranges tell where to look, so that equal indexes are compared in a few requests. Writes nothing."
}

// server reports whether OTHER is a server.
func (c *compareCommand) server() bool {
	return strings.HasPrefix(c.Other, "http://") || strings.HasPrefix(c.Other, "https://")
}

// Validate checks constraints that the flag types cannot express.
func (c *compareCommand) Validate() error {
	err := cmp.Or(c.Name.Validate(), flags.CheckBlocks(&c.FromBlock, c.ToBlock), flags.Within("--limit", c.Limit, 1, 1_000_000))
	switch {
	case err != nil:
		return err
	case c.server():
		_, err = compare.NewServer(c.Other, "")
	case c.APIKeyFile != "":
		return errors.New("--api-key-file: OTHER is a database, want the URL of a server")
	default:
		err = database.CheckDSN(c.Other)
	}
	return flags.Error("OTHER", err)
}

// Run compares the indexes. It fails if they differ.
func (c *compareCommand) Run(ctx context.Context, e *process.Env) (err error) {
	db, err := c.Inspect(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var other compare.Index
	if c.server() {
		key, err := c.key()
		if err != nil {
			return flags.Error("--api-key-file", err)
		}
		if other, err = compare.NewServer(c.Other, key); err != nil {
			return err
		}
	} else {
		second, failed := (&opening.Name{DB: c.Other}).Inspect(ctx)
		if failed != nil {
			return flags.Error("OTHER", failed)
		}
		defer func() { err = errors.Join(err, second.Close()) }()
		other = &compare.Database{DB: second.DB, Name: "OTHER"}
	}
	return compare.Indexes(ctx, &compare.Database{DB: db.DB, Name: "--db"}, other, c.FromBlock, c.ToBlock, c.Limit, e.Stdout)
}

// mostKey is the most bytes of a file with a key.
const mostKey = 4096

// key returns the key in the file of --api-key-file.
func (c *compareCommand) key() (string, error) {
	if c.APIKeyFile == "" {
		return "", nil
	}
	text, err := reload.Read(c.APIKeyFile, mostKey)
	key := strings.TrimSpace(string(text))
	if err == nil && (key == "" || strings.ContainsAny(key, " \t\r\n")) {
		err = fmt.Errorf("%s: want one line with a key", c.APIKeyFile)
	}
	return key, err
}
