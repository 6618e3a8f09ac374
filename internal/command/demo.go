package command

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"mintburn/internal/chain/recording"
	"mintburn/internal/command/following"
	"mintburn/internal/command/importing"
	"mintburn/internal/command/opening"
	"mintburn/internal/command/process"
	"mintburn/internal/command/serving"
	"mintburn/internal/demo"
	"mintburn/internal/nft"
	"mintburn/internal/retrying"
	"mintburn/internal/store/facet"
	"mintburn/internal/store/write"
)

type demoCommand struct {
	serving.Listening
	Live bool `help:"Add a block above the recorded ones every two seconds, and a reorg every minute."`
}

func (*demoCommand) endless() bool { return true }

// Run imports the recorded chain into a temporary database and serves it until ctx
// ends. With --live it adds blocks meanwhile.
func (c *demoCommand) Run(ctx context.Context, e *process.Env) (err error) {
	version, _ := versions()
	traces, stop, err := serving.StartTracing(ctx, e.Log, version)
	if err != nil {
		return err
	}
	defer stop()
	folder, err := os.MkdirTemp("", "mintburn-demo-")
	if err != nil {
		return fmt.Errorf("creating a folder for the demo: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	s, err := write.Open(ctx, filepath.Join(folder, "demo.db"), c.Options(traces, folder, 1))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	recording, err := recording.Open([]string{"-"}, demo.Open())
	if err != nil {
		return err
	}
	if err := s.Settings().BindChain(ctx, demo.ChainID); err != nil {
		return err
	}
	if _, _, err := s.Settings().BindDecoding(ctx, nft.Decoding{}); err != nil {
		return err
	}
	// Like import --transactions.
	if _, err := s.Settings().BindTransactions(ctx, new(true)); err != nil {
		return err
	}
	recording.Transactions = true
	// The clock may be before the recording.
	imported, err := (&importing.Importer{Store: s, Recording: recording, Env: e, Full: importing.FullRecords, Latest: math.MaxInt64}).Run(ctx)
	if err != nil {
		return err
	}
	// No reorg can orphan recorded blocks.
	if err := imported.Finalize(ctx, s); err != nil {
		return err
	}
	// Like migrate --index-traits.
	for done := false; !done; {
		if done, err = write.StepTraits(ctx, s, (*facet.Changes).Build); err != nil {
			return err
		}
	}
	if err := opening.FillDigests(ctx, e, s); err != nil {
		return err
	}
	served := &serving.Chain{DSN: folder, Listening: c.Listening, Env: e}
	served.Open(s)
	listener, err := c.Enter(e)
	if err != nil {
		return err
	}
	both, ctx := errgroup.WithContext(ctx)
	if c.Live {
		both.Go(func() error {
			// The server continues, as it does without a node.
			if err := demo.Live(ctx, s, retrying.Clock{Now: e.Now}, *imported.Last); ctx.Err() == nil {
				e.Log.ErrorContext(ctx, "no further live blocks", "error", err)
			}
			return nil
		})
	}
	both.Go(func() error {
		serving.WarnOfHTTP1(e)
		return c.Serve(ctx, e, []*serving.Chain{served}, "", listener, following.Resolving{}, traces, func(base string) {
			fmt.Fprintf(e.Stdout, "Imported %s.\n", imported)
			welcome(e.Stdout, base, "{ mints(block: 82) { totalItems data { tokenAddress tokenId to } } }", c.RequireAPIKey)
		})
	})
	return both.Wait()
}
