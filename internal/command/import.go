package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"mintburn/internal/chain/recording"
	"mintburn/internal/command/console"
	"mintburn/internal/command/flags"
	"mintburn/internal/command/following"
	"mintburn/internal/command/importing"
	"mintburn/internal/command/opening"
	"mintburn/internal/command/process"
	"mintburn/internal/nft"
	"mintburn/internal/store/write"
)

type importCommand struct {
	opening.Opening
	following.Decoding
	following.Deployment
	ChainID *uint64  `help:"EIP-155 id of the recorded chain, which the files do not contain." placeholder:"N"`
	Final   bool     `help:"Mark the last imported block as finalized: no reorg can orphan it."`
	Files   []string `arg:"" name:"file" help:"NDJSON files, plain, .gz or .zst; era1 and ere archives; - is standard input, for NDJSON."`
}

// Validate checks constraints that the flag types cannot express.
func (c *importCommand) Validate() error {
	if i := slices.Index(c.Files, "-"); i >= 0 && slices.Contains(c.Files[i+1:], "-") {
		return errors.New("FILE: got standard input (-) twice, want it at most once")
	}
	return c.Check()
}

// Run imports the files and prints how much was stored.
func (c *importCommand) Run(ctx context.Context, e *process.Env) error {
	recording, err := recording.Open(c.Files, e.Stdin)
	if err != nil {
		return err
	}
	return c.Load(ctx, e, func(s *write.DB) error {
		if err := c.checkNetworks(ctx, s); err != nil {
			return err
		}
		decoder, transactions, err := c.bindTo(ctx, e, s.Settings().Unstored())
		if err != nil {
			return err
		}
		recording.Transactions = transactions
		steps, err := write.LoadOf(s).Steps(ctx)
		if err != nil {
			return err
		}
		numbering, err := s.Settings().Numbering(ctx)
		if err != nil {
			return err
		}
		i := &importing.Importer{Store: s, Recording: recording, Env: e, Decoder: *decoder, Full: importing.FullRecords, Numbering: numbering, Latest: uint64(e.Now().Add(24 * time.Hour).Unix())}
		i.Bind = sync.OnceValue(func() error {
			_, _, err := c.bindTo(ctx, e, s.Settings())
			return err
		})
		if steps > 0 {
			i.Full = importing.FullUnindexed
		}
		i.Progress = console.NewProgress(e.Console, "bytes", recording.Progress)
		imported, err := i.Run(ctx)
		i.Progress.Stop()
		if err == nil {
			err = i.Bind()
		}
		if err == nil && c.Final {
			err = imported.Finalize(ctx, s)
		}
		if err == nil && c.FromDeployment {
			err = flags.Error("--from-deployment", declareDeployment(ctx, s))
		}
		if imported.Blocks > 0 || err == nil {
			_, printErr := fmt.Fprintf(e.Stdout, "Imported %s.\n", imported)
			err = errors.Join(err, printErr)
		}
		return err
	})
}

// bindTo binds a database to the options of the flags, with settings, and returns its decoder and
// whether it stores the details of transactions.
func (c *importCommand) bindTo(ctx context.Context, e *process.Env, settings write.Settings) (decoder *nft.Decoder, transactions bool, err error) {
	if c.ChainID != nil {
		if err := settings.BindChain(ctx, *c.ChainID); err != nil {
			return nil, false, flags.Error("--chain-id", err)
		}
	}
	if decoder, err = c.Decoding.Bind(ctx, e, settings, nil); err == nil {
		transactions, err = settings.BindTransactions(ctx, c.Transactions)
	}
	return decoder, transactions, err
}

// checkNetworks fails if the name of an archive names another chain than --chain-id or the
// database.
func (c *importCommand) checkNetworks(ctx context.Context, s *write.DB) error {
	id, err := s.Settings().ChainID(ctx)
	if err != nil {
		return err
	}
	if id == nil {
		id = c.ChainID
	}
	for _, file := range c.Files {
		if claimed, ok := recording.ArchivedChain(file); ok && id != nil && claimed != *id {
			return fmt.Errorf("%s: got an archive of chain %d, want one of chain %d", file, claimed, *id)
		}
	}
	return nil
}

// declareDeployment stores that no mint or burn precedes the first indexed block.
func declareDeployment(ctx context.Context, s *write.DB) (err error) {
	snapshot := s.Snapshot()
	ranges, err := snapshot.Indexed(ctx)
	if err = errors.Join(err, snapshot.Close()); err != nil || len(ranges) == 0 {
		return err
	}
	return s.Settings().SetDeployment(ctx, ranges[0].From)
}
