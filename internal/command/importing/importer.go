package importing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"mintburn/internal/chain/recording"
	"mintburn/internal/command/console"
	"mintburn/internal/command/process"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/write"
)

// Importer stores a recording.
type Importer struct {
	Store     *write.DB
	Recording *recording.Recording
	Env       *process.Env
	Decoder   nft.Decoder
	// Progress counts the stored records, unless it is nil.
	Progress *console.Progress
	// Full is the number of records that fill a batch.
	Full int
	// Numbering is how the chain numbers its logs, once the database or a block shows it.
	Numbering evm.Numbering
	// Latest is the latest time of a document, as Unix seconds. A later one would keep every other document of
	// the token out until then.
	Latest uint64
	// Bind, if not nil, binds the database before the first batch is stored.
	Bind func() error
	// rejected is the number of rejected documents.
	rejected int
}

// Run stores everything before the first bad line, and returns that line's error.
// Reading, decoding and storing run concurrently.
func (i *Importer) Run(ctx context.Context) (total Imported, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	reading, stopReading := context.WithCancel(ctx)
	items, batches := make(chan recording.Item), make(chan batch)
	var readErr, decodeErr, saveErr error
	var others sync.WaitGroup
	others.Go(func() {
		defer close(items)
		readErr = i.read(reading, items)
	})
	others.Go(func() {
		defer close(batches)
		defer stopReading()
		decodeErr = i.decode(ctx, items, batches)
	})
	for b := range batches {
		if saveErr = i.save(ctx, b, &total); saveErr != nil {
			stop()
			break
		}
	}
	others.Wait()
	total.rejectedDocuments = i.rejected
	return total, cmp.Or(saveErr, decodeErr, readErr)
}

// read sends the lines of the recording, up to the first that it cannot read.
func (i *Importer) read(ctx context.Context, items chan<- recording.Item) error {
	for item, err := range i.Recording.Items(ctx) {
		if err != nil {
			return err
		}
		select {
		case items <- item:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// decode collects the items before the first bad line in batches. A batch grows until
// it is full or, once it is worth a transaction, until the previous one is stored.
func (i *Importer) decode(ctx context.Context, items <-chan recording.Item, batches chan<- batch) (err error) {
	var b batch
	for items != nil || !b.empty() {
		from, to := items, batches
		if b.full(i.Full) {
			from = nil
		} else if items != nil && !b.worthStoring() {
			to = nil
		}
		select {
		case item, open := <-from:
			if open {
				err = i.add(&b, item)
			}
			if !open || err != nil {
				items = nil
			}
		case to <- b:
			b = batch{}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}

// add adds a line of the recording to a batch.
func (i *Importer) add(b *batch, item recording.Item) error {
	where := item.Place()
	if item.Document != nil {
		if item.Document.FetchedAt > i.Latest {
			return fmt.Errorf("%s: fetchedAt: got %d, want Unix seconds up to %d, a day from now", where, item.Document.FetchedAt, i.Latest)
		}
		if err := b.addDocument(item.Document); err != nil {
			i.rejected++
			i.Env.Log.Warn("document rejected", "line", where, "reason", err)
		}
		return nil
	}
	if item.Warning != "" {
		i.Env.Log.Warn("odd archive", "file", item.File, "reason", item.Warning)
	}
	err := i.number(b, item)
	var block nft.Block
	if err == nil {
		block, err = i.Decoder.DecodeBlock(*item.Block)
		block.Proven = item.Proven
	}
	if err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	b.blocks, b.lines = append(b.blocks, block), append(b.lines, where)
	b.records += len(block.Mints) + len(block.Burns)
	return nil
}

// number notes which numbering of logs a block shows, and fails for a list of logs whose
// indices are not those of the block. A list counts as numbered through the block, unless
// all of its logs are in the first transaction, where both numberings are the same.
func (i *Importer) number(b *batch, item recording.Item) error {
	shown := item.Numbering
	if item.Listed && slices.ContainsFunc(item.Block.Logs, func(log evm.Log) bool { return log.TxIndex != evm.TxIndex{Known: true} }) {
		if i.Numbering == evm.NumberingTransaction {
			return errors.New("got logs of a chain that restarts log indices in each transaction: want the receipts of the block")
		}
		shown = evm.NumberingBlock
	}
	if i.Numbering == evm.NumberingUnknown && shown != evm.NumberingUnknown || i.Numbering == evm.NumberingBlock && shown == evm.NumberingTransaction {
		i.Numbering, b.numbering = shown, shown
	}
	return nil
}

// save stores a batch in one transaction, and its documents in another.
func (i *Importer) save(ctx context.Context, b batch, total *Imported) error {
	if i.Bind != nil {
		if err := i.Bind(); err != nil {
			return err
		}
	}
	if b.numbering != evm.NumberingUnknown {
		bound, err := i.Store.Settings().BindNumbering(ctx, b.numbering)
		if err == nil && bound != b.numbering {
			err = fmt.Errorf("log indices are numbered by %s, but another process has stored that it is by %s: run the import again", b.numbering, bound)
		}
		if err != nil {
			return err
		}
	}
	applied, err := i.Store.Apply(ctx, b.blocks)
	if err != nil {
		return b.atLine(err)
	}
	if len(b.documents) > 0 {
		if err := i.Store.PutMetadata(ctx, b.documents); err != nil {
			return err
		}
	}
	if len(b.collections) > 0 {
		stored, err := write.PutCollections(ctx, i.Store, b.collections)
		if err != nil {
			return err
		}
		total.collections += stored
		total.outdatedCollections += len(b.collections) - stored
	}
	total.add(b, applied)
	if i.Progress != nil {
		i.Progress.Add(applied.Mints + applied.Burns)
	}
	return nil
}
