package export_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/export"
	"mintburn/internal/newfile"
	"mintburn/internal/nft"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// grow stores blocks with one mint each, the last ones with another hash than before.
func grow(t *testing.T, s *write.DB, above, n uint64, salt byte) {
	t.Helper()
	var blocks []nft.Block
	for i := range n {
		number := above + 1 + i
		b := nft.Block{Header: evm.Header{BlockRef: evm.BlockRef{Number: number, Hash: evm.Hash{salt, byte(number)}}, Time: 1_700_000_000 + number}}
		b.Header.ParentHash = evm.Hash{salt, byte(number - 1)}
		if i == 0 {
			b.Header.ParentHash = evm.Hash{1, byte(number - 1)}
		}
		b.Mints = []nft.Record{{Contract: evm.Address{salt}, Type: nft.ERC721, TokenID: evm.NewUint256(number), Amount: evm.NewUint256(1), To: evm.Address{1}, TxHash: evm.Hash{2}}}
		blocks = append(blocks, b)
	}
	expect.NoError(t, s.ReplaceAbove(t.Context(), above, blocks, false))
}

// grown returns a database of the blocks 1 to 40.
func grown(t *testing.T, path string) *write.DB {
	t.Helper()
	s, err := write.Open(t.Context(), path, write.Options{})
	expect.NoError(t, err)
	t.Cleanup(func() { expect.NoError(t, s.Close()) })
	first := nft.Block{Header: evm.Header{BlockRef: evm.BlockRef{Hash: evm.Hash{1}}, Time: 1_700_000_000}}
	_, err = s.Apply(t.Context(), []nft.Block{first})
	expect.NoError(t, err)
	grow(t, s, 0, 40, 1)
	return s
}

var ofMints = export.Options{Set: export.Mints, Format: export.NDJSON}

// manifestRows returns the rows of the files that the manifest of a folder lists, which must
// have the listed sizes, and the names of all files.
func manifestRows(t *testing.T, folder string) (rows string, names []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "_manifest.json"))
	expect.NoError(t, err)
	var m struct {
		Rows  int
		Files []struct {
			Name        string
			Rows, Bytes int
		}
	}
	expect.NoError(t, json.Unmarshal(text, &m))
	var all bytes.Buffer
	for _, f := range m.Files {
		text, err := os.ReadFile(filepath.Join(folder, f.Name))
		expect.NoError(t, err)
		if n := bytes.Count(text, []byte("\n")); n != f.Rows || len(text) != f.Bytes {
			t.Errorf("%s has %d rows in %d bytes, want %d in %d", f.Name, n, len(text), f.Rows, f.Bytes)
		}
		m.Rows -= f.Rows
		all.Write(text)
	}
	expect.Equal(t, "rows beyond those of the files", 0, m.Rows)
	entries, err := os.ReadDir(folder)
	expect.NoError(t, err)
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return all.String(), names
}

// updated updates a folder of 10 blocks a file.
func updated(t *testing.T, s *write.DB, folder string) export.Update {
	t.Helper()
	u, err := export.New(s.DB, ofMints).Update(t.Context(), folder, 10)
	expect.NoError(t, err)
	return *u
}

// TestUpdate_Touched checks which files an update writes.
func TestUpdate_Touched(t *testing.T) {
	t.Parallel()
	s, folder := grown(t, storetest.SQLite(t)), filepath.Join(t.TempDir(), "new", "mints")
	expect.Equal(t, "the first", export.Update{Rows: 40, Files: 5, Written: 5}, updated(t, s, folder))
	expect.Equal(t, "nothing new", export.Update{Rows: 40, Files: 5}, updated(t, s, folder))
	grow(t, s, 40, 3, 1)
	expect.Equal(t, "three blocks", export.Update{Rows: 43, Files: 5, Written: 1, Removed: 1}, updated(t, s, folder))
	grow(t, s, 28, 3, 2)
	expect.Equal(t, "a reorg", export.Update{Rows: 31, Files: 4, Written: 2, Removed: 3}, updated(t, s, folder))
	for name, spoil := range map[string]func(string) error{
		"a missing file": os.Remove,
		"a short file":   func(path string) error { return os.Truncate(path, 7) },
	} {
		_, names := manifestRows(t, folder)
		expect.NoError(t, spoil(filepath.Join(folder, names[2])))
		u := updated(t, s, folder)
		expect.Equal(t, name, 1, u.Written)
	}
	// A release with other columns writes all files.
	text, err := os.ReadFile(filepath.Join(folder, "_manifest.json"))
	expect.NoError(t, err)
	older := bytes.Replace(text, []byte(`"block_hash",`), nil, 1)
	expect.NoError(t, os.WriteFile(filepath.Join(folder, "_manifest.json"), older, 0o600))
	expect.Equal(t, "other columns", export.Update{Rows: 31, Files: 4, Written: 4, Removed: 4}, updated(t, s, folder))
	// A file of a killed export is removed, others are not.
	for _, name := range []string{"mints-0-9-abcdefgh.ndjson", "mints-0-9-abcdefgh.ndjson.part", "_manifest.json.part", "mints-0-9.ndjson", "README"} {
		expect.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte("x"), 0o600))
	}
	updated(t, s, folder)
	rows, names := manifestRows(t, folder)
	whole, _ := written(t, s, ofMints)
	expect.Equal(t, "rows", whole, rows)
	expect.Equal(t, "files", 4+4, len(names))
}

// TestUpdate_Refused checks that a folder of another export is refused and stays unchanged, and
// so is one that another export writes to.
func TestUpdate_Refused(t *testing.T) {
	t.Parallel()
	s, folder := grown(t, storetest.SQLite(t)), t.TempDir()
	updated(t, s, folder)
	before, names := manifestRows(t, folder)
	other := grown(t, storetest.SQLite(t))
	chained := grown(t, storetest.SQLite(t))
	expect.NoError(t, chained.Settings().BindChain(t.Context(), 5))
	inFolder := t.TempDir()
	updated(t, chained, inFolder)
	with := func(change func(*export.Options)) export.Options {
		opts := ofMints
		change(&opts)
		return opts
	}
	address := evm.Address{1}
	refused := func(name, want string, s *write.DB, opts export.Options, folder string, partition uint64) {
		t.Helper()
		_, err := export.New(s.DB, opts).Update(t.Context(), folder, partition)
		known := new(apierror.Error)
		if !errors.As(err, &known) || known.Code != apierror.BadUserInput || !strings.Contains(known.Message, want) || strings.Contains(known.Message, "\n") {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
	}
	refused("burns", "has mints: want another folder, or remove ", s, with(func(o *export.Options) { o.Set = export.Burns }), folder, 10)
	refused("CSV", "has files in the format ndjson", s, with(func(o *export.Options) { o.Format = export.CSV }), folder, 10)
	refused("another size", "has files of 10 blocks", s, ofMints, folder, 20)
	refused("another filter", "was exported with another filter", s, with(func(o *export.Options) { o.Filter.Address = &address }), folder, 10)
	refused("another chain", "is of the chain 5, the database of the chain unknown", s, ofMints, inFolder, 10)
	refused("another database", "was exported from another database, or the database has lost commits since", other, ofMints, folder, 10)
	refused("one block", "block can't be combined with toBlock", s, with(func(o *export.Options) { o.Filter.Block = &evm.BlockNumberOrHash{Number: 3} }), t.TempDir(), 10)
	refused("too many files", "--partition-blocks: got 1, which makes 200000 files: want at least 3", far(t), ofMints, t.TempDir(), 1)
	lock, err := newfile.Lock(filepath.Join(folder, ".lock"))
	expect.NoError(t, err)
	refused("two exports", "another export writes to", s, ofMints, folder, 10)
	expect.NoError(t, lock.Close())
	for name, text := range map[string]string{
		"no JSON": "{", "another version": `{"version":2}`, "a name outside": `{"version":1,"files":[{"name":"../mints-0-9-abcdefgh.ndjson"}]}`,
	} {
		broken := t.TempDir()
		expect.NoError(t, os.WriteFile(filepath.Join(broken, "_manifest.json"), []byte(text), 0o600))
		refused(name, filepath.Join(broken, "_manifest.json"), s, ofMints, broken, 10)
	}
	after, left := manifestRows(t, folder)
	expect.Equal(t, "rows", before, after)
	expect.Equal(t, "files", names, left)
}

// far returns a database of the blocks 1 and 200,000.
func far(t *testing.T) *write.DB {
	t.Helper()
	s, err := write.Open(t.Context(), storetest.SQLite(t), write.Options{})
	expect.NoError(t, err)
	t.Cleanup(func() { expect.NoError(t, s.Close()) })
	expect.NoError(t, s.Extend(t.Context(), nil, evm.Range{From: 1, To: 200_000}, false))
	return s
}

// TestUpdate_Pruned checks that all files are written anew if the log was pruned.
func TestUpdate_Pruned(t *testing.T) {
	t.Parallel()
	s, folder := grown(t, storetest.SQLite(t)), t.TempDir()
	updated(t, s, folder)
	grow(t, s, 40, 1, 1)
	expect.NoError(t, s.Database.Exec(t.Context(), "DELETE FROM changes WHERE id < (SELECT max(id) FROM changes)"))
	expect.Equal(t, "a pruned log", export.Update{Rows: 41, Files: 5, Written: 5, Removed: 5}, updated(t, s, folder))
}

// killing is a context that kills the process once a folder has changed n times. An export asks
// for the error of its context between all steps.
type killing struct {
	context.Context
	folder string
	last   string
	left   int
}

func (c *killing) Err() error {
	entries, err := os.ReadDir(c.folder)
	state := fmt.Sprint(err)
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil && entry.Name() == "_manifest.json" {
			state += fmt.Sprint(info.ModTime().UnixNano())
		}
		state += "/" + entry.Name()
	}
	if state != c.last {
		if c.last = state; c.left == 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		c.left--
	}
	return c.Context.Err()
}

// TestUpdate_Killed kills a process in each state of the folder in turn. The manifest must list
// complete files with the former rows or the new ones, and the next update must be right.
func TestUpdate_Killed(t *testing.T) {
	t.Parallel()
	if arguments := os.Getenv("KILLED_UPDATE"); arguments != "" {
		// This is the process.
		words := strings.Fields(arguments)
		s, err := write.Open(t.Context(), words[0], write.Options{})
		expect.NoError(t, err)
		var n int
		_, err = fmt.Sscan(words[2], &n)
		expect.NoError(t, err)
		_, err = export.New(s.DB, ofMints).Update(&killing{Context: t.Context(), folder: words[1], left: n}, words[1], 10)
		expect.NoError(t, errors.Join(err, s.Close()))
		return
	}
	path := storetest.SQLite(t)
	s, whole := grown(t, path), t.TempDir()
	updated(t, s, whole)
	old, _ := manifestRows(t, whole)
	grow(t, s, 18, 30, 2)
	rows, _ := written(t, s, ofMints)
	kills, published := 0, 0
	for ended := false; !ended; kills++ {
		folder := t.TempDir()
		expect.NoError(t, os.CopyFS(folder, os.DirFS(whole)))
		process := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestUpdate_Killed$")
		process.Env = append(os.Environ(), fmt.Sprintf("KILLED_UPDATE=%s %s %d", path, folder, kills))
		out, err := process.CombinedOutput()
		ended = err == nil
		if status, ok := process.ProcessState.Sys().(syscall.WaitStatus); !ended && (!ok || status.Signal() != syscall.SIGKILL) {
			t.Fatalf("%v: %s", err, out)
		}
		got, names := manifestRows(t, folder)
		if got == rows {
			published++
		} else if got != old {
			t.Fatalf("killed in state %d, with the files %v, the manifest lists the rows\n%s", kills, names, got)
		}
		updated(t, s, folder)
		got, names = manifestRows(t, folder)
		expect.Equal(t, fmt.Sprintf("rows after a kill in state %d", kills), rows, got)
		expect.Equal(t, fmt.Sprintf("files after a kill in state %d", kills), 5+2, len(names))
	}
	// Each of the 4 new files is written and renamed, and each of the 4 former ones is removed.
	if kills < 10 || published < 4 {
		t.Errorf("killed in %d states, %d of them with the new manifest", kills, published)
	}
}

// TestUpdate_Ended checks that an update that fails leaves no file behind.
func TestUpdate_Ended(t *testing.T) {
	t.Parallel()
	s, folder := grown(t, storetest.SQLite(t)), t.TempDir()
	updated(t, s, folder)
	before, names := manifestRows(t, folder)
	grow(t, s, 18, 30, 2)
	ctx, cancel := context.WithCancel(t.Context())
	ended := &ending{Context: ctx, folder: folder, end: cancel}
	_, err := export.New(s.DB, ofMints).Update(ended, folder, 10)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want it to end", err)
	}
	after, left := manifestRows(t, folder)
	expect.Equal(t, "rows", before, after)
	expect.Equal(t, "files", names, left)
}

// ending is a context that ends once a folder has two more files.
type ending struct {
	context.Context
	folder string
	end    func()
}

func (c *ending) Err() error {
	if entries, _ := os.ReadDir(c.folder); len(entries) > 8 {
		c.end()
	}
	return c.Context.Err()
}
