package store_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store"
	leases "mintburn/internal/store/lease"
	"mintburn/internal/store/migrations"
	"mintburn/internal/store/proof"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// latest is the version of this program's schema.
var latest = func() int64 {
	files, err := fs.ReadDir(migrations.Files, "sqlite")
	if err != nil {
		panic(err)
	}
	return int64(len(files))
}()

// migration returns the files of a later migration, the n-th after this program's last, for
// SQLite and for PostgreSQL; %d is the version before it.
func migration(n int64, name, sqlite, postgres string) map[string]string {
	file, before := fmt.Sprintf("%05d_%s.sql", latest+n, name), fmt.Sprint(latest+n-1)
	return map[string]string{"sqlite/" + file: strings.ReplaceAll(sqlite, "%d", before), "postgres/" + file: strings.ReplaceAll(postgres, "%d", before)}
}

// compatible declares that a migration keeps this program working.
var compatible = fmt.Sprintf("-- +mintburn compatible_from %d\n", latest)

// A newer program adds a column and its index, which programs of this version do not know,
// and the one after it removes them again.
var (
	expand = joined(
		migration(1, "note", compatible+"ALTER TABLE mints ADD COLUMN note text;\n", compatible+"ALTER TABLE mints ADD COLUMN note text;\n"),
		migration(2, "note_index", compatible+"CREATE INDEX mints_note ON mints (note);\n",
			"-- +goose NO TRANSACTION\n"+compatible+"DROP INDEX CONCURRENTLY IF EXISTS mints_note;\nCREATE INDEX CONCURRENTLY mints_note ON mints (note);\n"),
	)
	contract = migration(3, "no_note", "-- +mintburn compatible_from %d\nDROP INDEX mints_note;\nALTER TABLE mints DROP COLUMN note;\n",
		"-- +mintburn compatible_from %d\nALTER TABLE mints DROP COLUMN note;\n")
)

// joined returns the files of several migrations.
func joined(all ...map[string]string) map[string]string {
	files := map[string]string{}
	for _, one := range all {
		maps.Copy(files, one)
	}
	return files
}

// after returns the migrations of this program and later ones.
func after(t *testing.T, later ...map[string]string) fs.FS {
	t.Helper()
	files := fstest.MapFS{}
	expect.NoError(t, fs.WalkDir(migrations.Files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(migrations.Files, name)
		files[name] = &fstest.MapFile{Data: text}
		return err
	}))
	for _, more := range later {
		for name, text := range more {
			files[name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	return files
}

// openNewer opens the database with a newer program until the end of the test.
func openNewer(t *testing.T, dsn string, files fs.FS) *write.DB {
	t.Helper()
	s, err := write.OpenWith(t.Context(), dsn, write.Options{}, files)
	expect.NoError(t, err)
	t.Cleanup(func() { expect.NoError(t, s.Close()) })
	return s
}

// wantTooNew fails the test unless err says that a newer program is needed.
func wantTooNew(t *testing.T, what string, needed int64, err error) {
	t.Helper()
	newer := new(read.SchemaError)
	if !errors.As(err, &newer) || *newer != (read.SchemaError{Needed: needed, Known: latest}) || !strings.HasSuffix(err.Error(), "use a newer mintburn") {
		t.Errorf("%s: error %v, want one that asks for a newer program", what, err)
	}
}

// TestUpgrade_SideBySide checks that programs of two schema versions work on one database,
// before, while and after the newer one migrates it, until it is migrated to a version that
// the older one is not compatible with.
func TestUpgrade_SideBySide(t *testing.T) {
	skipShort(t)
	blocks := branch(3, 1, 64, blockHash(1, 63), 60, between(5, 0))
	onEmpty(t, func(t *testing.T, dsn string) {
		both := func(stores []*write.DB, n int) {
			t.Helper()
			for _, s := range stores {
				each(t, s, func(snap *store.Snapshot) { wantTotals(t, snap, blocks[:n], selections(blocks[:n])) })
			}
		}
		old := open(t, dsn, write.Options{})
		term := take(t, old, leases.Options{Holder: "the old one"})
		apply(t, old, blocks[:10])
		// The old program continues while the new one migrates.
		stored := make(chan error)
		go func() {
			for i := 10; i < 30; i++ {
				if _, err := old.Apply(t.Context(), blocks[i:i+1]); err != nil {
					stored <- err
					return
				}
			}
			stored <- nil
		}()
		newer := openNewer(t, dsn, after(t, expand))
		expect.NoError(t, <-stored)
		expect.Equal(t, "version", latest+2, newer.Schema().Version)
		both([]*write.DB{old, newer, open(t, dsn, write.Options{})}, 30)

		// Each writes in turn.
		expect.Equal(t, "holder that stops the new one", "the old one", leaseOf(t, newer))
		expect.NoError(t, term.Release())
		term = take(t, newer, leases.Options{Holder: "the new one"})
		expect.Equal(t, "holder that stops the old one", "the new one", leaseOf(t, old))
		apply(t, newer, blocks[30:40])
		expect.NoError(t, term.Release())
		term = take(t, old, leases.Options{Holder: "the old one"})
		apply(t, old, blocks[40:50])
		expect.NoError(t, errors.Join(old.Settings().BindChain(t.Context(), 1), newer.Settings().BindChain(t.Context(), 1), old.CheckSchema(t.Context())))
		both([]*write.DB{old, newer}, 50)
		again := open(t, dsn, write.Options{NoMigrate: true})
		expect.Equal(t, "schema of an old program", read.Schema{Version: latest + 2, Known: latest}, again.Schema())

		// The old program has the lease when it becomes incompatible.
		openNewer(t, dsn, after(t, expand, contract))
		_, err := old.Apply(t.Context(), blocks[50:51])
		wantTooNew(t, "storing blocks", latest+2, err)
		wantTooNew(t, "changing a setting", latest+2, old.Settings().SetEndpoints(t.Context(), nil))
		_, err = write.NewQueue(old, write.QueueOptions{}).Claim(t.Context(), 1)
		wantTooNew(t, "claiming tokens", latest+2, err)
		wantTooNew(t, "marking a proof", latest+2, proof.Of(old).ClearVerified(t.Context(), evm.Range{}))
		wantTooNew(t, "looking", latest+2, old.CheckSchema(t.Context()))
		each(t, old, func(snap *store.Snapshot) {
			_, err := snap.Chain(t.Context())
			wantTooNew(t, "reading the chain", latest+2, err)
		})
		_, err = write.Open(t.Context(), dsn, write.Options{})
		wantTooNew(t, "opening", latest+2, err)
		// It no longer renews its term, and can only release it.
		<-term.Asked()
		expect.NoError(t, term.Release())
		_, err = old.Lease().Take(t.Context(), leases.Options{Holder: "the old one"})
		wantTooNew(t, "taking the lease", latest+2, err)

		take(t, newer, leases.Options{Holder: "the new one"})
		apply(t, newer, blocks[50:])
		both([]*write.DB{newer}, 60)
	})
}

// TestUpgrade_Undeclared checks that older programs are refused after a migration without
// a declaration.
func TestUpgrade_Undeclared(t *testing.T) {
	silent := migration(1, "silent", "SELECT 1;\n", "SELECT 1;\n")
	onEmpty(t, func(t *testing.T, dsn string) {
		old := open(t, dsn, write.Options{})
		openNewer(t, dsn, after(t, silent))
		wantTooNew(t, "changing a setting", latest+1, old.Settings().BindChain(t.Context(), 1))
		_, err := write.Open(t.Context(), dsn, write.Options{})
		wantTooNew(t, "opening", latest+1, err)
	})
}

// TestOpen_NoMigrate checks that a database with pending migrations is not changed, and that
// a missing one is not created.
func TestOpen_NoMigrate(t *testing.T) {
	onEmpty(t, func(t *testing.T, dsn string) {
		if _, err := write.Open(t.Context(), dsn, write.Options{NoMigrate: true}); !errors.Is(err, database.ErrNoDatabase) {
			t.Fatalf("error %v, want ErrNoDatabase", err)
		}
		schema, err := write.ReadSchema(t.Context(), dsn)
		expect.NoError(t, err)
		expect.Equal(t, "a new database", [3]int64{0, latest, latest}, [3]int64{schema.Version, schema.Known, int64(len(schema.Pending))})
		oldSchema(t, dsn, 4)
		for range 2 {
			pending := new(write.PendingError)
			if _, err := write.Open(t.Context(), dsn, write.Options{NoMigrate: true}); !errors.As(err, &pending) || pending.Version != 4 || pending.Known != latest {
				t.Fatalf("error %v, want one that names versions 4 and %d", err, latest)
			}
			schema, err = write.ReadSchema(t.Context(), dsn)
			expect.NoError(t, err)
			expect.Equal(t, "first pending", "traits_version", schema.Pending[0].Name)
		}
		var applied []string
		s := open(t, dsn, write.Options{OnMigrate: func(m read.Migration) { applied = append(applied, m.Name) }})
		expect.Equal(t, "applied", "traits_version leases", strings.Join(applied[:2], " "))
		expect.Equal(t, "migrations", latest-4, int64(len(applied)))
		expect.Equal(t, "schema", read.Schema{Version: latest, Known: latest}, s.Schema())
		open(t, dsn, write.Options{NoMigrate: true})
	})
}
