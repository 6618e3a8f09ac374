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
	"mintburn/internal/command/opening"
	"mintburn/internal/command/process"
	"mintburn/internal/evm"
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
		i := &importer{store: s, recording: recording, env: e, decoder: *decoder, full: fullRecords, numbering: numbering, latest: uint64(e.Now().Add(24 * time.Hour).Unix())}
		i.bind = sync.OnceValue(func() error {
			_, _, err := c.bindTo(ctx, e, s.Settings())
			return err
		})
		if steps > 0 {
			i.full = fullUnindexed
		}
		i.progress = console.NewProgress(e.Console, "bytes", recording.Progress)
		imported, err := i.run(ctx)
		i.progress.Stop()
		if err == nil {
			err = i.bind()
		}
		if err == nil && c.Final {
			err = imported.finalize(ctx, s)
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

// imported counts the data that an import stored.
type imported struct {
	write.Applied
	// documents are those that are stored now, outdatedDocuments those whose token has a newer
	// one.
	documents, outdatedDocuments, rejectedDocuments int
	// collections and outdatedCollections are the same for the documents of collections.
	collections, outdatedCollections int
	// last is the highest block of the files, stored now or before. It is nil if they
	// contain none.
	last *evm.Header
}

// add counts a stored batch.
func (i *imported) add(b batch, applied write.Applied) {
	i.Blocks += applied.Blocks
	i.Proven += applied.Proven
	i.Known += applied.Known
	i.Mints += applied.Mints
	i.Burns += applied.Burns
	i.Rejected += applied.Rejected
	for n := range b.documents {
		if b.documents[n].Outdated {
			i.outdatedDocuments++
		} else {
			i.documents++
		}
	}
	for n := range b.blocks {
		if h := b.blocks[n].Header; i.last == nil || h.Number > i.last.Number {
			i.last = &h
		}
	}
}

// finalize marks the last block as finalized, unless a later block already is. It fails if
// the files contain no block.
func (i imported) finalize(ctx context.Context, s *write.DB) error {
	if i.last == nil {
		return errors.New("--final: the files contain no block")
	}
	return s.SetFinalized(ctx, *i.last)
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

// String returns the counts as the rest of a sentence that begins with "Imported".
func (i imported) String() string {
	s := fmt.Sprintf("%d blocks with %d mints and %d burns", i.Blocks, i.Mints, i.Burns)
	for _, part := range []struct {
		n    int
		text string
	}{
		{i.Rejected, "%d malformed logs rejected"},
		{i.documents, "%d token documents"},
		{i.outdatedDocuments, "%d token documents older than the stored ones"},
		{i.collections, "%d collection documents"},
		{i.outdatedCollections, "%d collection documents older than the stored ones"},
		{i.rejectedDocuments, "%d documents rejected"},
		{i.Proven, "%d blocks verified"},
		{i.Known, "%d blocks already stored"},
	} {
		if part.n > 0 {
			s += ", " + fmt.Sprintf(part.text, part.n)
		}
	}
	return s
}
