package command_test

import (
	"bufio"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"mintburn/internal/testing/expect"
)

// TestExamples_Reorgs runs examples/reorgs while blocks are added, and a reorg replaces some. Each
// time it must arrive at the stored mints, after a reorg by dropping the orphaned ones.
func TestExamples_Reorgs(t *testing.T) {
	t.Parallel()
	skipShort(t, "follows a node")
	needed(t, "no Node", func() error {
		_, err := exec.LookPath("node")
		return err
	})
	l := newLive(t)
	process := exec.CommandContext(t.Context(), "node", filepath.Join(root, "examples", "reorgs", "mints.js"))
	process.Env, process.Stderr = append(os.Environ(), "MINTBURN_URL="+l.server.Base+"/graphql"), os.Stderr
	out, err := process.StdoutPipe()
	expect.NoError(t, err)
	expect.NoError(t, process.Start())
	t.Cleanup(func() { _ = process.Wait() })
	lines, form := bufio.NewScanner(out), regexp.MustCompile(`^([+-]) (\S+): block \d+, token \d+ of 0x[0-9a-f]{40}$`)
	shown := map[string]bool{}
	blocks, dropped := 0, 0
	for _, added := range []int{0, 3, 26, 1, 1} {
		for range added {
			l.add()
		}
		blocks += added
		var stored struct {
			Mints struct{ Data []struct{ ID string } }
		}
		// The head of the recorded chain, which the example begins with.
		text, err := json.Marshal(l.server.Get(t, "{ mints(fromBlock: 824, first: 1000) { data { id } } }", ""))
		expect.NoError(t, err)
		expect.NoError(t, json.Unmarshal(text, &stored))
		want := map[string]bool{}
		for _, mint := range stored.Mints.Data {
			want[mint.ID] = true
		}
		for !maps.Equal(want, shown) {
			if !lines.Scan() {
				t.Fatalf("the example ended after %d blocks: %v", blocks, lines.Err())
			}
			found := form.FindStringSubmatch(lines.Text())
			if found == nil || shown[found[2]] == (found[1] == "+") {
				t.Fatalf("it prints %q", lines.Text())
			}
			if found[1] == "+" {
				shown[found[2]] = true
			} else {
				delete(shown, found[2])
				dropped++
			}
		}
		// A reorg every minute is one every 30 blocks.
		if reorged := blocks >= 30; reorged != (dropped > 0) {
			t.Errorf("after %d blocks: %d mints were dropped", blocks, dropped)
		}
	}
}
