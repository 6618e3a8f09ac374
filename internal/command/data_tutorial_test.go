//go:build parquet

package command_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
)

// program is a command of the tutorial that runs until it is stopped.
type program struct {
	process *exec.Cmd
	ended   chan error

	mu     sync.Mutex // guards what follows
	text   strings.Builder
	shows  *regexp.Regexp
	showed chan string
}

func (p *program) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text.Write(text)
	if found := p.shows.FindStringSubmatch(p.text.String()); found != nil && p.showed != nil {
		p.showed <- found[1]
		p.showed = nil
	}
	return len(text), nil
}

// signal sends a signal to the command, and to the program below go run.
func (p *program) signal(sent syscall.Signal) { _ = syscall.Kill(-p.process.Process.Pid, sent) }

// stop sends a SIGINT, as Ctrl-C does.
func (p *program) stop() {
	p.signal(syscall.SIGINT)
	<-p.ended
}

// running starts a command, waits for a text, and returns its first group.
func running(t *testing.T, folder, command, shows string) (p *program, found string) {
	t.Helper()
	showed := make(chan string, 1)
	p = &program{process: exec.CommandContext(t.Context(), "sh", "-c", "exec "+command), ended: make(chan error, 1), shows: regexp.MustCompile(shows), showed: showed}
	p.process.Dir, p.process.Stdout, p.process.Stderr = folder, p, p
	p.process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	expect.NoError(t, p.process.Start())
	go func() { p.ended <- p.process.Wait(); close(p.ended) }()
	select {
	case found = <-showed:
	case err := <-p.ended:
		t.Fatalf("%s: %v: %s", command, err, p.text.String())
	}
	t.Cleanup(p.stop)
	return p, found
}

// TestData_Tutorial runs the commands of docs/tutorial.md, in order. With MINTBURN_TUTORIAL it
// builds the program in a clone, as the tutorial does; else it uses the program of the tests.
func TestData_Tutorial(t *testing.T) {
	t.Parallel()
	needed(t, "a tool is not installed", func() error {
		_, err := exec.LookPath("curl")
		return err
	})
	folder, nodes := t.TempDir(), root
	if os.Getenv("MINTBURN_TUTORIAL") != "" {
		folder = clone(t)
		nodes = folder
	} else {
		expect.NoError(t, os.WriteFile(filepath.Join(folder, "mintburn"), []byte("#!/bin/sh\nexec mintburn \"$@\"\n"), 0o755))
	}
	blocks, err := fences(documents(t)["docs/tutorial.md"])
	expect.NoError(t, err)
	var node *program
	addresses := []string{"--max-lag 1m; do sleep 5", "--max-lag 2s; do sleep 0.1"}
	var api apitest.Client
	for i, b := range blocks {
		text := strings.NewReplacer(addresses...).Replace(b.text)
		switch where := fmt.Sprintf("docs/tutorial.md, line %d", b.line); {
		case b.info == "sh tutorial duckdb":
			t.Run("DuckDB", func(t *testing.T) {
				w := newWarehouse(t)
				expect.NoError(t, os.Symlink(filepath.Join(folder, "mints"), filepath.Join(w.folder, "mints")))
				if printed := w.must(t, "", "sh", "-e", "-c", text); !strings.Contains(printed, "256") {
					t.Errorf("%s: it prints %s", where, printed)
				}
			})
		case b.info != "sh tutorial":
		case strings.HasPrefix(text, "go build ") && nodes == root:
		case strings.HasPrefix(text, "go run "):
			var address string
			node, address = running(t, nodes, strings.TrimSpace(text)+" -listen 127.0.0.1:0 -every 100ms", `Node at http://(\S+),`)
			addresses = append(addresses, "127.0.0.1:8545", address)
		case strings.HasPrefix(text, "./mintburn serve "):
			_, api.Base = running(t, folder, strings.TrimSpace(text)+" --listen 127.0.0.1:0", `(?s)page=(http://\S+)/ .*caught up`)
			addresses = append(addresses, documentedAddress, strings.TrimPrefix(api.Base, "http://"))
			// Its last blocks with mints come when somebody watches.
			node.signal(syscall.SIGSTOP)
		case strings.Contains(text, "--follow"):
			node.signal(syscall.SIGCONT)
			p, _ := running(t, folder, strings.TrimSpace(text), `(\{"kind":"added",.*\n)`)
			p.stop()
		default:
			if strings.HasPrefix(text, "while ./mintburn status ") {
				allProved(t, &api)
				node.stop()
			}
			printed, err := shellIn(t, folder, text)
			if err != nil {
				t.Fatalf("%s: %v", where, err)
			}
			if i+1 < len(blocks) && blocks[i+1].info == "text" {
				expect.Equal(t, where, blocks[i+1].text, printed)
			}
		}
	}
	manifest, err := os.ReadFile(filepath.Join(folder, "mints", "_manifest.json"))
	expect.NoError(t, err)
	if node == nil || api.Base == "" || !strings.Contains(string(manifest), `"files"`) {
		t.Errorf("not every step was run: %s", manifest)
	}
}

// shellIn runs a script in a folder and returns its output.
func shellIn(t *testing.T, folder, text string) (string, error) {
	t.Helper()
	process := exec.CommandContext(t.Context(), "sh", "-e", "-c", text)
	// The default port may be in use.
	process.Dir, process.Env = folder, append(os.Environ(), "MINTBURN_LISTEN=127.0.0.1:0")
	var complaint strings.Builder
	process.Stderr = &complaint
	printed, err := process.Output()
	if err != nil {
		err = fmt.Errorf("%w: %s%s", err, printed, complaint.String())
	}
	return string(printed), err
}

// allProved waits until the node has no recorded blocks left, and checks that all blocks up to the
// head are proved, also the empty ones.
func allProved(t *testing.T, api *apitest.Client) {
	t.Helper()
	const recorded = 825
	type ranges = []struct{ FromBlock, ToBlock int }
	var got struct {
		Chain struct {
			Head                          struct{ Number int }
			VerifiedRanges, IndexedRanges ranges
		}
	}
	until(t, func() bool {
		text, err := json.Marshal(api.Get(t, "{ chain { head { number } verifiedRanges { fromBlock toBlock } indexedRanges { fromBlock toBlock } } }", ""))
		expect.NoError(t, err)
		expect.NoError(t, json.Unmarshal(text, &got))
		return got.Chain.Head.Number > recorded+5
	})
	expect.Equal(t, "indexed", ranges{{0, got.Chain.Head.Number}}, got.Chain.IndexedRanges)
	expect.Equal(t, "verified", got.Chain.IndexedRanges, got.Chain.VerifiedRanges)
}
