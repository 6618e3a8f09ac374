package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mintburn/internal/chain/recording"
	"mintburn/internal/evm"
	"mintburn/internal/metadata"
	"mintburn/internal/nft"
	"mintburn/internal/store"
)

type importCommand struct {
	database
	decoding
	ChainID *uint64  `help:"The chain that the files are of, by its EIP-155 id: no recording says it." placeholder:"N"`
	Final   bool     `help:"Note that the last imported block is final: no reorg can orphan it."`
	Files   []string `arg:"" name:"file" help:"NDJSON files, plain, .gz or .zst; - is standard input."`
}

// Validate refuses values that no flag type refuses.
func (c *importCommand) Validate() error {
	stdins := 0
	for _, path := range c.Files {
		if path == "-" {
			stdins++
		}
	}
	if stdins > 1 {
		return fmt.Errorf("standard input (-) is given %d times: want it once at most", stdins)
	}
	return c.check()
}

// Run imports the files and reports what was stored.
func (c *importCommand) Run(ctx context.Context, e *env) error {
	recording, err := recording.Open(c.Files, e.stdin)
	if err != nil {
		return err
	}
	err = c.load(ctx, e, func(s *store.Store) error {
		if c.ChainID != nil {
			if err := s.BindChain(ctx, *c.ChainID); err != nil {
				return fmt.Errorf("--chain-id: %w", err)
			}
		}
		decoder, err := c.bind(ctx, e, s, nil)
		if err != nil {
			return err
		}
		unindexed, err := s.Loading(ctx)
		if err != nil {
			return err
		}
		progress := newProgress(e, "bytes", recording.Progress)
		numbering, err := s.Numbering(ctx)
		if err != nil {
			return err
		}
		imported, err := (&importer{
			store: s, recording: recording, env: e, decoder: *decoder, progress: progress, unindexed: unindexed, numbering: numbering,
		}).run(ctx)
		progress.stop()
		if err == nil && c.Final {
			err = imported.finalize(ctx, s)
		}
		if imported.Blocks > 0 || err == nil {
			_, printErr := fmt.Fprintf(e.stdout, "Imported %s.\n", imported)
			err = errors.Join(err, printErr)
		}
		return err
	})
	return unfinished(ctx, err, again)
}

// imported counts what an import stored.
type imported struct {
	store.Applied
	proven, documents, refused int
	// last is the highest block, whether or not it was there already, and nil
	// before the first.
	last *evm.Header
}

// finalize notes that the last block is final, unless a later one is already.
func (i imported) finalize(ctx context.Context, s *store.Store) (err error) {
	if i.last == nil {
		return errors.New("--final: the files hold no block")
	}
	snapshot := s.Snapshot()
	chain, err := snapshot.Chain(ctx)
	if err := errors.Join(err, snapshot.Close()); err != nil {
		return err
	}
	if chain.Finalized != nil && chain.Finalized.Number >= i.last.Number {
		return nil
	}
	return s.SetFinalized(ctx, *i.last)
}

// String is a sentence's middle.
func (i imported) String() string {
	s := fmt.Sprintf("%d blocks with %d mints and %d burns", i.Blocks, i.Mints, i.Burns)
	for _, part := range []struct {
		n    int
		text string
	}{
		{i.Rejected, "%d malformed logs set aside"},
		{i.documents, "%d token documents"},
		{i.refused, "%d token documents refused"},
		{i.proven, "%d blocks verified"},
		{i.Known, "%d blocks were there already"},
	} {
		if part.n > 0 {
			s += ", " + fmt.Sprintf(part.text, part.n)
		}
	}
	return s
}

// A batch is stored in one transaction. While one is stored the next is read,
// and grows until it is full: the larger, the fewer times each page of the
// indexes is written, if there are any. What memory it takes and what a crash
// repeats is bounded.
const (
	fullRecords   = 250_000
	fullUnindexed = 50_000 // records
	fullBlocks    = 50_000
	fullDocuments = 16 << 20 // bytes
)

// A batch of so many is stored at once when nothing else is being stored.
const (
	someRecords   = 10_000
	someBlocks    = 1_000
	someDocuments = 500
)

// importer stores a recording.
type importer struct {
	store     *store.Store
	recording *recording.Recording
	env       *env
	decoder   nft.Decoder
	progress  *progress
	// unindexed says that the database gets its indexes later.
	unindexed bool
	// numbering is how the chain numbers its logs, as far as was read.
	numbering evm.Numbering
}

// batch is what is stored at once, and where its blocks stand.
type batch struct {
	blocks []nft.Block
	lines  []string
	// numbering is what the blocks show.
	numbering evm.Numbering
	records   int
	documents []nft.TokenMetadata
	// documentBytes is the length of the documents.
	documentBytes int
}

// full reports whether nothing more may be added to a batch of so many records.
func (b *batch) full(records int) bool {
	return b.records >= records || len(b.blocks) >= fullBlocks || b.documentBytes >= fullDocuments
}

// some reports whether there is enough to be worth a transaction.
func (b *batch) some() bool {
	return b.records >= someRecords || len(b.blocks) >= someBlocks || len(b.documents) >= someDocuments
}

// empty reports whether there is nothing to store.
func (b *batch) empty() bool { return len(b.blocks) == 0 && len(b.documents) == 0 }

// run stores everything before the first bad line, and returns its error. One
// goroutine stores while the caller's reads ahead.
func (i *importer) run(ctx context.Context) (imported, error) {
	var total imported
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	full := fullRecords
	if i.unindexed {
		full = fullUnindexed
	}
	next, stored := newPending(full), make(chan struct{})
	defer context.AfterFunc(ctx, next.refuse)()
	var storeErr error
	go func() {
		defer close(stored)
		for b, ok := next.take(); ok; b, ok = next.take() {
			if storeErr = i.save(ctx, b, &total); storeErr != nil {
				stop(storeErr)
				return
			}
		}
		// Where ctx ended the taking, what was read last is not stored.
		storeErr = ctx.Err()
	}()
	refused, readErr := i.read(ctx, next)
	next.end()
	<-stored
	total.refused = refused
	if storeErr != nil {
		return total, storeErr
	}
	return total, readErr
}

// read decodes the recording, up to the first bad line.
func (i *importer) read(ctx context.Context, next *pending) (refused int, err error) {
	for item, err := range i.recording.Items(ctx) {
		if err != nil {
			return refused, err
		}
		err := next.add(func(b *batch) error {
			where := fmt.Sprintf("%s:%d", item.File, item.Line)
			if item.Document == nil {
				err := i.number(b, item)
				if err == nil {
					err = b.addBlock(&i.decoder, item)
				}
				if err != nil {
					return fmt.Errorf("%s: %w", where, err)
				}
				b.lines = append(b.lines, where)
				return nil
			}
			if err := b.addDocument(item.Document); err != nil {
				refused++
				i.env.log.Warn("token document refused", "line", where, "reason", err)
			}
			return nil
		})
		if err != nil {
			return refused, err
		}
	}
	return refused, nil
}

// number notes what a block shows of how the chain numbers its logs, and refuses
// what contradicts it. A list of logs counts as numbered through the block, unless
// all of them are of the first transaction, where it makes no difference.
func (i *importer) number(b *batch, item recording.Item) error {
	shown := item.Numbering
	if item.Listed && slices.ContainsFunc(item.Block.Logs, func(log evm.Log) bool { return log.TxIndex != evm.TxIndex{Known: true} }) {
		if i.numbering == evm.NumberingTransaction {
			return errors.New("logs of a chain whose log indices begin again in each transaction: want the receipts of the block")
		}
		shown = evm.NumberingBlock
	}
	if shown == evm.NumberingTransaction && i.numbering == evm.NumberingBlock {
		return errors.New("the log indices do not grow through the block, which they do in other blocks of this chain")
	}
	if i.numbering == evm.NumberingUnknown && shown != evm.NumberingUnknown {
		i.numbering, b.numbering = shown, shown
	}
	return nil
}

func (b *batch) addBlock(decoder *nft.Decoder, item recording.Item) error {
	block, err := decoder.Decode(item.Block.Header, item.Block.Logs)
	if err != nil {
		return err
	}
	block.Proven = item.Proven
	b.blocks = append(b.blocks, block)
	b.records += len(block.Mints) + len(block.Burns)
	return nil
}

func (b *batch) addDocument(d *nft.Document) error {
	// A recorded document does not say its standard; only ERC-1155 URIs have
	// the placeholder whose replacement depends on it.
	standard := nft.ERC721
	if strings.Contains(d.URI, "{id}") {
		standard = nft.ERC1155
	}
	normalised, err := metadata.Normalise(d.Raw, standard, d.TokenID)
	if err != nil {
		return err
	}
	b.documents = append(b.documents, nft.TokenMetadata{
		TokenKey: d.TokenKey, Type: standard, FetchedAt: d.FetchedAt, URI: d.URI, Raw: d.Raw, Metadata: normalised,
	})
	b.documentBytes += len(d.URI) + len(d.Raw)
	return nil
}

// save stores a batch.
func (i *importer) save(ctx context.Context, b batch, total *imported) error {
	if b.numbering != evm.NumberingUnknown {
		bound, err := i.store.BindNumbering(ctx, b.numbering)
		if err == nil && bound != b.numbering {
			err = fmt.Errorf("log indices are numbered by %s, but the database says by %s since: run it again", b.numbering, bound)
		}
		if err != nil {
			return err
		}
	}
	applied, err := i.store.Apply(ctx, b.blocks)
	if err != nil {
		var bad *store.BlockError
		if errors.As(err, &bad) {
			for n := range b.blocks {
				if b.blocks[n].Header.BlockRef == bad.Block {
					return fmt.Errorf("%s: %w", b.lines[n], err)
				}
			}
		}
		return err
	}
	if len(b.documents) > 0 {
		if err := i.store.PutMetadata(ctx, b.documents); err != nil {
			return err
		}
	}
	for n := range b.blocks {
		if h := b.blocks[n].Header; total.last == nil || h.Number > total.last.Number {
			total.last = &h
		}
	}
	total.Blocks += applied.Blocks
	total.proven += applied.Proven
	total.Known += applied.Known
	total.Mints += applied.Mints
	total.Burns += applied.Burns
	total.Rejected += applied.Rejected
	total.documents += len(b.documents)
	if i.progress != nil {
		i.progress.add(applied.Mints + applied.Burns)
	}
	return nil
}
