package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"mintburn/internal/chain/recording"
	"mintburn/internal/chain/wire"
	"mintburn/internal/command/console"
	"mintburn/internal/command/following"
	"mintburn/internal/command/process"
	"mintburn/internal/evm"
	"mintburn/internal/export"
	"mintburn/internal/store"
)

type proofsCommand struct {
	following.Rules
	Contract  []evm.Address `help:"Print only mints and burns of this collection (repeatable)." placeholder:"A" sep:","`
	BlockHash *evm.Hash     `help:"Hash of the block, from a source that you trust. Default: the one in the file." placeholder:"HASH"`
	Files     []string      `arg:"" name:"file" help:"Answers of /v1/block/BLOCK/proof, one after another; - is standard input."`
}

// Run checks each proof and prints what it proves. It stops at the first that fails.
func (c *proofsCommand) Run(ctx context.Context, e *process.Env) error {
	if c.BlockHash == nil {
		e.Log.Warn("the hashes of the blocks come from the files: compare them with a source that you trust, or pass --block-hash")
	}
	for _, file := range c.Files {
		if err := c.check(ctx, e, file); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

// check checks the proofs of a file, which must have one.
func (c *proofsCommand) check(ctx context.Context, e *process.Env, file string) error {
	in := &io.LimitedReader{R: e.Stdin}
	if file != "-" {
		opened, err := os.Open(file)
		if err != nil {
			return err
		}
		defer opened.Close()
		in.R = opened
	}
	for n, answers := 1, json.NewDecoder(in); ; n++ {
		var proof wire.Proof
		in.N = recording.MaxLine
		err := answers.Decode(&proof)
		switch {
		case errors.Is(err, io.EOF) && n > 1:
			fmt.Fprintf(e.Stderr, "%s: proved %s.\n", file, console.Count(n-1, "block"))
			return nil
		case err != nil && in.N == 0:
			err = fmt.Errorf("got more than %d bytes", recording.MaxLine)
		case err == nil:
			err = cmp.Or(c.print(e, &proof), ctx.Err())
		}
		if err != nil {
			return fmt.Errorf("answer %d: %w", n, err)
		}
	}
}

// print prints the records of a block in chain order, as export does. It fails if they are not
// proved.
func (c *proofsCommand) print(e *process.Env, proof *wire.Proof) error {
	if c.BlockHash != nil && proof.BlockHash != *c.BlockHash {
		return fmt.Errorf("proof: the block's hash is %s, want --block-hash %s", proof.BlockHash, c.BlockHash)
	}
	block, err := proof.Check()
	if err != nil {
		return fmt.Errorf("proof: %w", err)
	}
	decoded, err := c.Decoder(c.Contract).DecodeBlock(*block)
	if err != nil {
		return err
	}
	var list []*store.Transfer
	for _, r := range slices.Concat(decoded.Mints, decoded.Burns) {
		list = append(list, &store.Transfer{Record: r, Block: block.Header.BlockRef, Time: block.Header.Time})
	}
	slices.SortStableFunc(list, func(a, b *store.Transfer) int { return cmp.Compare(a.LogIndex, b.LogIndex) })
	return export.Proved(e.Stdout, list)
}
