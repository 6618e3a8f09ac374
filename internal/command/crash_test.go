package command_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"mintburn/internal/chaintest"
	"mintburn/internal/evm"
	"mintburn/internal/expect"
	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// generated is a chain with its recording.
type generated struct {
	blocks []nft.Block
	text   string
}

// generate makes a recording in which documents follow block 40 and block 120:
// enough of them that an import stores what it has read.
func generate() generated {
	options := chaintest.Default()
	options.Blocks, options.Records, options.Collections, options.Accounts = 180, 60, 5, 20
	var g generated
	var text []byte
	for b := range chaintest.Blocks(options) {
		g.blocks = append(g.blocks, nft.Block{Header: b.Header, Mints: slices.Clone(b.Mints), Burns: slices.Clone(b.Burns)})
		text = append(b.AppendLine(text), '\n')
		if n := len(g.blocks); n == 40 || n == 120 {
			for i := range 500 {
				text = fmt.Appendf(text, `{"metadata":{"address":%q,"tokenId":"%d","uri":"ipfs://%d","fetchedAt":%d,"document":"{\"name\":\"%d\"}"}}`+"\n",
					b.Mints[0].Contract, n*1000+i, i, 1_700_000_000+n, i)
			}
		}
	}
	g.text = string(text)
	return g
}

// TestImport_Ended ends an import in the middle, in two ways, at several
// places, and then runs it again, at once or after another command.
func TestImport_Ended(t *testing.T) {
	g := generate()
	whole := filepath.Join(t.TempDir(), "whole.db")
	importInto(t, whole, strings.NewReader(g.text), "-")
	g.check(t, whole, len(g.blocks))
	want := content(t, whole)
	for name, end := range map[string]struct {
		signal syscall.Signal
		blocks int // how many are stored at least before the signal
		// opened says that another command opens the database first.
		opened bool
	}{
		"killed after the first blocks": {syscall.SIGKILL, 1, false},
		"killed later":                  {syscall.SIGKILL, 100, true},
		"terminated":                    {syscall.SIGTERM, 41, true},
		"interrupted":                   {syscall.SIGINT, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			db := filepath.Join(t.TempDir(), "ended.db")
			endImport(t, db, g.text, end.signal, end.blocks)
			g.check(t, db, end.blocks)
			if slices.Equal(want["the schema"], content(t, db)["the schema"]) {
				t.Error("the indexes were built before the import had ended")
			}
			if end.opened {
				mustRun(t, "export", "--db", db, "burns")
				expect.Equal(t, "after an export", want["the schema"], content(t, db)["the schema"])
				g.check(t, db, end.blocks)
			}
			said := importInto(t, db, strings.NewReader(g.text), "-")
			if !strings.Contains(said, "blocks were there already") {
				t.Errorf("the second import said %q", said)
			}
			g.check(t, db, len(g.blocks))
			checkTables(t, want, content(t, db))
		})
	}
}

// endImport imports text from a pipe that never ends, and sends the signal
// once so many blocks are stored.
func endImport(t *testing.T, db, text string, signal syscall.Signal, blocks int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	process := exec.CommandContext(ctx, "mintburn", "import", "--db", db, "-")
	stdin, err := process.StdinPipe()
	expect.NoError(t, err)
	var stderr bytes.Buffer
	process.Stderr = &stderr
	expect.NoError(t, process.Start())
	fed := make(chan struct{})
	go func() {
		defer close(fed)
		// It fails when the process ends before it has read all.
		_, _ = io.WriteString(stdin, text)
	}()
	waitForBlocks(t, db, blocks)
	expect.NoError(t, process.Process.Signal(signal))
	err = process.Wait()
	<-fed
	if signal == syscall.SIGKILL {
		if err == nil {
			t.Fatal("the import ended by itself")
		}
		return
	}
	if code := process.ProcessState.ExitCode(); code != 128+int(signal) || !strings.Contains(stderr.String(), "the next command builds them") ||
		!strings.Contains(stderr.String(), "before the end: what is done is stored; run the same command again to continue") {
		t.Errorf("after %v: %v: want exit code %d and how to go on: %s", signal, err, 128+int(signal), stderr.String())
	}
}

// waitForBlocks waits until another process has stored this many blocks.
func waitForBlocks(t *testing.T, path string, blocks int) {
	t.Helper()
	db := open(t, path)
	until(t, func() bool {
		var n int
		// The file and its tables do not exist at first.
		err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM blocks").Scan(&n)
		return err == nil && n >= blocks
	})
}

// check makes sure that a database holds the first blocks of the chain, at
// least so many, each of them whole, and that its totals are those of a count.
func (g *generated) check(t *testing.T, path string, least int) {
	t.Helper()
	if got := rows(t, open(t, path), "PRAGMA integrity_check"); !slices.Equal(got, []string{"integrity_check=ok"}) {
		t.Fatalf("integrity: %v", got)
	}
	s, err := store.Open(t.Context(), path, store.Options{MaxPageSize: 10_000})
	expect.NoError(t, err)
	defer s.Close()
	snapshot := s.Snapshot()
	defer snapshot.Close()
	state, err := snapshot.Chain(t.Context())
	expect.NoError(t, err)
	if len(state.Indexed) != 1 || state.Indexed[0].From != g.blocks[0].Header.Number || state.Head == nil {
		t.Fatalf("indexed are %v", state.Indexed)
	}
	stored := int(state.Indexed[0].To-state.Indexed[0].From) + 1
	if stored < least || stored > len(g.blocks) || state.Head.Number != state.Indexed[0].To {
		t.Fatalf("%d blocks are stored and the head is %d: want %d to %d blocks", stored, state.Head.Number, least, len(g.blocks))
	}
	totals := map[scope]int64{}
	for _, b := range g.blocks[:stored] {
		for kind, records := range [][]nft.Record{b.Mints, b.Burns} {
			number := evm.Long(b.Header.Number)
			page, err := readPage(t.Context(), snapshot, store.Filter{Kind: nft.Kind(kind), Block: &evm.BlockNumberOrHash{Number: number}}, store.PageArgs{First: ref(10_000)})
			expect.NoError(t, err)
			got := make([]nft.Record, len(page.Items))
			for i := range page.Items {
				got[i] = page.Items[i].Record
			}
			if !slices.Equal(records, got) {
				t.Fatalf("block %d: %d %ss are stored, want the %d of the chain", number, len(got), nft.Kind(kind), len(records))
			}
			totals[scope{kind: nft.Kind(kind)}] += int64(len(records))
			for _, r := range records {
				account := r.To
				if r.Kind == nft.Burn {
					account = r.From
				}
				totals[scope{r.Kind, r.Contract, evm.Address{}}]++
				totals[scope{r.Kind, evm.Address{}, account}]++
				totals[scope{r.Kind, r.Contract, account}]++
			}
		}
	}
	for scope, want := range totals {
		if got := scope.total(t, snapshot); got != want {
			t.Errorf("the total of %v is %d, want %d", scope, got, want)
		}
	}
	// Nothing is there that no stored block explains.
	var all int64
	for _, table := range []string{"mints", "burns"} {
		var n int64
		expect.NoError(t, open(t, path).QueryRow("SELECT count(*) FROM "+table).Scan(&n))
		all += n
	}
	if want := totals[scope{kind: nft.Mint}] + totals[scope{kind: nft.Burn}]; all != want {
		t.Errorf("%d rows are stored, want %d", all, want)
	}
}

// scope is a filter by contract and account; a zero address does not filter.
type scope struct {
	kind              nft.Kind
	contract, account evm.Address
}

// readPage returns a page that is read.
func readPage(ctx context.Context, snap *store.Snapshot, f store.Filter, args store.PageArgs) (*store.Page, error) {
	p, err := snap.Page(f, args)
	if err != nil {
		return nil, err
	}
	return p, p.Read(ctx)
}

// total asks for a total.
func (s scope) total(t *testing.T, snapshot *store.Snapshot) int64 {
	t.Helper()
	filter := store.Filter{Kind: s.kind}
	if !s.contract.IsZero() {
		filter.Address = &s.contract
	}
	if !s.account.IsZero() {
		filter.Account = &s.account
	}
	page, err := readPage(t.Context(), snapshot, filter, store.PageArgs{First: ref(0)})
	expect.NoError(t, err)
	total, err := page.Total(t.Context())
	expect.NoError(t, err)
	return total
}

func ref[T any](value T) *T { return &value }
