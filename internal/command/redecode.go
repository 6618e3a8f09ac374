package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/indexer"
	"mintburn/internal/store/proof"
	"mintburn/internal/store/write"
)

type redecodeCommand struct {
	opening
	decoding
	nodes
}

// Help implements kong.HelpProvider.
func (*redecodeCommand) Help() string {
	return "Fetches the logs of all indexed blocks again and decodes them with the given options, and defaults for the others. " +
		"Ranges are replaced one by one. After an interruption, the same command continues; with the former options, it reverts. " +
		"Until it finishes, other commands store no blocks."
}

// Validate checks constraints that the flag types cannot express.
func (c *redecodeCommand) Validate() error { return cmp.Or(c.opening.check(), c.require()) }

// Run decodes the indexed blocks again.
func (c *redecodeCommand) Run(ctx context.Context, e *env) (err error) {
	s, err := c.read(ctx, e, write.Options{Options: database.Options{Loading: true}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := lead(ctx, e, s); err != nil {
		return err
	}
	contracts, err := s.Settings().BindContracts(ctx, nil)
	if err != nil {
		return err
	}
	decoder := newDecoder(c.given(), contracts)
	o, err := clientOptions(ctx, e, s, s.Settings().Unstored(), decoder, c.decoding)
	if err != nil {
		return err
	}
	client, err := c.dial(ctx, e, s, s.Settings(), o, false)
	if err != nil {
		return err
	}
	defer client.Close()
	to, left, err := proof.NewRedecoding(s).Begin(ctx, c.given())
	if err == nil {
		_, err = s.Settings().BindTransactions(ctx, c.Transactions)
	}
	if err != nil {
		return err
	}
	var total, done, records atomic.Int64
	for _, r := range left {
		total.Add(int64(r.To - r.From + 1))
	}
	e.log.Info("redecoding", "options", to, "blocks", total.Load())
	progress := newProgress(e, "blocks", func() (int64, int64) { return done.Load(), total.Load() })
	defer progress.stop()
	redecoder := &indexer.Redecoder{
		Follower: &indexer.Follower{
			Source: &source{Client: client, store: s}, Store: followed{DB: s, client: client, env: e}, Decoder: decoder, Loop: indexer.Loop{Log: e.log},
			HeaderDepth: headerDepth, ReceiptsDepth: receiptsDepth, Workers: indexer.DefaultWorkers,
			Progress: func(p indexer.Progress) {
				done.Add(int64(p.Blocks))
				records.Add(int64(p.Records))
				progress.add(p.Records)
			},
		},
		Left: func(ctx context.Context) ([]evm.Range, error) {
			_, left, err := proof.NewRedecoding(s).Begin(ctx, to)
			return left, err
		},
		Write: proof.NewRedecoding(s).Replace,
	}
	err = redecoder.Run(ctx)
	if err == nil {
		err = settle(ctx, doubtful(newAuditor(e, s, client, decoder), client, s))
	}
	if err == nil {
		err = proof.NewRedecoding(s).Finish(ctx)
	}
	if err != nil {
		return &unfinishedError{err, again}
	}
	_, err = fmt.Fprintf(e.stdout, "Redecoded %d blocks with %d mints and burns: the database now has %s.\n", done.Load(), records.Load(), to)
	return err
}
