package command_test

import (
	"bufio"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"mintburn/internal/demo"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
)

// longestWalk is the most handwritten files whose code a page may run on its way from
// HTTP to SQL and back. A newcomer has to read them to follow it. The files have 200 lines on
// average.
const longestWalk = 53

// restMore is how many more files the same page may run as a REST route.
const restMore = 5

// TestWalk requests one page each of mints, burns and tokenMetadata, and the page of
// burns by REST, from a binary built for coverage. The code of resolvers and ent's queries
// must run, and each walk must be short.
func TestWalk(t *testing.T) {
	t.Parallel()
	skipShort(t, "builds the program once more, for coverage")
	binary := filepath.Join(t.TempDir(), "mintburn")
	build := exec.CommandContext(t.Context(), "go", "build", notInlined, "-cover", "-covermode=atomic", "-coverpkg=./...", "-o", binary, ".")
	build.Dir = root
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, text)
	}
	db := filepath.Join(t.TempDir(), "walk.db")
	importInto(t, db, demo.Open(), "-")
	s := serve(t, db)
	burn := s.Get(t, `{ burns(first: 1) { cursor data { tokenAddress blockNumber } } }`, "")["burns"].(map[string]any)["data"].([]any)[0].(map[string]any)
	arguments := fmt.Sprintf(`address: %q, fromBlock: 0, toBlock: %v`, burn["tokenAddress"], burn["blockNumber"])
	page := s.Get(t, `{ burns(`+arguments+`, first: 1) { edges { cursor } } }`, "")["burns"].(map[string]any)
	after := page["edges"].([]any)[0].(map[string]any)["cursor"]
	token := s.Get(t, `{ mints(first: 1000) { data { tokenAddress metadata { name } } } }`, "")["mints"].(map[string]any)["data"].([]any)
	described := token[slices.IndexFunc(token, func(t any) bool { return t.(map[string]any)["metadata"] != nil })].(map[string]any)["tokenAddress"]

	idle := coverage(t, binary, db, func(*apitest.Client) {})
	envelope := `cursor page limit edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } data`
	ran := map[string]bool{}
	walk := func(name string, most int, ask func(*apitest.Client)) int {
		files := map[string]bool{}
		for place, n := range coverage(t, binary, db, ask) {
			if n > idle[place] {
				file, _, _ := strings.Cut(place, ":")
				files[strings.TrimPrefix(file, module+"/")] = true
			}
		}
		maps.Copy(ran, files)
		var entered []string
		handwritten(t, func(path string, _ []byte) {
			if files[path] {
				entered = append(entered, path)
			}
		})
		t.Logf("%s enters %d handwritten files: %s", name, len(entered), strings.Join(entered, " "))
		if len(entered) > most {
			t.Errorf("a page of %s enters %d handwritten files, want at most %d", name, len(entered), most)
		}
		return len(entered)
	}
	query := func(text string) func(*apitest.Client) {
		return func(c *apitest.Client) { c.Get(t, text, "") }
	}
	walk("mints", longestWalk, query(`{ mints(first: 5) { `+envelope+` { `+transferFields()+` } } }`))
	burns := func(selection string) func(*apitest.Client) {
		return query(fmt.Sprintf(`{ burns(%s, after: %q, first: 5) { %s { %s } } }`, arguments, after, selection, transferFields()))
	}
	walk("burns", longestWalk, burns(envelope))
	walk("tokenMetadata", longestWalk, query(fmt.Sprintf(`{ tokenMetadata(address: %q, first: 5) { %s { name image
		attributes { traitType value maxValue traitCount order } } } }`, described, envelope)))
	// A REST route returns a total, whose counters need more files.
	same := walk("burns with a total", longestWalk+restMore, burns("cursor page limit totalItems data"))
	walk("burns by REST", same+restMore, func(c *apitest.Client) {
		route := fmt.Sprintf("/v1/nft/%s/burns?from_block=0&to_block=%v&cursor=%s&limit=5", burn["tokenAddress"], burn["blockNumber"], after)
		if got := c.Send(t, http.MethodGet, route, ""); got.Status != http.StatusOK {
			t.Errorf("%s: status %d: %s", route, got.Status, got.Body)
		}
	})
	for _, file := range []string{"graph/resolver.go", "graph/fast_gen.go", "ent/mint_query.go", "ent/burn_query.go", "ent/token_query.go"} {
		if !ran[file] {
			t.Errorf("no code of %s ran", file)
		}
	}
}

// coverage serves a database, calls ask, and returns how often each statement ran, by its
// position.
func coverage(t *testing.T, binary, db string, ask func(*apitest.Client)) map[string]int {
	t.Helper()
	folder := t.TempDir()
	process := exec.CommandContext(t.Context(), binary, "serve", "--db", db, "--listen", "127.0.0.1:0")
	process.Env = append(os.Environ(), "GOCOVERDIR="+folder)
	out, err := process.StdoutPipe()
	expect.NoError(t, err)
	process.Stderr = process.Stdout
	expect.NoError(t, process.Start())
	printed := bufio.NewScanner(out)
	for printed.Scan() {
		found := endpointPattern.FindStringSubmatch(printed.Text())
		if found == nil {
			continue
		}
		ask(&apitest.Client{Base: found[1]})
		expect.NoError(t, process.Process.Signal(syscall.SIGTERM))
		break
	}
	for printed.Scan() {
	}
	expect.NoError(t, process.Wait())
	profile := filepath.Join(folder, "profile")
	if text, err := exec.CommandContext(t.Context(), "go", "tool", "covdata", "textfmt", "-i="+folder, "-o="+profile).CombinedOutput(); err != nil {
		t.Fatalf("go tool covdata: %v\n%s", err, text)
	}
	counts := map[string]int{}
	for _, line := range lines(t, profile)[1:] {
		// FILE:FROM,TO STATEMENTS COUNT
		fields := strings.Fields(line)
		n, err := strconv.Atoi(fields[2])
		expect.NoError(t, err)
		counts[fields[0]] += n
	}
	return counts
}
