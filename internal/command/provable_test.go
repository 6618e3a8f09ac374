package command_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/chaintest"
	"mintburn/internal/evm"
	"mintburn/internal/store"
)

// TestVerify_NotProvable says of a chain that is unlike Ethereum that it can't be
// proved, when two nodes or the operator say so, and fails before.
func TestVerify_NotProvable(t *testing.T) {
	t.Parallel()
	foreign := func() string {
		node := chaintest.NewNode(t, chaintest.NodeOptions{Shape: chaintest.Shape{OtherHash: true}})
		o := chaintest.Default()
		o.Blocks, o.Records = 80, 6
		node.Generate(o)
		return node.URL
	}
	one, two := foreign(), foreign()
	const reason = "the hash of the header is not that of its fields"
	for name, test := range map[string]struct {
		flags []string
		want  string
		known bool
	}{
		"one node":     {[]string{"--rpc", one}, "proof failed", false},
		"two nodes":    {[]string{"--rpc", one, "--rpc", two}, "not provable", true},
		"the operator": {[]string{"--rpc", one, "--unprovable"}, "not provable", true},
	} {
		t.Run(name, func(t *testing.T) {
			db := filepath.Join(t.TempDir(), "test.db")
			mustRun(t, "sync", "--once", "--receipts-depth", "0", "--db", db, "--rpc", one)
			_, stderr, code := run(t, nil, append([]string{"verify", "--from-block", "7", "--to-block", "7", "--db", db}, test.flags...)...)
			if code != 1 || !strings.Contains(stderr, test.want) || strings.Contains(stderr, "--unprovable") == test.known {
				t.Errorf("exit code %d: %s: want %q", code, stderr, test.want)
			}
			got := serve(t, db).Get(t, "{ chain { provable unprovableRanges { fromBlock toBlock reason } } }", "")["chain"]
			want := map[string]any{"provable": nil, "unprovableRanges": []any{}}
			if test.known {
				want["provable"] = false
				want["unprovableRanges"] = []any{map[string]any{"fromBlock": number("7"), "toBlock": number("7"), "reason": reason}}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	// As it is read, and with proved blocks.
	for name, test := range map[string]struct {
		flags []string
		want  any
	}{
		"two nodes, read whole": {[]string{"--rpc", one, "--rpc", two}, false},
		"one node, read whole":  {[]string{"--rpc", one}, nil},
		"Ethereum":              {[]string{"--rpc", chaintest.NewNode(t, chaintest.NodeOptions{}).URL}, true},
	} {
		t.Run(name, func(t *testing.T) {
			db := filepath.Join(t.TempDir(), "test.db")
			mustRun(t, append([]string{"sync", "--once", "--db", db}, test.flags...)...)
			if got := serve(t, db).Get(t, "{ chain { provable } }", "")["chain"].(map[string]any)["provable"]; got != test.want {
				t.Errorf("provable: %v, want %v", got, test.want)
			}
		})
	}
}

// TestVerify_PartlyProvable proves the blocks below and above those whose receipts
// are pruned, and names and counts these.
func TestVerify_PartlyProvable(t *testing.T) {
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	o := chaintest.Default()
	o.Blocks, o.Records = 100, 6
	node.Generate(o)
	db := synced(t, node)
	node.Break(0, chaintest.Fault{Code: 4444, Message: "pruned history unavailable"}, func(c chaintest.Call) bool {
		return c.Method == "eth_getBlockReceipts" && 40 <= c.To && c.To <= 49
	})
	for _, flags := range [][]string{nil, {"--repair"}} {
		stdout, stderr, code := run(t, nil, append([]string{"verify", "--rpc", node.URL, "--db", db}, flags...)...)
		if code != 1 || !strings.HasPrefix(stdout, "blocks 40 to 49 are not proved: proving block 40: ") || strings.Count(stdout, "\n") != 1 ||
			stderr != "mintburn: 0 differences in 101 blocks: 91 proved, 10 not provable, 0 differing\n" {
			t.Errorf("%v: exit code %d: %s%s", flags, code, stdout, stderr)
		}
	}
	got := serve(t, db).Get(t, "{ chain { verifiedRanges { fromBlock toBlock } } }", "")["chain"]
	want := map[string]any{"verifiedRanges": []any{
		map[string]any{"fromBlock": number("0"), "toBlock": number("39")}, map[string]any{"fromBlock": number("50"), "toBlock": number("100")},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestServe_Gaps lists gaps and counts their blocks.
func TestServe_Gaps(t *testing.T) {
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	node.MineEmpty(100)
	db := filepath.Join(t.TempDir(), "test.db")
	mustRun(t, "sync", "--to-block", "9", "--db", db, "--rpc", node.URL)
	s, err := store.Open(context.Background(), db, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for number := range uint64(3) {
		gap := evm.Gap{FromBlock: 10 + number, ToBlock: 10 + number, Reason: "inconsistent", Since: 5, NextTry: 1 << 40, Tries: 3}
		if err := s.SetGap(t.Context(), gap); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_, stderr, code := run(t, nil, "sync", "--to-block", "20", "--db", db, "--rpc", node.URL)
	if code != 1 || !strings.Contains(stderr, "3 ranges of blocks are left out, the first from block 10 to 10 (inconsistent)") {
		t.Errorf("sync over gaps: exit code %d: %s", code, stderr)
	}
	server := serve(t, db)
	got := server.Get(t, "{ chain { indexedRanges { fromBlock toBlock } gaps { fromBlock toBlock reason since tries nextTry } } }", "")["chain"]
	var gaps []any
	for n := 10; n < 13; n++ {
		gaps = append(gaps, map[string]any{
			"fromBlock": number(fmt.Sprint(n)), "toBlock": number(fmt.Sprint(n)), "reason": "inconsistent",
			"since": number("5"), "tries": number("3"), "nextTry": number(fmt.Sprint(1 << 40)),
		})
	}
	want := map[string]any{"gaps": gaps, "indexedRanges": []any{
		map[string]any{"fromBlock": number("0"), "toBlock": number("9")}, map[string]any{"fromBlock": number("13"), "toBlock": number("20")},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if metrics := server.Send(t, "GET", "/metrics", ""); !strings.Contains(metrics.Body, "mintburn_gap_blocks 3\n") {
		t.Errorf("no gap_blocks of 3 in %s", metrics.Body)
	}
}
