package command_test

import (
	"context"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// clone copies the files that a commit of the working folder would contain.
func clone(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	list := exec.CommandContext(t.Context(), "sh", "-c", `git ls-files -z --cached --others --exclude-standard |
		tar --create --null --files-from=- --ignore-failed-read | tar --extract --directory="$1"`, "sh", folder)
	list.Dir = root
	if said, err := list.CombinedOutput(); err != nil {
		t.Fatalf("copying the files: %v: %s", err, said)
	}
	return folder
}

// notInlined is a go build flag that halves the time to build the program.
const notInlined = "-gcflags=" + module + "/...=-l"

// documentedPostgres is the PostgreSQL database that commands in documents name.
const documentedPostgres = "postgres://mintburn@db.example/mintburn"

// inClone runs the commands of documents in a clone, with the documented node, database
// and addresses replaced.
type inClone struct {
	folder string
	node   *chaintest.Node
	// socket is the node's WebSocket.
	socket string
	// prefix is a folder for programs, in place of $HOME/.local.
	prefix string
	// postgres is a database on PostgreSQL, once a command names one.
	postgres string
	// demo is the demo that receives the requests of curl, once it has started.
	demo *server
}

// untilStopped matches the commands that run until they are stopped.
var untilStopped = regexp.MustCompile(`^(make demo$|\./mintburn (demo$|serve )|go run \. serve )`)

// run runs a command as written, to its end or, if it serves, until it serves.
func (c *inClone) run(t *testing.T, command string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	// A server that answers runs to the end of the test.
	limit := time.AfterFunc(5*time.Minute, cancel)
	defer limit.Stop()
	if strings.HasPrefix(command, "curl ") {
		if c.demo == nil {
			t.Fatalf("%s: no demo was started before it", command)
		}
		if _, err := c.demo.shell(t, "", command); err != nil {
			t.Errorf("%s: %v", command, err)
		}
		return
	}
	changed := strings.NewReplacer("https://your-node.example", c.node.URL, "wss://your-node.example", c.socket, "0.0.0.0:8080", "127.0.0.1:0", "$HOME/.local", c.prefix, documentedPostgres, "'"+c.postgres+"'").Replace(command)
	if command == "make test" {
		// This test is a part of it.
		changed = "make -n test"
	}
	process := exec.CommandContext(ctx, "sh", "-c", "exec "+changed)
	process.Dir, process.Env = c.folder, append(os.Environ(), "MINTBURN_LISTEN=127.0.0.1:0",
		// make demo sets -trimpath; if all do, packages are compiled once.
		"GOFLAGS="+os.Getenv("GOFLAGS")+" -trimpath "+notInlined)
	// A signal must reach the program below make and go run.
	process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	signal := func(s syscall.Signal) { _ = syscall.Kill(-process.Process.Pid, s) }
	process.Cancel = func() error { signal(syscall.SIGKILL); return nil }
	if !untilStopped.MatchString(command) {
		if said, err := process.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", command, err, said)
		}
		return
	}
	out := &output{endpoint: make(chan string, 1)}
	process.Stdout, process.Stderr = out, out
	if err := process.Start(); err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- process.Wait() }()
	select {
	case base := <-out.endpoint:
		if command == "make demo" {
			c.demo = &server{Client: apitest.Client{Base: base}, output: out}
			t.Cleanup(func() {
				signal(syscall.SIGINT)
				<-ended
			})
			return
		}
		if strings.Contains(command, "--rpc") {
			blocks := c.node.Blocks()
			await(t, &server{Client: apitest.Client{Base: base}}, blocks[len(blocks)-1].Header.Hash.String())
		}
		signal(syscall.SIGINT)
		// go run always fails when a signal ends it.
		if err := <-ended; err != nil && !strings.HasPrefix(command, "go run") {
			t.Errorf("%s: stopped with %v: %s", command, err, out)
		}
	case err := <-ended:
		t.Fatalf("%s: %v: %s", command, err, out)
	}
}

// TestDocs_InOrder runs each command of README.md and then of its linked documents, in
// order, in one fresh clone.
func TestDocs_InOrder(t *testing.T) {
	t.Parallel()
	skipShort(t, "it builds the program anew")
	for _, tool := range []string{"git", "tar", "make", "go", "sh"} {
		needed(t, "a tool is not installed", func() error {
			_, err := exec.LookPath(tool)
			return err
		})
	}
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	node.MineEmpty(5)
	socket := httptest.NewServer(chaintest.Socket(node))
	t.Cleanup(socket.Close)
	c := &inClone{folder: clone(t), prefix: t.TempDir(), node: node, socket: strings.Replace(socket.URL, "http:", "ws:", 1)}
	// The page is not built here, because npm would fetch its packages.
	expect.NoError(t, os.MkdirAll(filepath.Join(c.folder, "internal", "httpapi", "page", "assets", "built"), 0o755))
	texts := documents(t)
	n := c.document(t, texts["README.md"])
	for _, name := range linkedDocuments(texts["README.md"]) {
		t.Run(name, func(t *testing.T) { n += c.document(t, texts[name]) })
	}
	if said := c.demo.output.String(); !regexp.MustCompile(`make: compiling; .+\n\.`).MatchString(said) {
		t.Errorf("make demo compiles in silence: %s", said)
	}
	t.Run("install", c.install)
	if n < 15 {
		t.Errorf("%d commands were run", n)
	}
}

// linkedDocuments returns the documents that README.md links to, without duplicates.
func linkedDocuments(text string) (names []string) {
	for _, link := range regexp.MustCompile(`\((docs/\w+\.md)[)#]`).FindAllStringSubmatch(text, -1) {
		if !slices.Contains(names, link[1]) {
			names = append(names, link[1])
		}
	}
	return names
}

// document runs the commands of a document and returns their number.
func (c *inClone) document(t *testing.T, text string) (n int) {
	t.Helper()
	blocks, err := fences(text)
	expect.NoError(t, err)
	for _, b := range blocks {
		if b.info != "sh" && b.info != "sh test" {
			continue
		}
		for _, command := range commands(b.text) {
			if strings.Contains(command, documentedPostgres) && c.postgres == "" {
				c.postgres = pgtest.DSN(t)
			}
			c.run(t, command)
			n++
		}
	}
	return n
}
