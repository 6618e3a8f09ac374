package store_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"mintburn/ent"
	entchange "mintburn/ent/change"
	"mintburn/ent/setting"
	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/change"
	"mintburn/internal/store/cursor"
	"mintburn/internal/store/feed"
	"mintburn/internal/store/page"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/foldtest"
)

// fromRow returns the cursor after a row of the log.
func fromRow(t *testing.T, s *read.Snapshot, number int64) *string {
	t.Helper()
	row, found, err := change.Row(t.Context(), s, number)
	if err != nil || !found {
		t.Fatalf("row %d: %t, %v", number, found, err)
	}
	key := binary.BigEndian.AppendUint64(nil, uint64(row.ID))
	key = binary.BigEndian.AppendUint64(key, uint64(row.Nonce))
	return ptr((&cursor.Cursor{Page: 1, Key: key, Fingerprint: cursor.Fingerprint([]byte("every change"))}).String())
}

// walkChanges reads the feed from its beginning with each filter.
func walkChanges(t *testing.T, snap *store.Snapshot, note func(string)) {
	t.Helper()
	after := fromRow(t, snap.Snapshot, 1)
	note("the log of changes")
	_, err := feed.Last(t.Context(), snap.DB)
	expect.NoError(t, err)
	for _, f := range []feed.Filter{
		{}, {Addresses: []evm.Address{collection(0), collection(1)}}, {Accounts: []evm.Address{account(0), account(1)}},
		{Addresses: []evm.Address{collection(0)}, Accounts: []evm.Address{account(0)}}, {Kinds: []feed.Kind{feed.Metadata}},
	} {
		_, err := feed.Read(t.Context(), snap, f, after, 20, read.AllTexts)
		expect.NoError(t, err)
		note("changes")
	}
}

// changesAfter reads a batch.
func changesAfter(t *testing.T, s *write.DB, f feed.Filter, after *string, limit int) (b *feed.Batch, err error) {
	t.Helper()
	each(t, s, func(snapshot *store.Snapshot) {
		b, err = feed.Read(t.Context(), snapshot, f, after, limit, read.AllTexts)
	})
	return b, err
}

// describeChanges returns the changes as text.
func describeChanges(list []feed.Change) (text []string) {
	for _, c := range list {
		switch c.Kind {
		case feed.Added:
			text = append(text, fmt.Sprint(c.Page.Items[c.Item].Kind, " in ", c.Page.Items[c.Item].Block.Number))
		case feed.Voided:
			text = append(text, fmt.Sprintf("%s %d to %d", c.Cause, c.Blocks.From, c.Blocks.To))
		case feed.Finalized:
			text = append(text, fmt.Sprint("final ", c.Block.Number))
		case feed.Metadata:
			text = append(text, fmt.Sprintf("document of %s: %t", c.Token.TokenID, c.Document != nil))
		}
	}
	return text
}

// TestChanges_OneByOne reads each change by itself: a reorg, the documents of the tokens that are
// minted again, a record, and the final block. Each cursor continues after its change.
func TestChanges_OneByOne(t *testing.T) {
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		one := func(number, salt uint64, parent evm.Hash, id uint64) nft.Block {
			b := branch(salt, salt, number, parent, 1, func(*rand.Rand, int) int { return 0 })[0]
			b.Rejected = nil
			b.Mints = []nft.Record{{Contract: collection(1), Type: nft.ERC721, TokenID: evm.NewUint256(id), Amount: evm.NewUint256(1), To: account(1)}}
			return b
		}
		first := one(100, 1, blockHash(1, 99), 1)
		second := one(101, 1, first.Header.Hash, 2)
		apply(t, s, []nft.Block{first, second})
		token := func(id, at uint64) nft.TokenMetadata {
			return nft.TokenMetadata{TokenKey: nft.TokenKey{Contract: collection(1), TokenID: evm.NewUint256(id)}, FetchedAt: at, URI: "u", Raw: "{}"}
		}
		expect.NoError(t, s.PutMetadata(t.Context(), []nft.TokenMetadata{token(1, 1), token(2, 1)}))
		now, err := changesAfter(t, s, feed.Filter{}, nil, 10)
		expect.NoError(t, err)
		expect.Equal(t, "changes now, and more", "0 false 101", fmt.Sprint(len(now.Changes), now.More, now.Head.Number))
		again := one(101, 2, first.Header.Hash, 2)
		expect.NoError(t, s.ReplaceAbove(t.Context(), 100, []nft.Block{again, one(102, 2, again.Header.Hash, 3)}, false))
		expect.NoError(t, s.PutMetadata(t.Context(), []nft.TokenMetadata{token(1, 2)}))
		expect.NoError(t, s.SetFinalized(t.Context(), first.Header))
		var got []string
		for after, more := &now.Cursor, true; more && len(got) < 20; {
			b, err := changesAfter(t, s, feed.Filter{}, after, 1)
			expect.NoError(t, err)
			got = append(got, describeChanges(b.Changes)...)
			if len(b.Changes) == 1 {
				// The cursor of the batch may be beyond that of its last change.
				again, err := changesAfter(t, s, feed.Filter{}, &b.Changes[0].Cursor, 1)
				expect.NoError(t, err)
				next, err := changesAfter(t, s, feed.Filter{}, &b.Cursor, 1)
				expect.NoError(t, err)
				expect.Equal(t, "what follows a change", describeChanges(next.Changes), describeChanges(again.Changes))
			}
			after, more = &b.Cursor, b.More
		}
		expect.Equal(t, "changes", []string{
			"REORG 101 to 101", "mint in 101", "document of 2: false", "mint in 102", "document of 3: false", "document of 1: true", "final 100",
		}, got)
		each(t, s, func(snap *store.Snapshot) {
			voids, err := feed.Read(t.Context(), snap, feed.Filter{Kinds: []feed.Kind{feed.Added}, Accounts: []evm.Address{}}, &now.Cursor, 10, 0)
			expect.NoError(t, err)
			expect.Equal(t, "changes of no account", []string{"REORG 101 to 101"}, describeChanges(voids.Changes))
			none, err := feed.Read(t.Context(), snap, feed.Filter{Kinds: []feed.Kind{}}, &now.Cursor, 10, 0)
			expect.NoError(t, err)
			expect.Equal(t, "changes of no kind, and more", "0 false", fmt.Sprint(len(none.Changes), none.More))
		})
	})
}

// placed returns a cursor within a batch whose place is before the first void range.
func placed(t *testing.T, text string) string {
	t.Helper()
	c, err := cursor.Parse(&text)
	expect.NoError(t, err)
	copy(c.Key[32:], []byte{255, 255, 255, 255, 255, 255, 255, 255})
	c.Key[48] = 0
	return c.String()
}

// TestChanges_Refused sends invalid filters and cursors.
func TestChanges_Refused(t *testing.T) {
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		now, err := changesAfter(t, s, feed.Filter{}, nil, 0)
		expect.NoError(t, err)
		blocks := branch(1, 1, 100, blockHash(1, 99), 3, func(*rand.Rand, int) int { return 4 })
		apply(t, s, blocks)
		within, err := changesAfter(t, s, feed.Filter{}, &now.Cursor, 2)
		expect.NoError(t, err)
		var records *store.RecordPage
		each(t, s, func(snap *store.Snapshot) { records = pageOf(t, snap, store.Filter{}, page.Args{}) })
		some := feed.Filter{Addresses: []evm.Address{collection(1)}}
		if _, err := changesAfter(t, s, some, &now.Cursor, 2); err != nil {
			t.Errorf("a cursor after which everything is new belongs to every filter: %v", err)
		}
		for what, refused := range map[string]struct {
			filter feed.Filter
			after  string
			limit  int
			code   apierror.Code
		}{
			"another filter within a batch": {some, within.Cursor, 2, apierror.InvalidCursor},
			"a cursor of mints":             {feed.Filter{}, records.Cursor(0), 2, apierror.InvalidCursor},
			"a place before the first":      {feed.Filter{}, placed(t, within.Cursor), 2, apierror.InvalidCursor},
			"no cursor":                     {feed.Filter{}, "x", 2, apierror.InvalidCursor},
			"a negative number":             {feed.Filter{}, now.Cursor, -1, apierror.BadUserInput},
			"too many changes":              {feed.Filter{}, now.Cursor, 10_001, apierror.BadUserInput},
			"documents of accounts":         {feed.Filter{Accounts: []evm.Address{{}}, Kinds: []feed.Kind{feed.Metadata}}, now.Cursor, 2, apierror.BadUserInput},
			"too many addresses":            {feed.Filter{Addresses: make([]evm.Address, 101)}, now.Cursor, 2, apierror.BadUserInput},
			"too many accounts":             {feed.Filter{Accounts: make([]evm.Address, 101)}, now.Cursor, 2, apierror.BadUserInput},
		} {
			_, err := changesAfter(t, s, refused.filter, &refused.after, refused.limit)
			wantCode(t, what, err, refused.code)
		}
	})
}

// TestChanges_Pruned keeps the log for an hour. A reader who has seen everything until then
// continues, others do not.
func TestChanges_Pruned(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn, write.Options{KeepChanges: time.Hour})
		blocks := branch(1, 1, 100, blockHash(1, 99), 140, func(*rand.Rand, int) int { return 1 })
		var old [2]*feed.Batch
		for i := range old {
			var err error
			old[i], err = changesAfter(t, s, feed.Filter{}, nil, 0)
			expect.NoError(t, err)
			apply(t, s, blocks[i:i+1])
		}
		recent, err := changesAfter(t, s, feed.Filter{}, nil, 0)
		expect.NoError(t, err)
		execute(t, dsn, "UPDATE changes SET at = at - 7200")
		for i := 2; i < len(blocks); i++ {
			apply(t, s, blocks[i:i+1])
		}
		for _, b := range old {
			_, err := changesAfter(t, s, feed.Filter{}, &b.Cursor, 10)
			wantCode(t, "an old cursor", err, apierror.ChangesExpired)
		}
		b, err := changesAfter(t, s, feed.Filter{}, &recent.Cursor, 1)
		expect.NoError(t, err)
		expect.Equal(t, "the next change", 102, int(b.Changes[0].Page.Items[0].Block.Number))
	})
}

// TestChanges_Upgrade checks that the log of a database of an older version begins with now.
func TestChanges_Upgrade(t *testing.T) {
	skipShort(t)
	blocks := branch(1, 1, 100, blockHash(1, 99), 40, between(3, 5))
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn, write.Options{})
		apply(t, s, blocks[:30])
		expect.NoError(t, s.SetFinalized(t.Context(), blocks[10].Header))
		expect.NoError(t, s.Close())
		revert(t, dsn, 17)
		s = open(t, dsn, write.Options{})
		now, err := changesAfter(t, s, feed.Filter{}, nil, 0)
		expect.NoError(t, err)
		r := foldtest.NewReader(t, s.DB, feed.Filter{}, rand.New(rand.NewPCG(1, 1)))
		expect.NoError(t, s.ReplaceAbove(t.Context(), 119, blocks[20:], false))
		expect.NoError(t, s.SetFinalized(t.Context(), blocks[10].Header))
		r.Compare(t, s.DB)
		b, err := changesAfter(t, s, feed.Filter{Kinds: []feed.Kind{feed.Voided, feed.Finalized}}, &now.Cursor, 10)
		expect.NoError(t, err)
		expect.Equal(t, "changes", []string{"REORG 120 to 129"}, describeChanges(b.Changes))
	})
}

// TestChanges_ReadWithSettings checks that the end of the log costs a commit no statement of its own, and
// that nothing is stored where it is lost.
func TestChanges_ReadWithSettings(t *testing.T) {
	blocks := branch(1, 1, 3, blockHash(1, 2), 2, between(1, 3))
	onBoth(t, func(t *testing.T, dsn string) {
		sent := &statements{}
		s := openNoting(t, dsn, sent)
		sent.take()
		apply(t, s, blocks[:1])
		var reads []string
		for _, st := range sent.take() {
			if strings.Contains(st.query, entchange.Table) {
				reads = append(reads, st.query)
			}
		}
		if len(reads) != 1 || !strings.Contains(reads[0], setting.Table) {
			t.Errorf("the log is read by %q", reads)
		}
		_, err := raw(t, dsn).ExecContext(t.Context(), "DELETE FROM changes")
		expect.NoError(t, err)
		if _, err := s.Apply(t.Context(), blocks[1:]); err == nil || !strings.Contains(err.Error(), "the log of changes has no row") {
			t.Errorf("got %v", err)
		}
	})
}

// TestChanges_Retyped mints by the other standard in a collection of ERC-1155: all of its documents have another
// type from then on, which the feed tells once.
func TestChanges_Retyped(t *testing.T) {
	const documents = 2000
	multi, other := drop(10, collection(1), 1, 1), drop(11, collection(1), 2, 1)
	multi.Mints[0].Type, multi.Mints[0].Operator = nft.ERC1155, account(1)
	again := drop(12, collection(1), 3, 1)
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		apply(t, s, []nft.Block{multi})
		items := make([]nft.TokenMetadata, documents)
		for i := range items {
			items[i] = nft.TokenMetadata{TokenKey: nft.TokenKey{Contract: collection(1), TokenID: evm.NewUint256(uint64(i))}, FetchedAt: 5, URI: "u", Raw: "{}"}
		}
		expect.NoError(t, s.PutMetadata(t.Context(), items))
		for _, step := range []struct {
			block nft.Block
			want  int
		}{{other, documents}, {again, 0}} {
			now, err := changesAfter(t, s, feed.Filter{}, nil, 10)
			expect.NoError(t, err)
			apply(t, s, []nft.Block{step.block})
			b, err := changesAfter(t, s, feed.Filter{Kinds: []feed.Kind{feed.Metadata}}, &now.Cursor, 2*documents)
			expect.NoError(t, err)
			expect.Equal(t, "documents", step.want, len(b.Changes))
			for _, c := range b.Changes {
				expect.Equal(t, "type", nft.ERC721, c.Document.Type)
			}
		}
	})
}

// TestChanges_DocumentsAlone orphans the mint of a token with a document. Who reads documents alone does not
// learn of it; who reads records too learns it from the void blocks.
func TestChanges_DocumentsAlone(t *testing.T) {
	first, second := drop(10, collection(1), 1, 1), drop(11, collection(1), 2, 1)
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		apply(t, s, []nft.Block{first, second})
		expect.NoError(t, s.PutMetadata(t.Context(), []nft.TokenMetadata{{
			TokenKey: nft.TokenKey{Contract: collection(1), TokenID: evm.NewUint256(2)}, FetchedAt: 5, URI: "u", Raw: "{}",
		}}))
		now, err := changesAfter(t, s, feed.Filter{}, nil, 10)
		expect.NoError(t, err)
		expect.NoError(t, s.ReplaceAbove(t.Context(), 10, nil, false))
		for _, step := range []struct {
			kinds []feed.Kind
			want  []string
		}{{[]feed.Kind{feed.Metadata}, nil}, {[]feed.Kind{feed.Metadata, feed.Added}, []string{"REORG 11 to 11"}}} {
			b, err := changesAfter(t, s, feed.Filter{Kinds: step.kinds}, &now.Cursor, 10)
			expect.NoError(t, err)
			expect.Equal(t, "changes", step.want, describeChanges(b.Changes))
		}
	})
}

// TestChanges_Bytes measures a row of the log with its index.
func TestChanges_Bytes(t *testing.T) {
	skipShort(t)
	const rows = 20_000
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn, write.Options{})
		size := func() (n int64) {
			// The file has no other table that grows.
			text := "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
			if isPostgres(dsn) {
				text = "SELECT pg_total_relation_size('changes') + pg_total_relation_size('change_events')"
			}
			expect.NoError(t, raw(t, dsn).QueryRowContext(t.Context(), text).Scan(&n))
			return n
		}
		before := size()
		expect.NoError(t, s.Write(t.Context(), func(ctx context.Context, w *write.Tx) error {
			for i := range uint64(rows) {
				log := change.Log{Before: ent.Change{ID: int64(i) + 1, Top: int64(i) - 1, Final: int64(i) - 1}}
				log.Add(evm.Range{From: i, To: i})
				log.Raise(i)
				expect.NoError(t, log.Flush(ctx, w.Tx, w.Client(), 0))
			}
			return nil
		}))
		each := float64(size()-before) / rows
		t.Logf("%.1f bytes a row", each)
		if each > 110 {
			t.Errorf("a row takes %.1f bytes, want at most 110", each)
		}
	})
}

// TestChanges_Failover loses commits. Who has seen them begins again, and who has not continues.
func TestChanges_Failover(t *testing.T) {
	f, writer := newFailover(t)
	ahead := foldtest.NewReader(t, writer.DB, feed.Filter{}, rand.New(rand.NewPCG(1, 1)))
	var shared *string
	each(t, writer, func(s *store.Snapshot) { shared = fromRow(t, s.Snapshot, 2) })
	f.happens()
	next := open(t, f.primary.DSN, write.Options{MaxPageSize: 10_000})
	for _, blocks := range [][]nft.Block{f.replaced()[:10], f.replaced()[10:]} {
		apply(t, next, blocks)
		ahead.Compare(t, next.DB)
	}
	expect.Equal(t, "readers that began again", 1, ahead.Expired)
	b, err := changesAfter(t, next, feed.Filter{}, shared, 1)
	expect.NoError(t, err)
	expect.Equal(t, "the first change of who was behind", 103, int(b.Changes[0].Page.Items[0].Block.Number))
}
