package store

import (
	"context"
	"errors"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/coverage"
	"mintburn/ent/mint"
	"mintburn/ent/rejectedlog"
	"mintburn/ent/resolution"
	"mintburn/ent/token"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// redecoding is an unfinished redecode.
type redecoding struct {
	// To are the options that the blocks get.
	To Decoding `json:"to"`
	// Done are the blocks that have them, in order. Changed are all that no longer
	// have the options of the setting "decoding".
	Done    []Range `json:"done,omitempty"`
	Changed []Range `json:"changed,omitempty"`
}

// error says how to go on.
func (r *redecoding) error() error {
	return &DecodingError{Unfinished: true, text: fmt.Sprintf("the change of the database to %s is not finished: mintburn redecode --db DSN --rpc URL %s finishes it", r.To, r.To)}
}

// left returns those of the indexed ranges that are to be decoded again.
func (r *redecoding) left(stored *Decoding, indexed []Range) []Range {
	left := indexed
	if stored != nil && stored.equal(r.To) {
		// The way back.
		left = nil
		for _, changed := range r.Changed {
			left = append(left, common(indexed, changed)...)
		}
	}
	for _, done := range r.Done {
		left = without(left, done)
	}
	return left
}

// BeginRedecode begins to change the options of the database, or goes on with a
// change to the same options, and returns the ranges that are left to be given to
// [Store.Redecode]. Options that are not given get their defaults. From then on
// until [Store.FinishRedecode], only s and other stores that redecode to the same
// options store blocks. A change to the stored options undoes what an unfinished
// one has done; without one nothing is left.
func (s *Store) BeginRedecode(ctx context.Context, to Decoding) (bound Decoding, left []Range, err error) {
	to = to.over(Decoding{})
	_, err = s.write(ctx, func(ctx context.Context, w *writer) error {
		indexed, err := rangesOf(ctx, w.store.client(w.tx), coverage.KindIndexed)
		if err == nil && len(indexed) == 0 {
			err = errors.New("nothing is indexed yet: the options of the decoder are stored with the first blocks")
		}
		if err != nil {
			return err
		}
		stored, unfinished, err := w.decoding(ctx)
		before := s.bound.Load()
		switch {
		case err != nil:
			return err
		case unfinished == nil && stored != nil && stored.equal(to):
			return nil
		case unfinished == nil:
			unfinished = &redecoding{To: to}
		case unfinished.To.equal(to):
		case before != nil && before.redecodes:
			// Another process changes the options to others meanwhile.
			return unfinished.error()
		default:
			unfinished.To, unfinished.Done = to, nil
		}
		left = unfinished.left(stored, indexed)
		return w.setJSON(ctx, settingRedecoding, unfinished)
	})
	if err != nil {
		return Decoding{}, nil, err
	}
	s.bound.Store(&binding{Decoding: to, redecodes: true})
	return to, left, nil
}

// Redecode replaces the records and the rejected logs of a range by those of
// blocks, all within one transaction, where [Store.BeginRedecode] has left the
// range. Blocks that hold nothing need not be given. With proven the range counts
// as verified, otherwise it no longer does. Refreshes are left as they are, since
// no option changes them. It returns a [*BlockError], and changes nothing, if a
// block contradicts what is stored, or if the range is not indexed any more.
func (s *Store) Redecode(ctx context.Context, blocks []nft.Block, r Range, proven bool) error {
	if err := checkWithin(blocks, r); err != nil {
		return err
	}
	_, err := s.write(ctx, func(ctx context.Context, w *writer) error {
		if err := w.checkDecoding(ctx); err != nil {
			return err
		}
		if _, err := w.requireIndexed(ctx, r); err != nil {
			return err
		}
		blocks, err := w.withHeaders(ctx, blocks, r)
		if err != nil {
			return err
		}
		if err := w.renew(ctx); err != nil {
			return err
		}
		if err := w.replaceRange(ctx, blocks, r); err != nil {
			return err
		}
		return w.redecoded(ctx, r, proven)
	})
	if err != nil {
		return fmt.Errorf("redecoding blocks %d to %d: %w", r.From, r.To, err)
	}
	return nil
}

// withHeaders returns the blocks in order, with an empty one for each other
// header that is stored in the range. Where the parent of a block is not known,
// it is the stored one.
func (w *writer) withHeaders(ctx context.Context, blocks []nft.Block, r Range) ([]nft.Block, error) {
	blocks = inOrder(blocks)
	for run := range consecutive(blocks) {
		if _, err := w.check(ctx, run); err != nil {
			return nil, err
		}
	}
	stored, err := w.headers(ctx, r)
	if err != nil {
		return nil, err
	}
	for i := range blocks {
		b := &blocks[i]
		if b.Header.ParentHash.IsZero() {
			b.Header.ParentHash = stored[b.Header.Number].ParentHash
		}
		b.Refreshes = nil
		delete(stored, b.Header.Number)
	}
	for _, h := range stored {
		blocks = append(blocks, nft.Block{Header: h})
	}
	return inOrder(blocks), nil
}

// replaceRange stores blocks in place of all that is stored of a range.
func (w *writer) replaceRange(ctx context.Context, blocks []nft.Block, r Range) error {
	client := w.store.client(w.tx)
	before, err := w.mintedIn(ctx, r)
	if err != nil {
		return err
	}
	queued, err := rangesOf(ctx, client, coverage.KindQueued)
	if err != nil {
		return err
	}
	if err := w.uncoverRange(ctx, coverage.KindQueued, r); err != nil {
		return fmt.Errorf("trimming coverage: %w", err)
	}
	for _, kind := range []nft.Kind{nft.Mint, nft.Burn} {
		if err := w.removeRecords(ctx, kind, firstIn(r.From), lastIn(r.To), false); err != nil {
			return err
		}
	}
	if _, err := client.Block.Delete().Where(blockIDs(r)...).Exec(ctx); err != nil {
		return fmt.Errorf("removing headers: %w", err)
	}
	if _, err := client.RejectedLog.Delete().Where(rejectedlog.IDGTE(firstIn(r.From)), rejectedlog.IDLTE(lastIn(r.To))).Exec(ctx); err != nil {
		return fmt.Errorf("removing rejected logs: %w", err)
	}
	if len(blocks) > 0 {
		if err := w.insert(ctx, blocks); err != nil {
			return err
		}
	}
	if err := w.coverLinked(ctx, blocks); err != nil {
		return fmt.Errorf("storing which headers are: %w", err)
	}
	after, err := w.mintedIn(ctx, r)
	if err != nil {
		return err
	}
	added := false
	for t := range after {
		added = added || !before[t]
		delete(before, t)
	}
	for t := range before {
		if err := w.removeUnminted(ctx, t); err != nil {
			return err
		}
	}
	if added {
		return nil
	}
	for _, again := range common(queued, r) {
		if err := w.cover(ctx, coverage.KindQueued, again); err != nil {
			return fmt.Errorf("storing coverage: %w", err)
		}
	}
	return nil
}

// minted names a token.
type minted struct {
	contract int64
	id       evm.Uint256
}

// mintedIn returns the tokens that have a mint in a range.
func (w *writer) mintedIn(ctx context.Context, r Range) (map[minted]bool, error) {
	tokens := map[minted]bool{}
	mints := w.store.builder().Select(mint.FieldContractID, mint.FieldTokenID).From(entsql.Table(mint.Table)).
		Where(entsql.And(entsql.GTE(mint.FieldID, firstIn(r.From)), entsql.LTE(mint.FieldID, lastIn(r.To))))
	err := w.query(ctx, mints, func(scan func(...any) error) error {
		var t minted
		err := scan(&t.contract, &t.id)
		tokens[t] = true
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading mints: %w", err)
	}
	return tokens, nil
}

// removeUnminted removes what the queue and the documents know of a token, if it
// has no mint.
func (w *writer) removeUnminted(ctx context.Context, t minted) error {
	client := w.store.client(w.tx)
	left, err := client.Mint.Query().Where(mint.ContractID(t.contract), mint.TokenID(t.id)).Exist(ctx)
	if err != nil || left {
		return err
	}
	documents, err := client.Token.Query().Where(token.ContractID(t.contract), token.TokenID(t.id)).IDs(ctx)
	if err != nil {
		return fmt.Errorf("looking for tokens: %w", err)
	}
	for _, id := range documents {
		if err := w.removeDocument(ctx, id); err != nil {
			return fmt.Errorf("removing token metadata: %w", err)
		}
	}
	if _, err := client.Resolution.Delete().Where(resolution.ContractID(t.contract), resolution.TokenID(t.id)).Exec(ctx); err != nil {
		return fmt.Errorf("removing tokens from the queue: %w", err)
	}
	return nil
}

// redecoded notes that a range has the new options, and what is proved of it.
func (w *writer) redecoded(ctx context.Context, r Range, proven bool) error {
	mark := w.uncoverRange
	if proven {
		mark = w.cover
	}
	if err := mark(ctx, coverage.KindVerified, r); err != nil {
		return fmt.Errorf("storing what is verified: %w", err)
	}
	var spotted []Range
	_, unfinished, err := w.decoding(ctx)
	if err == nil {
		err = w.get(ctx, map[string]any{settingSpotted: &spotted})
	}
	if err != nil {
		return err
	}
	if len(spotted) > 0 {
		if err := w.setJSON(ctx, settingSpotted, without(spotted, r)); err != nil {
			return err
		}
	}
	if unfinished == nil {
		// Another process has finished: the range had these options.
		return nil
	}
	unfinished.Done, unfinished.Changed = r.Join(unfinished.Done), r.Join(unfinished.Changed)
	return w.setJSON(ctx, settingRedecoding, unfinished)
}

// FinishRedecode stores the options of [Store.BeginRedecode]. It fails while
// blocks are left.
func (s *Store) FinishRedecode(ctx context.Context) error {
	_, err := s.write(ctx, func(ctx context.Context, w *writer) error {
		if err := w.checkDecoding(ctx); err != nil {
			return err
		}
		stored, unfinished, err := w.decoding(ctx)
		if err != nil || unfinished == nil {
			return err
		}
		indexed, err := rangesOf(ctx, w.store.client(w.tx), coverage.KindIndexed)
		if err != nil {
			return err
		}
		if left := unfinished.left(stored, indexed); len(left) > 0 {
			return fmt.Errorf("finishing to redecode: blocks %d to %d are left", left[0].From, left[0].To)
		}
		if err := w.store.client(w.tx).Setting.DeleteOneID(settingRedecoding).Exec(ctx); err != nil {
			return fmt.Errorf("removing %s: %w", settingRedecoding, err)
		}
		return w.setJSON(ctx, settingDecoding, unfinished.To)
	})
	return err
}
