package workload_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/bench/data"
	"mintburn/bench/workload"
	"mintburn/internal/command"
	"mintburn/internal/evm"
	"mintburn/internal/testing/expect"
)

// database returns a database with 5,000 imported records.
func database(t *testing.T) string {
	db := filepath.Join(t.TempDir(), "bench.db")
	text, file := io.Pipe()
	go func() {
		_, err := data.Write(file, 5_000)
		_ = file.CloseWithError(err)
	}()
	if code := command.Run(context.Background(), nil, []string{"import", "--db", db, "-"}, text, t.Output(), t.Output()); code != 0 {
		t.Fatalf("import: exit code %d", code)
	}
	return db
}

func TestPick(t *testing.T) {
	db := database(t)
	got, err := workload.Pick(t.Context(), db, 50)
	expect.NoError(t, err)
	again, err := workload.Pick(t.Context(), db, 50)
	expect.NoError(t, err)
	if diff := cmp.Diff(got, again); diff != "" {
		t.Errorf("the same database yields other sets (-first +second):\n%s", diff)
	}
	if len(got) != workload.Main+8 {
		t.Errorf("%d workloads, want %d", len(got), workload.Main+8)
	}
	for _, w := range got {
		if len(w.Sets) != 50 {
			t.Errorf("%s: %d sets, want 50", w.Name, len(w.Sets))
		}
		different := map[string]bool{}
		for _, v := range w.Sets {
			different[fmt.Sprint(v)] = true
			body, err := w.Body(v)
			expect.NoError(t, err)
			var request struct {
				Query     string
				Variables map[string]any
			}
			expect.NoError(t, json.Unmarshal(body, &request))
			// Every variable that the document declares has a value, except
			// cursors, which AddCursors fills in.
			declared, _, _ := strings.Cut(request.Query, ")")
			for name := range request.Variables {
				if !strings.Contains(declared, "$"+name+":") {
					t.Errorf("%s: %s has a value and is not declared", w.Name, name)
				}
			}
			if n := strings.Count(strings.ReplaceAll(declared, "!]", "]"), "!"); n != len(request.Variables) {
				t.Errorf("%s: %d values for %d required variables", w.Name, len(request.Variables), n)
			}
		}
		if len(different) < 5 {
			t.Errorf("%s: only %d different sets", w.Name, len(different))
		}
	}
}

func TestWorkload_Unseen(t *testing.T) {
	w := workload.Workload{Document: `query($address: Address!, $tx: Bytes32!) { a(x: $address, y: $tx, z: $txAddress, toBlock: $toBlock) { b } }`}
	request, err := w.Unseen(workload.Variables{Address: evm.Address{1}, Tx: evm.Hash{2}, TxAddress: evm.Address{3}, ToBlock: 7})
	expect.NoError(t, err)
	hex := func(first, bytes int) string {
		return fmt.Sprintf(`\"0x%02x%s\"`, first, strings.Repeat("00", bytes-1))
	}
	want := `{"query":"{ a(x: ` + hex(1, 20) + `, y: ` + hex(2, 32) + `, z: ` + hex(3, 20) + `, toBlock: 8) { b } }"}`
	if got := string(request(nil, 8)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	w.Document = `{ a }`
	if _, err := w.Unseen(workload.Variables{}); err == nil {
		t.Error("a document without a last block cannot be made another each time")
	}
}
