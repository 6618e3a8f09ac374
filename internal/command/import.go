package command

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"mintburn/internal/chain"
	"mintburn/internal/evm"
	"mintburn/internal/metadata"
	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// decoding is how logs are read, in every command that reads them.
type decoding struct {
	BurnAddress []evm.Address `help:"Count transfers to this address as burns too (repeatable)." placeholder:"A" sep:","`
	Unindexed   []evm.Address `help:"Read the Transfer events without indexed arguments of this contract, such as CryptoKitties (repeatable)." placeholder:"A" sep:","`
	RangeCap    uint64        `help:"Set aside EIP-2309 ranges of more ids than this; ${default} unless given." default:"10000" placeholder:"N"`
}

// decoder returns a decoder for the given collections, or all if there are none.
func (d *decoding) decoder(contracts []evm.Address) *nft.Decoder {
	set := func(addresses []evm.Address) map[evm.Address]bool {
		m := make(map[evm.Address]bool, len(addresses))
		for _, a := range addresses {
			m[a] = true
		}
		return m
	}
	return &nft.Decoder{BurnAddresses: set(d.BurnAddress), Unindexed: set(d.Unindexed), Contracts: set(contracts), RangeCap: d.RangeCap}
}

type importCommand struct {
	database
	decoding
	Files []string `arg:"" name:"file" help:"NDJSON files, plain, .gz or .zst; - is standard input."`
}

// Run imports the files and reports what was stored.
func (c *importCommand) Run(ctx context.Context, e *env) (err error) {
	recording, err := chain.Open(c.Files, e.stdin)
	if err != nil {
		return err
	}
	s, err := store.Open(ctx, c.DB, store.Options{Loading: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	contracts, err := s.BindContracts(ctx, nil)
	if err != nil {
		return err
	}
	progress := newProgress(e, "bytes", recording.Progress)
	imported, err := (&importer{store: s, recording: recording, env: e, decoder: *c.decoder(contracts), progress: progress}).run(ctx)
	progress.stop()
	if imported.Blocks > 0 || err == nil {
		_, printErr := fmt.Fprintf(e.stdout, "Imported %s.\n", imported)
		err = errors.Join(err, printErr)
	}
	return err
}

// imported counts what an import stored.
type imported struct {
	store.Applied
	documents, refused int
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
		{i.Known, "%d blocks were there already"},
	} {
		if part.n > 0 {
			s += ", " + fmt.Sprintf(part.text, part.n)
		}
	}
	return s
}

// A batch is stored in one transaction: large enough to make its cost small,
// small enough to bound memory and what a crash repeats.
const (
	batchRecords   = 100_000
	batchBlocks    = 20_000
	batchDocuments = 500
)

// importer stores a recording.
type importer struct {
	store     *store.Store
	recording *chain.Recording
	env       *env
	decoder   nft.Decoder
	progress  *progress
}

// batch is what is stored at once, and where its blocks stand.
type batch struct {
	blocks    []nft.Block
	lines     []string
	records   int
	documents []nft.TokenMetadata
}

// run stores everything before the first bad line, and returns its error. One
// goroutine stores while the caller's reads ahead.
func (i *importer) run(ctx context.Context) (imported, error) {
	var total imported
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	batches, stored := make(chan batch), make(chan struct{})
	var storeErr error
	go func() {
		defer close(stored)
		for b := range batches {
			if storeErr = i.save(ctx, b, &total); storeErr != nil {
				stop(storeErr)
				return
			}
		}
	}()
	refused, readErr := i.read(ctx, batches)
	close(batches)
	<-stored
	total.refused = refused
	if storeErr != nil {
		return total, storeErr
	}
	return total, readErr
}

// read decodes the recording into batches. What comes before a bad line is
// handed on.
func (i *importer) read(ctx context.Context, batches chan<- batch) (refused int, err error) {
	var b batch
	hand := func() error {
		select {
		case batches <- b:
			b = batch{}
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	for item, err := range i.recording.Items(ctx) {
		if err != nil {
			return refused, errors.Join(err, hand())
		}
		where := fmt.Sprintf("%s:%d", item.File, item.Line)
		if item.Document != nil {
			if err := b.addDocument(item.Document); err != nil {
				refused++
				i.env.log.Warn("token document refused", "line", where, "reason", err)
			}
		} else if err := b.addBlock(&i.decoder, item.Block, where); err != nil {
			return refused, errors.Join(fmt.Errorf("%s: %w", where, err), hand())
		}
		if b.records >= batchRecords || len(b.blocks) >= batchBlocks || len(b.documents) >= batchDocuments {
			if err := hand(); err != nil {
				return refused, err
			}
		}
	}
	return refused, hand()
}

func (b *batch) addBlock(decoder *nft.Decoder, recorded *evm.Block, where string) error {
	block, err := decoder.Decode(recorded.Header, recorded.Logs)
	if err != nil {
		return err
	}
	b.blocks, b.lines = append(b.blocks, block), append(b.lines, where)
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
	return nil
}

// save stores a batch.
func (i *importer) save(ctx context.Context, b batch, total *imported) error {
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
	total.Blocks += applied.Blocks
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
