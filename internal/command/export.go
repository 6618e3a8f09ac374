package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"mintburn/internal/apierror"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/export"
	"mintburn/internal/store"
	"mintburn/internal/store/write"
)

type exportCommand struct {
	opening
	What            string                 `arg:"" enum:"mints,burns,metadata,collections,blocks,rejected" help:"What to export: ${enum}."`
	Format          string                 `help:"Output format: ${enum}." enum:"ndjson,csv,parquet" default:"ndjson"`
	Output          string                 `help:"Write to this file instead of standard output. The file appears when it is complete." placeholder:"FILE"`
	Block           *evm.BlockNumberOrHash `help:"Only mints or burns in the block with this number or hash, or latest, finalized or earliest." placeholder:"BLOCK"`
	Address         *evm.Address           `help:"Only mints, burns or metadata of this collection." placeholder:"A"`
	TokenID         *evm.Uint256           `name:"token-id" help:"Only mints or burns of this token of the collection." placeholder:"ID"`
	TransactionHash *evm.Hash              `help:"Only mints or burns in this transaction." placeholder:"HASH"`
	Account         *evm.Address           `help:"Only mints to this address, or burns from it." placeholder:"A"`
	FromBlock       *evm.Long              `help:"First block." placeholder:"N"`
	ToBlock         *evm.Long              `help:"Last block." placeholder:"N"`
	Partial         bool                   `help:"Export the indexed blocks even if blocks in the range are missing."`
	After           *string                `help:"Continue after this cursor, from an earlier export or a page in ascending order." placeholder:"CURSOR"`
}

// Validate checks constraints that the flag types cannot express.
func (c *exportCommand) Validate() error {
	if err := c.check(); err != nil {
		return err
	}
	if c.Format == export.Parquet && !export.HasParquet {
		return errors.New("--format parquet: this build has no Parquet: want ndjson or csv, or a build with -tags parquet")
	}
	ofRecords := c.Block != nil || c.TokenID != nil || c.TransactionHash != nil || c.Account != nil
	ofBlocks := c.FromBlock != nil || c.ToBlock != nil || c.Partial
	switch c.What {
	case export.Metadata:
		if ofRecords || ofBlocks {
			return errors.New("metadata: the only filter is --address")
		}
	case export.Blocks, export.Rejected, export.Collections:
		if ofRecords || c.Address != nil {
			return fmt.Errorf("%s: the only filters are --from-block, --to-block and --partial", c.What)
		}
	}
	return nil
}

// Run writes all rows to standard output, or to a file that appears when it is complete. It
// stops early if ctx ends. The last lines on standard error contain the exported ranges of
// blocks and the cursor of the last row. A CSV export that continues has no header. If a
// reorg orphaned the block of --after, the error contains the command that rewinds.
func (c *exportCommand) Run(ctx context.Context, e *env) (err error) {
	if c.Format == export.Parquet && c.Output == "" && isTerminal(e.stdout) {
		return &exitError{exitUsage, errors.New("--format parquet: standard output is a terminal: want --output FILE, or a redirected output")}
	}
	s, err := c.read(ctx, e, write.Options{Options: database.Options{Unmapped: true}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	x := export.New(s.DB, export.Options{
		Set: c.What, Format: c.Format, After: c.After, Names: c.After == nil,
		Filter: store.Filter{
			Block: c.Block, Address: c.Address, TokenID: c.TokenID, TransactionHash: c.TransactionHash, Account: c.Account,
			FromBlock: c.FromBlock, ToBlock: c.ToBlock, Partial: c.Partial,
		},
	})
	stopProgress := func() {}
	// On a terminal, a progress bar would mix with the rows.
	if c.Output != "" || !isTerminal(e.stdout) {
		stopProgress = newProgress(e, "records", x.Progress).stop
	}
	err = writeTo(c.Output, e.stdout, func(out io.Writer) error {
		buffered := bufio.NewWriterSize(out, 64<<10)
		return errors.Join(x.Run(ctx, buffered), buffered.Flush())
	})
	stopProgress()
	if err != nil {
		return c.failed(ctx, e, x, err)
	}
	if c.What != export.Metadata {
		fmt.Fprintf(e.stderr, "Exported from %s.\n", blocksOf(x.Indexed()))
	}
	if x.Cursor() == nil {
		fmt.Fprintf(e.stderr, "Exported 0 %s.\n", c.What)
	} else {
		fmt.Fprintf(e.stderr, "Exported %d %s. To continue later: --after %s\n", x.Rows(), c.What, *x.Cursor())
	}
	return nil
}

// failed returns the error of an unfinished export, with how to continue.
func (c *exportCommand) failed(ctx context.Context, e *env, x *export.Export, err error) error {
	n := x.Rows()
	// Incomplete files and incomplete Parquet are useless.
	kept := n > 0 && c.Output == "" && c.Format != export.Parquet
	if kept {
		return unfinished(ctx, reorged(e, err), fmt.Sprintf("%d %s were written; to continue: %s", n, c.What, e.continued(*x.Cursor())))
	}
	if known := new(apierror.Error); n > 0 && errors.As(err, &known) && known.Code == apierror.CursorReorged {
		return errors.New("a reorg orphaned exported blocks before the end, so the output is incomplete: run the same command again")
	}
	next := "nothing was written; run the same command again"
	if n > 0 && c.Output == "" {
		next = "the output is incomplete; run the same command again"
	}
	return unfinished(ctx, reorged(e, err), next)
}

// reorged adds the command that continues to an error with the code CURSOR_REORGED, and
// returns other errors unchanged.
func reorged(e *env, err error) error {
	var known *apierror.Error
	if !errors.As(err, &known) || known.Code != apierror.CursorReorged {
		return err
	}
	rewind, _ := known.Details["rewindCursor"].(string)
	return &exitError{exitReorged, fmt.Errorf("a reorg orphaned the cursor's block: drop the rows from block retractedFromBlock=%v on, then continue after rewindCursor=%s with: %s",
		known.Details["retractedFromBlock"], rewind, e.continued(rewind))}
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
