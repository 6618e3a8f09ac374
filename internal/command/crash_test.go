package command_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// interruptedBlocks is the number of blocks in the recording that [generate] returns, and
// interruptedRecords the number of records in each.
const interruptedBlocks, interruptedRecords = 180, 60

// generate returns a recording with documents after block 40 and block 120, enough of
// them that an import stores its batch.
func generate() string {
	options := chaintest.Default()
	options.Blocks, options.Records, options.Collections, options.Accounts = interruptedBlocks, interruptedRecords, 5, 20
	var text []byte
	n := 0
	for b := range chaintest.Blocks(options) {
		text = append(b.AppendLine(text), '\n')
		if n++; n == 40 || n == 120 {
			for i := range 500 {
				text = fmt.Appendf(text, `{"metadata":{"address":%q,"tokenId":"%d","uri":"ipfs://%d","fetchedAt":%d,"document":"{\"name\":\"%d\"}"}}`+"\n",
					b.Mints[0].Contract, n*1000+i, i, 1_700_000_000+n, i)
			}
		}
	}
	return string(text)
}

// TestImport_Ended stops or kills an import at several places, and then runs it again,
// immediately or after another command.
func TestImport_Ended(t *testing.T) {
	skipShort(t, "ends imports")
	t.Parallel()
	text := generate()
	whole := filepath.Join(t.TempDir(), "whole.db")
	importInto(t, whole, strings.NewReader(text), "-")
	want, records := content(t, whole), blocksOf(t, whole)
	if n := strings.Count(strings.Join(slices.Collect(maps.Values(records)), ""), "\n"); n != interruptedBlocks*interruptedRecords {
		t.Fatalf("%d records are stored", n)
	}
	for name, end := range map[string]struct {
		signal syscall.Signal
		blocks int // stored at least before the signal
		// opened is true if another command opens the database first.
		opened bool
		// short is true if the case runs with -short. After a kill, the next command has to
		// wait for the lease to expire.
		short bool
	}{
		"killed after the first blocks": {signal: syscall.SIGKILL, blocks: 1},
		"killed later":                  {signal: syscall.SIGKILL, blocks: 100, opened: true},
		"terminated":                    {signal: syscall.SIGTERM, blocks: 41, opened: true, short: true},
		"interrupted":                   {signal: syscall.SIGINT, blocks: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && !end.short {
				t.Skip("another one ends the import too")
			}
			db := filepath.Join(t.TempDir(), "ended.db")
			endImport(t, db, text, end.signal, end.blocks)
			checkStored(t, db, records, end.blocks)
			if slices.Equal(want["the schema"], content(t, db)["the schema"]) {
				t.Error("the indexes were built before the import had ended")
			}
			if end.opened {
				mustRun(t, "export", "--db", db, "burns")
				expect.Equal(t, "after an export", want["the schema"], content(t, db)["the schema"])
				checkStored(t, db, records, end.blocks)
			}
			said := importInto(t, db, strings.NewReader(text), "-")
			if !strings.Contains(said, "blocks already stored") {
				t.Errorf("the second import printed %q", said)
			}
			checkStored(t, db, records, interruptedBlocks)
			checkTables(t, want, content(t, db))
		})
	}
}

// checkStored checks that a copy of a database contains at least the first blocks of a
// chain, exactly the records of its blocks, and matching counters.
func checkStored(t *testing.T, path string, records map[string]string, least int) {
	t.Helper()
	folder := t.TempDir()
	expect.NoError(t, os.CopyFS(folder, os.DirFS(filepath.Dir(path))))
	path = filepath.Join(folder, filepath.Base(path))
	expect.Equal(t, "integrity", []string{"integrity_check=ok"}, rows(t, open(t, path), "PRAGMA integrity_check"))
	mustRun(t, "check", "--db", path)
	var from, to int
	indexed := rows(t, open(t, path), "SELECT from_block, to_block FROM coverage WHERE kind = 'indexed'")
	_, err := fmt.Sscanf(strings.Join(indexed, " "), "from_block=%d to_block=%d", &from, &to)
	if err != nil || len(indexed) != 1 || to-from+1 < least {
		t.Fatalf("indexed %q, want at least %d blocks", indexed, least)
	}
	got := blocksOf(t, path)
	for n := from; n < from+interruptedBlocks; n++ {
		for _, kind := range []string{"mints", "burns"} {
			want, block := "", fmt.Sprint(kind, n)
			if n <= to {
				want = records[block]
			}
			if got[block] != want {
				t.Fatalf("%s of block %d: %q, want %q", kind, n, got[block], want)
			}
			delete(got, block)
		}
	}
	expect.Equal(t, "records of other blocks", map[string]string{}, got)
}

// endImport imports text from a pipe that never ends, and sends the signal once this
// many blocks are stored.
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
		// It fails if the process ends before it has read everything.
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
		!strings.Contains(stderr.String(), ": progress is saved; run the same command again to continue") {
		t.Errorf("after %v: %v: want exit code %d and how to continue: %s", signal, err, 128+int(signal), stderr.String())
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
