package command_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"mintburn/internal/command"
	"mintburn/internal/demo"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// root is the project's folder, relative to this package.
const root = "../.."

// repository has the files that the program embeds. It finds them at the first use.
var repository repositoryFiles

type repositoryFiles struct{}

// Open opens a file that the program embeds.
func (repositoryFiles) Open(name string) (fs.File, error) { return embedded().Open(name) }

var embedded = sync.OnceValue(func() fstest.MapFS {
	list := exec.Command("go", "list", "-f", `{{join .EmbedFiles "\n"}}`, ".")
	list.Dir = root
	names, err := list.Output()
	if err != nil {
		panic(err)
	}
	files := fstest.MapFS{}
	for _, name := range strings.Fields(string(names)) {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			panic(err)
		}
		files[name] = &fstest.MapFile{Data: text}
	}
	return files
})

// chainA returns the path of a file of the recorded chain.
func chainA(t testing.TB, name string) string { return chaintest.Data(t, "chain-a/"+name) }

// run runs the program in this process until it ends.
func run(t testing.TB, stdin io.Reader, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = command.Run(t.Context(), repository, args, stdin, &out, &errs)
	return out.String(), errs.String(), code
}

// mustRun runs the program, which must succeed, and returns its output.
func mustRun(t testing.TB, args ...string) (stdout, stderr string) {
	t.Helper()
	stdout, stderr, code := run(t, nil, args...)
	if code != 0 {
		t.Fatalf("%v: exit code %d: %s%s", args, code, stdout, stderr)
	}
	return stdout, stderr
}

// fails runs the program, which must end with the exit code and an error that contains
// text.
func fails(t testing.TB, code int, text string, args ...string) {
	t.Helper()
	if _, stderr, got := run(t, nil, args...); got != code || !strings.Contains(stderr, text) {
		t.Errorf("%v: exit code %d, want %d: %swant %s", args, got, code, stderr, text)
	}
}

// importInto runs an import that must succeed.
func importInto(t testing.TB, db string, stdin io.Reader, files ...string) string {
	t.Helper()
	stdout, stderr, code := run(t, stdin, append([]string{"import", "--db", db}, files...)...)
	if code != 0 {
		t.Fatalf("import: exit code %d: %s", code, stderr)
	}
	return stdout
}

// importChainA returns a new database with the recorded chain.
func importChainA(t testing.TB) string {
	t.Helper()
	return chainADatabase.copy(t, func(db string) { importInto(t, db, nil, chainA(t, "bundle.ndjson.gz")) })
}

// importDemo returns a new database with the demo's chain, which has metadata.
func importDemo(t testing.TB) string {
	t.Helper()
	return demoDatabase.copy(t, func(db string) { importInto(t, db, demo.Open(), "-") })
}

var chainADatabase, demoDatabase made

// made is a database that is created once and copied for each test.
type made struct {
	mu   sync.Mutex
	text []byte
}

// copy returns the path of a copy of the database. The first call creates it with fill.
func (m *made) copy(t testing.TB, fill func(path string)) string {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	path := filepath.Join(t.TempDir(), "made.db")
	if m.text != nil {
		expect.NoError(t, os.WriteFile(path, m.text, 0o600))
		return path
	}
	fill(path)
	var err error
	m.text, err = os.ReadFile(path)
	expect.NoError(t, err)
	return path
}

// skipShort skips a test with -short. does describes why the test is slow.
func skipShort(t testing.TB, does string) {
	t.Helper()
	if testing.Short() {
		t.Skip(does)
	}
}

// contents returns options to generate blocks with this many records each.
func contents(blocks, records int) chaintest.Options {
	o := chaintest.Default()
	o.Blocks, o.Records = blocks, records
	return o
}

// generated returns a node with a chain, and the options that made it.
func generated(t testing.TB, blocks, records int) (*chaintest.Node, chaintest.Options) {
	t.Helper()
	node, o := chaintest.NewNode(t, chaintest.NodeOptions{}), contents(blocks, records)
	node.Generate(o)
	return node, o
}

// server is the program, serving in this process.
type server struct {
	apitest.Client
	// output contains the output of the program.
	output *output
}

// output records what the program writes, and sends the URL of the server once the
// program has printed its GraphQL endpoint.
type output struct {
	endpoint chan string

	mu   sync.Mutex // guards text and told
	text bytes.Buffer
	told bool
}

var endpointPattern = regexp.MustCompile(`(https?://127\.0\.0\.1:\d+)/graphql`)

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n, err := o.text.Write(p)
	if found := endpointPattern.FindSubmatch(o.text.Bytes()); found != nil && !o.told {
		o.told = true
		o.endpoint <- string(found[1])
	}
	return n, err
}

// String returns the output so far.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// start runs a serving command until the test ends. It must then stop with exit code 0.
func start(t testing.TB, args ...string) *server {
	t.Helper()
	return startAt(t, time.Now, args...)
}

// startAt is start with a clock.
func startAt(t testing.TB, now func() time.Time, args ...string) *server {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s := &server{output: &output{endpoint: make(chan string, 1)}}
	ended := make(chan int, 1)
	go func() {
		ended <- command.RunAt(ctx, repository, now, append(args, "--listen", "127.0.0.1:0"), strings.NewReader(""), s.output, s.output)
	}()
	select {
	case s.Base = <-s.output.endpoint:
	case code := <-ended:
		cancel()
		t.Fatalf("%s: exit code %d: %s", args[0], code, s.output)
	}
	t.Cleanup(func() {
		cancel()
		http.DefaultClient.CloseIdleConnections()
		if code := <-ended; code != 0 {
			t.Errorf("%s: stopped with exit code %d: %s", args[0], code, s.output)
		}
	})
	return s
}

// startProcess runs serve in a separate process until it or the test ends. It returns
// once the server serves or the process has ended; in the latter case the server has no
// URL. ended receives the error of the process.
func startProcess(t testing.TB, edit func(*exec.Cmd), args ...string) (s *server, process *exec.Cmd, ended <-chan error) {
	t.Helper()
	process = exec.CommandContext(t.Context(), "mintburn", append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	s = &server{output: &output{endpoint: make(chan string, 1)}}
	process.Stderr = s.output
	edit(process)
	expect.NoError(t, process.Start())
	end, waited := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(waited)
		end <- process.Wait()
	}()
	t.Cleanup(func() { <-waited })
	select {
	case s.Base = <-s.output.endpoint:
	case <-waited:
	}
	return s, process, end
}

// serve serves a database.
func serve(t testing.TB, db string) *server { return start(t, "serve", "--db", db) }

// lines returns the lines of a text file, which is decompressed if its name ends in .gz.
func lines(t testing.TB, path string) []string {
	t.Helper()
	file, err := os.Open(path)
	expect.NoError(t, err)
	defer file.Close()
	var in io.Reader = file
	if strings.HasSuffix(path, ".gz") {
		if in, err = gzip.NewReader(file); err != nil {
			t.Fatal(err)
		}
	}
	var list []string
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, 64<<20)
	for scanner.Scan() {
		list = append(list, scanner.Text())
	}
	expect.NoError(t, scanner.Err())
	return list
}

// transferFields selects the documented fields and subIndex.
func transferFields() string { return "subIndex " + apitest.Fields("Transfer") }

// record is a transfer, keyed by GraphQL names.
type record map[string]any

// expected reads a file of expected answers as records.
func expected(t testing.TB, path string) []record {
	t.Helper()
	var list []record
	for _, line := range lines(t, path) {
		var documented map[string]any
		apitest.Decode(t, line, &documented)
		r := record{"subIndex": documented["_batch"]}
		for name, value := range documented {
			if !strings.HasPrefix(name, "_") {
				r[apitest.Camel(name)] = value
			}
		}
		list = append(list, r)
	}
	return list
}

// walk reads all pages of mints or burns, and checks each page's envelope.
func (s *server) walk(t testing.TB, field, filter string, size int) []record {
	t.Helper()
	var list []record
	after, total := "", ""
	for page := 1; ; page++ {
		arguments := strings.Trim(fmt.Sprintf("%s first: %d", filter, size), " ")
		if after != "" {
			arguments += fmt.Sprintf(" after: %q", after)
		}
		got := s.Get(t, fmt.Sprintf("{ %s(%s) { cursor page limit totalItems data { %s } } }", field, arguments, transferFields()), "")
		var envelope struct {
			Cursor      *string
			Page, Limit int
			TotalItems  json.Number
			Data        []record
		}
		text, err := json.Marshal(got[field])
		expect.NoError(t, err)
		apitest.Decode(t, string(text), &envelope)
		if envelope.Page != page || envelope.Limit != size || page > 1 && envelope.TotalItems.String() != total {
			t.Fatalf("%s(%s): page %d, limit %d, totalItems %s: want page %d, limit %d, totalItems %s",
				field, arguments, envelope.Page, envelope.Limit, envelope.TotalItems, page, size, total)
		}
		list, total = slices.Concat(list, envelope.Data), envelope.TotalItems.String()
		if envelope.Cursor == nil {
			if want := fmt.Sprint(len(list)); total != want {
				t.Fatalf("%s(%s): totalItems %s after %s items", field, filter, total, want)
			}
			return list
		}
		if len(envelope.Data) != size {
			t.Fatalf("%s(%s): %d items and a next page", field, arguments, len(envelope.Data))
		}
		after = *envelope.Cursor
	}
}

// number returns a JSON number as decoded from a response.
func number(text string) json.Number { return json.Number(text) }
