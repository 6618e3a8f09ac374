package store_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"mintburn/internal/apierror"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/document"
	"mintburn/internal/store/page"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
	"mintburn/internal/testing/storetest"
)

// onBoth is [storetest.Each] in parallel with other tests.
func onBoth(t *testing.T, test func(t *testing.T, dsn string)) {
	t.Helper()
	t.Parallel()
	storetest.Each(t, test)
}

// onEmpty is onBoth with databases that have no tables.
func onEmpty(t *testing.T, test func(t *testing.T, dsn string)) {
	t.Helper()
	onBoth(t, func(t *testing.T, dsn string) {
		if isPostgres(dsn) {
			test(t, pgtest.DSN(t))
		} else {
			test(t, filepath.Join(t.TempDir(), "empty.db"))
		}
	})
}

// onStores runs a test on an empty store of each kind, with large pages.
func onStores(t *testing.T, test func(t *testing.T, s *write.DB, dsn string)) {
	t.Helper()
	onBoth(t, func(t *testing.T, dsn string) { test(t, open(t, dsn, write.Options{MaxPageSize: 10_000}), dsn) })
}

func isPostgres(dsn string) bool { return strings.HasPrefix(dsn, "postgres://") }

// open opens the database until the end of the test.
func open(t testing.TB, dsn string, opts write.Options) *write.DB {
	t.Helper()
	s, err := write.Open(t.Context(), dsn, opts)
	if err != nil {
		t.Fatalf("opening %s: %v", dsn, err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return s
}

// openNoting is open with a list of the statements that are sent.
func openNoting(t testing.TB, dsn string, sent *statements) *write.DB {
	t.Helper()
	return open(t, dsn, write.Options{Options: database.Options{OnStatement: sent.add}})
}

// raw opens the database without package store.
func raw(t testing.TB, dsn string) *sql.DB {
	t.Helper()
	driver := "sqlite3"
	if isPostgres(dsn) {
		// A pooler may use another server connection for each statement.
		driver, dsn = "pgx", dsn+"&default_query_exec_mode=exec"
	}
	db, err := sql.Open(driver, dsn)
	expect.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// snapshot returns a snapshot that is closed at the end of the test.
func snapshot(t testing.TB, s *write.DB) *store.Snapshot {
	t.Helper()
	snap := store.NewSnapshot(s.Snapshot())
	t.Cleanup(func() {
		if err := snap.Close(); err != nil {
			t.Errorf("closing a snapshot: %v", err)
		}
	})
	return snap
}

// read calls f with a snapshot that is closed after the call.
func each(t testing.TB, s *write.DB, f func(*store.Snapshot)) {
	t.Helper()
	snap := store.NewSnapshot(s.Snapshot())
	defer func() {
		if err := snap.Close(); err != nil {
			t.Errorf("closing a snapshot: %v", err)
		}
	}()
	f(snap)
}

// readPage returns a page after reading it.
func readPage(ctx context.Context, snap *store.Snapshot, f store.Filter, args page.Args) (*store.RecordPage, error) {
	p, err := snap.Page(f, args)
	if err != nil {
		return nil, err
	}
	return p, p.Read(ctx, nil)
}

// Read returns a page of tokens after reading it.
func readMetadata(ctx context.Context, snap *store.Snapshot, address evm.Address, tokenID *evm.Uint256, args page.Args) (*page.Page[*document.TokenMetadata], error) {
	p, err := snap.MetadataPage(address, tokenID, args, read.AllTexts)
	if err != nil {
		return nil, err
	}
	return p, p.Read(ctx, nil)
}

// pageOf is readPage, and fails the test on an error.
func pageOf(t testing.TB, snap *store.Snapshot, f store.Filter, args page.Args) *store.RecordPage {
	t.Helper()
	p, err := readPage(t.Context(), snap, f, args)
	if err != nil {
		t.Fatalf("%s%s: %v", describe(f), argsText(args), err)
	}
	return p
}

// rowsOf returns the records of a page.
func rowsOf(p *store.RecordPage) (rows []row) {
	for _, item := range p.Items {
		rows = append(rows, rowOf(item))
	}
	return rows
}

// totalOf returns the total of the page's list.
func totalOf(t testing.TB, p pager) int64 {
	t.Helper()
	total, err := p.Total(t.Context())
	expect.NoError(t, err)
	return total
}

// chainOf returns the state of the chain.
func chainOf(t testing.TB, s *write.DB) (chain *read.Chain) {
	t.Helper()
	each(t, s, func(snap *store.Snapshot) {
		var err error
		chain, err = snap.Chain(t.Context())
		expect.NoError(t, err)
	})
	return chain
}

// execute executes statements without package store.
func execute(t testing.TB, dsn string, statements ...string) {
	t.Helper()
	db := raw(t, dsn)
	for _, statement := range statements {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%.200s: %v", statement, err)
		}
	}
}

// tokensOf is Read, and fails the test on an error.
func tokensOf(t testing.TB, snap *store.Snapshot, address evm.Address, tokenID *evm.Uint256, args page.Args) *page.Page[*document.TokenMetadata] {
	t.Helper()
	p, err := readMetadata(t.Context(), snap, address, tokenID, args)
	expect.NoError(t, err)
	return p
}

// allTexts selects all texts of each token.
func allTexts(context.Context) read.Texts { return read.AllTexts }

// plain converts the metadata of a token to the form in which it was stored; nil stays nil.
func plain(t testing.TB, read *document.TokenMetadata) *nft.TokenMetadata {
	t.Helper()
	if read == nil {
		return nil
	}
	m := read.TokenMetadata
	for _, a := range read.Attributes {
		text := fmt.Sprintf(`{"trait_type":%s,"value":%s,"order":%s`, a.TraitType, a.Value, a.Order)
		if a.MaxValue != nil {
			text += `,"max_value":` + string(*a.MaxValue)
		}
		if a.TraitCount != "" {
			text += `,"trait_count":` + string(a.TraitCount)
		}
		var attribute nft.Attribute
		if err := json.Unmarshal([]byte(text+"}"), &attribute); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if a.DisplayType != nil {
			expect.NoError(t, json.Unmarshal([]byte(*a.DisplayType), &attribute.DisplayType))
		}
		m.Attributes = append(m.Attributes, attribute)
	}
	return &m
}

// plainAll returns [plain] of each.
func plainAll(t testing.TB, list []*document.TokenMetadata) []*nft.TokenMetadata {
	t.Helper()
	all := make([]*nft.TokenMetadata, len(list))
	for i, m := range list {
		all[i] = plain(t, m)
	}
	return all
}

// skipShort skips a test with -short, for random histories, large data, and old databases.
func skipShort(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes long, or needs PostgreSQL")
	}
}

// allocated returns the number of bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func apply(t testing.TB, s *write.DB, blocks []nft.Block) write.Applied {
	t.Helper()
	applied, err := s.Apply(context.Background(), blocks)
	if err != nil {
		t.Fatalf("applying %d blocks: %v", len(blocks), err)
	}
	return applied
}

// headersOf returns the headers of blocks.
func headersOf(blocks []nft.Block) (headers []evm.Header) {
	for i := range blocks {
		headers = append(headers, blocks[i].Header)
	}
	return headers
}

// wantCode fails the test unless err is an [apierror.Error] with the code.
func wantCode(t testing.TB, what string, err error, code apierror.Code) *apierror.Error {
	t.Helper()
	var got *apierror.Error
	if !errors.As(err, &got) {
		t.Fatalf("%s: got error %v, want one with the code %s", what, err, code)
	}
	if got.Code != code {
		t.Fatalf("%s: got %s (%s), want %s", what, got.Code, got.Message, code)
	}
	return got
}

// statement has the arguments of [database.Options.OnStatement].
type statement struct {
	query string
	args  []any
}

// statements collects the statements that are sent to the database.
type statements struct {
	mu   sync.Mutex
	list []statement
}

func (s *statements) add(query string, args []any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, statement{query, args})
}

// take returns the collected statements and clears them.
func (s *statements) take() []statement {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.list
	s.list = nil
	return list
}

// seeds returns n seeds for a random test, or only the one in the environment variable
// MINTBURN_SEED.
func seeds(t testing.TB, n int) []uint64 {
	t.Helper()
	if text := os.Getenv("MINTBURN_SEED"); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("MINTBURN_SEED: %v", err)
		}
		return []uint64{seed}
	}
	skipShort(t)
	list := make([]uint64, n)
	for i := range list {
		list[i] = uint64(i + 1)
	}
	return list
}

func ptr[T any](v T) *T { return &v }
