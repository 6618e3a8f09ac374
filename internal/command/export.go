package command

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"mintburn/internal/apierror"
	"mintburn/internal/command/console"
	"mintburn/internal/command/opening"
	"mintburn/internal/command/process"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/export"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/write"
)

type exportCommand struct {
	opening.Opening
	What            string    `arg:"" enum:"mints,burns,tokens,metadata,documents,collections,blocks,rejected" help:"What to export: ${enum}."`
	Format          *string   `help:"Output format: ${enum}. Default: by the ending of --output, else ndjson." enum:"ndjson,csv,parquet" placeholder:"FORMAT"`
	Output          string    `help:"Write to this file instead of standard output. The file appears when it is complete. The ending .gz or .zst compresses it." placeholder:"FILE"`
	PartitionBlocks *evm.Long `help:"Make --output a folder with one file of mints or burns for each range of N blocks and a manifest, and write only the files that changed since the last run." placeholder:"N"`
	recordFlags     `embed:""`
	FromBlock       *evm.Long `help:"First block." placeholder:"N"`
	ToBlock         *evm.Long `help:"Last block." placeholder:"N"`
	Partial         bool      `help:"Export the indexed blocks even if blocks in the range are missing."`
	After           *string   `help:"Continue after this cursor, from an earlier export or a page in ascending order." placeholder:"CURSOR"`
}

// recordFlags are the filters of mints and burns besides their range of blocks. Their names are
// those of the API's arguments.
type recordFlags struct {
	Block             *evm.BlockNumberOrHash `help:"Only mints or burns in the block with this number or hash, or latest, finalized or earliest." placeholder:"BLOCK"`
	Address           *evm.Address           `help:"Only mints, burns, tokens, metadata or documents of this collection." placeholder:"A"`
	Addresses         []evm.Address          `help:"Only mints, burns or tokens of these collections (repeatable)." placeholder:"A" sep:","`
	TokenID           *evm.Uint256           `name:"token-id" help:"Only mints or burns of this token of the collection." placeholder:"ID"`
	Tokens            []tokenFlag            `help:"Only mints or burns of these tokens, each a collection and a token id (repeatable)." placeholder:"A:ID" sep:","`
	TransactionHash   *evm.Hash              `help:"Only mints or burns in this transaction." placeholder:"HASH"`
	TransactionHashes []evm.Hash             `help:"Only mints or burns in these transactions (repeatable)." placeholder:"HASH" sep:","`
	Account           *evm.Address           `help:"Only mints to this address, or burns from it." placeholder:"A"`
	Accounts          []evm.Address          `help:"Only mints to these addresses, or burns from them (repeatable)." placeholder:"A" sep:","`
	FromTime          *firstSecond           `help:"Only mints or burns from this time on: Unix seconds, a date in UTC or a time such as 2027-01-31T12:00:00Z." placeholder:"TIME"`
	ToTime            *lastSecond            `help:"Only mints or burns up to this time; a date is its last second." placeholder:"TIME"`
	Finality          string                 `help:"Only mints or burns in blocks of this finality: ${enum}." enum:"latest,finalized" default:"latest"`
}

// tokenFlag is a token as ADDRESS:ID.
type tokenFlag nft.TokenKey

// UnmarshalText implements [encoding.TextUnmarshaler].
func (k *tokenFlag) UnmarshalText(text []byte) error {
	address, id, found := bytes.Cut(text, []byte(":"))
	if !found || k.Contract.UnmarshalText(address) != nil || k.TokenID.UnmarshalText(id) != nil {
		return fmt.Errorf("got %q, want the address of a collection, a colon and a token id", text)
	}
	return nil
}

// firstSecond is the first second of a time, and lastSecond the last one.
type firstSecond evm.Long
type lastSecond evm.Long

// UnmarshalText implements [encoding.TextUnmarshaler].
func (s *firstSecond) UnmarshalText(text []byte) error {
	first, _, err := evm.ParseTime(string(text))
	*s = firstSecond(first)
	return err
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (s *lastSecond) UnmarshalText(text []byte) error {
	_, last, err := evm.ParseTime(string(text))
	*s = lastSecond(last)
	return err
}

// ofRecords reports whether a filter is set that only mints and burns have.
func (f *recordFlags) ofRecords() bool {
	return f.Block != nil || f.TokenID != nil || f.Tokens != nil || f.TransactionHash != nil || f.TransactionHashes != nil ||
		f.Account != nil || f.Accounts != nil || f.FromTime != nil || f.ToTime != nil || f.Finality != "latest"
}

// filter returns the filter of the flags, which need not be valid.
func (c *exportCommand) filter() store.Filter {
	f := store.Filter{
		Block: c.Block, Address: c.Address, TokenID: c.TokenID, TransactionHash: c.TransactionHash, Account: c.Account,
		Addresses: c.Addresses, TransactionHashes: c.TransactionHashes, Accounts: c.Accounts,
		FromBlock: c.FromBlock, ToBlock: c.ToBlock, FromTime: (*evm.Long)(c.FromTime), ToTime: (*evm.Long)(c.ToTime), Finality: store.Finality(strings.ToUpper(c.Finality)), Partial: c.Partial,
	}
	for _, key := range c.Tokens {
		f.Tokens = append(f.Tokens, nft.TokenKey(key))
	}
	return f
}

// Validate checks constraints that the flag types cannot express.
func (c *exportCommand) Validate(line *kong.Context) error {
	if err := c.Check(); err != nil {
		return err
	}
	format, err := c.format()
	if err != nil {
		return err
	}
	if format == export.Parquet && !export.HasParquet {
		return errors.New("--format parquet: this build has no Parquet: want ndjson or csv, or a build with -tags parquet")
	}
	ofBlocks := c.FromBlock != nil || c.ToBlock != nil
	switch c.What {
	case export.Metadata, export.Documents:
		if c.ofRecords() || ofBlocks || c.Partial || c.Addresses != nil {
			return fmt.Errorf("%s: the only filter is --address", c.What)
		}
		if c.What == export.Documents && format != export.NDJSON {
			return fmt.Errorf("documents: --format: got %s, want ndjson", format)
		}
	case export.Tokens:
		if c.ofRecords() || ofBlocks {
			return errors.New("tokens: the only filters are --address, --addresses and --partial")
		}
	case export.Blocks, export.Rejected, export.Collections:
		if c.ofRecords() || c.Address != nil || c.Addresses != nil {
			return fmt.Errorf("%s: the only filters are --from-block, --to-block and --partial", c.What)
		}
	}
	if c.What == export.Mints || c.What == export.Burns {
		filter := c.filter()
		if err := filter.Check(); err != nil {
			return errors.New(withFlags(err.Error(), line.Flags()))
		}
	}
	switch partition := c.PartitionBlocks; {
	case partition == nil:
	case *partition == 0:
		return errors.New("--partition-blocks: got 0, want at least 1")
	case c.What != export.Mints && c.What != export.Burns:
		return fmt.Errorf("--partition-blocks: got %s, want mints or burns", c.What)
	case c.file() == "":
		return errors.New("--partition-blocks: want --output FOLDER")
	case c.Block != nil:
		return errors.New("--partition-blocks excludes --block: its files have ranges of blocks")
	case c.After != nil:
		return errors.New("--partition-blocks excludes --after: the folder's manifest says where to continue")
	}
	return nil
}

// withFlags returns a message of the API with the flags of a command in place of the arguments of
// the same names.
func withFlags(message string, of []*kong.Flag) string {
	return words.ReplaceAllStringFunc(message, func(word string) string {
		name := strings.ToLower(upper.ReplaceAllString(word, "-$0"))
		if slices.ContainsFunc(of, func(flag *kong.Flag) bool { return flag.Name == name }) {
			return "--" + name
		}
		return word
	})
}

var (
	words = regexp.MustCompile(`[A-Za-z]+`)
	upper = regexp.MustCompile(`[A-Z]`)
)

// file returns the name of the output file, "" for standard output.
func (c *exportCommand) file() string {
	if c.Output == "-" {
		return ""
	}
	return c.Output
}

// format returns the format of the output.
func (c *exportCommand) format() (string, error) {
	if c.PartitionBlocks != nil {
		return outputFormat("", c.Format)
	}
	return outputFormat(c.file(), c.Format)
}

// Run writes all rows to standard output, or to a file that appears when it is complete. It
// stops early if ctx ends. The last lines on standard error contain the exported ranges of
// blocks and the cursor of the last row. A CSV export that continues has no header. If a
// reorg orphaned the block of --after, the error contains the command that rewinds. With
// --partition-blocks it brings a folder up to date.
func (c *exportCommand) Run(ctx context.Context, e *process.Env) (err error) {
	file := c.file()
	format, err := c.format()
	if err != nil {
		return err
	}
	if format == export.Parquet && file == "" && console.IsTerminal(e.Stdout) {
		return &process.ExitError{Code: process.ExitUsage, Err: errors.New("--format parquet: standard output is a terminal: want --output FILE, or a redirected output")}
	}
	s, err := c.Read(ctx, e, write.Options{Options: database.Options{Unmapped: true}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	x := export.New(s.DB, export.Options{
		Set: c.What, Format: format, After: c.After, Names: c.After == nil, Filter: c.filter(),
	})
	stopProgress := func() {}
	// On a terminal, a progress bar would mix with the rows.
	if file != "" || !console.IsTerminal(e.Stdout) {
		stopProgress = console.NewProgress(e.Console, "records", x.Progress).Stop
	}
	if c.PartitionBlocks != nil {
		u, err := x.Update(ctx, c.Output, uint64(*c.PartitionBlocks))
		stopProgress()
		if err != nil {
			return process.Unfinished(ctx, err, "the manifest is unchanged or complete; run the same command again")
		}
		fmt.Fprintf(e.Stderr, "Exported from %s.\nExported %s in %s: %d written, %d removed.\n", blocksOf(x.Indexed()), c.count(u.Rows), console.Count(u.Files, "file"), u.Written, u.Removed)
		c.printDigests(e, x)
		return nil
	}
	replaced, err := writeTo(file, e.Stdout, func(out io.Writer) error {
		buffered := bufio.NewWriterSize(out, 64<<10)
		return errors.Join(x.Run(ctx, buffered), buffered.Flush())
	})
	stopProgress()
	if err != nil {
		return c.failed(ctx, e, x, file == "" && format != export.Parquet, err)
	}
	if replaced {
		fmt.Fprintf(e.Stderr, "Replaced %s.\n", file)
	}
	if c.What != export.Metadata && c.What != export.Documents {
		fmt.Fprintf(e.Stderr, "Exported from %s.\n", blocksOf(x.Indexed()))
	}
	if x.Cursor() == nil {
		fmt.Fprintf(e.Stderr, "Exported %s.\n", c.count(0))
	} else {
		fmt.Fprintf(e.Stderr, "Exported %s. To continue later: --after %s\n", c.count(x.Rows()), *x.Cursor())
	}
	c.printDigests(e, x)
	return nil
}

// printDigests prints the digest of each range of blocks, if the export has all their mints or burns.
func (c *exportCommand) printDigests(e *process.Env, x *export.Export) {
	for _, d := range x.Digests() {
		fmt.Fprintf(e.Stderr, "digest of %s of blocks %d to %d: %s\n", c.What, d.From, d.To, d.Digest)
	}
}

// count returns a number of rows with their name.
func (c *exportCommand) count(n int64) string {
	noun := strings.TrimSuffix(c.What, "s")
	switch c.What {
	case export.Metadata:
		noun = "metadata document"
	case export.Rejected:
		noun = "rejected log"
	}
	return console.Count(n, noun)
}

// failed returns the error of an unfinished export, with how to continue. kept is set if what was
// written is of use, unlike incomplete files and incomplete Parquet.
func (c *exportCommand) failed(ctx context.Context, e *process.Env, x *export.Export, kept bool, err error) error {
	n := x.Rows()
	if kept && n > 0 {
		return process.Unfinished(ctx, reorged(e, err), fmt.Sprintf("wrote %s; to continue: %s", c.count(n), console.Continued(e.Args, *x.Cursor())))
	}
	if known := new(apierror.Error); n > 0 && errors.As(err, &known) && known.Code == apierror.CursorReorged {
		return errors.New("a reorg orphaned exported blocks before the end, so the output is incomplete: run the same command again")
	}
	next := "nothing was written; run the same command again"
	if n > 0 && c.file() == "" {
		next = "the output is incomplete; run the same command again"
	}
	return process.Unfinished(ctx, reorged(e, err), next)
}

// reorged adds the command that continues to an error with the code CURSOR_REORGED, and
// returns other errors unchanged.
func reorged(e *process.Env, err error) error {
	var known *apierror.Error
	if !errors.As(err, &known) || known.Code != apierror.CursorReorged {
		return err
	}
	rewind, _ := known.Details["rewindCursor"].(string)
	return &process.ExitError{Code: process.ExitReorged, Err: fmt.Errorf("a reorg orphaned the cursor's block: drop the rows from block retractedFromBlock=%v on, then continue after rewindCursor=%s with: %s",
		known.Details["retractedFromBlock"], rewind, console.Continued(e.Args, rewind))}
}

// blocksOf describes ranges of blocks.
func blocksOf(ranges []evm.Range) string {
	if len(ranges) == 0 {
		return "no indexed blocks"
	}
	names := make([]string, len(ranges))
	for i, r := range ranges {
		names[i] = fmt.Sprintf("%d to %d", r.From, r.To)
	}
	return "blocks " + strings.Join(names, ", ")
}
