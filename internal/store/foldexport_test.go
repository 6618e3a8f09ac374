package store_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/export"
	"mintburn/internal/store"
	"mintburn/internal/store/read"
	"mintburn/internal/testing/expect"
)

// foldedExport is a folder that [export.Export.Update] keeps.
type foldedExport struct {
	opts      export.Options
	partition uint64
	folder    string
	// written and kept count the files of all updates but the first of a folder.
	written, kept int
	begun         bool
}

// newFoldedExports returns exports with different filters and ranges of blocks. It has its own
// seed, so that the steps of an episode do not depend on it.
func newFoldedExports(f *folded, seed uint64) (list []*foldedExport) {
	random := rand.New(rand.NewPCG(seed, 8))
	filters := []store.Filter{
		{Partial: true},
		{Partial: true, Finality: store.Finalized},
		{Partial: true, FromBlock: ptr(evm.Long(f.first + 7)), ToBlock: ptr(evm.Long(f.first + 31))},
		{Partial: true, FromTime: ptr(evm.Long(f.blocks[5].Header.Time)), ToTime: ptr(evm.Long(f.blocks[5].Header.Time + 400))},
		{Partial: true, Addresses: []evm.Address{collection(3), collection(1), collection(3)}},
	}
	first := random.IntN(len(filters))
	for i := range 2 {
		list = append(list, &foldedExport{
			opts:      export.Options{Set: []string{export.Mints, export.Burns}[random.IntN(2)], Format: export.NDJSON, Filter: filters[(first+i)%len(filters)]},
			partition: 1 + random.Uint64N(9), folder: f.t.TempDir(),
		})
	}
	return list
}

// compare updates the folder, and compares the rows that its manifest lists with an export.
func (x *foldedExport) compare(t *testing.T, s *read.DB) {
	t.Helper()
	var want bytes.Buffer
	failed := export.New(s, x.opts).Run(t.Context(), &want)
	u, err := export.New(s, x.opts).Update(t.Context(), x.folder, x.partition)
	if known := new(apierror.Error); failed == nil && errors.As(err, &known) && known.Code == apierror.BadUserInput {
		// Only a database that was replaced by its backup refuses its folder.
		x.folder, x.begun = t.TempDir(), false
		u, err = export.New(s, x.opts).Update(t.Context(), x.folder, x.partition)
	}
	if failed != nil || err != nil {
		if failed == nil || err == nil || failed.Error() != err.Error() {
			t.Errorf("the export failed with %v, the update with %v", failed, err)
		}
		return
	}
	got := listedRows(t, x.folder)
	if diff := cmp.Diff(want.String(), got); diff != "" {
		t.Fatalf("%s, %v, by %d blocks (-export +update):\n%.2000s", x.opts.Set, x.opts.Filter, x.partition, diff)
	}
	if x.begun {
		x.written, x.kept = x.written+u.Written, x.kept+u.Files-u.Written
	}
	x.begun = true
}

// listedRows returns the rows of the files that a manifest lists. There must be no other files.
func listedRows(t *testing.T, folder string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "_manifest.json"))
	expect.NoError(t, err)
	var manifest struct{ Files []struct{ Name string } }
	expect.NoError(t, json.Unmarshal(text, &manifest))
	var rows bytes.Buffer
	for _, f := range manifest.Files {
		text, err := os.ReadFile(filepath.Join(folder, f.Name))
		expect.NoError(t, err)
		rows.Write(text)
	}
	entries, err := os.ReadDir(folder)
	expect.NoError(t, err)
	if n := len(manifest.Files) + 2; len(entries) != n {
		t.Fatalf("the folder has %d files, want %d: %v", len(entries), n, entries)
	}
	return rows.String()
}
