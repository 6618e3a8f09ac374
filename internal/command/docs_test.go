package command_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/demo"
	"mintburn/internal/testing/expect"
)

// The examples of README.md and docs/*.md are run against the demo, by these
// conventions:
//
//   - A ```graphql block is an operation without variables. It is sent by POST.
//     If the next fenced block is ```json, the response must equal it. Otherwise
//     the response must have no errors. Schema excerpts are ```text.
//   - In a ```sh block, each command that begins with curl is run, with the
//     demo's address in place of http://127.0.0.1:8080. If the next fenced
//     block is ```json, it is the response to the last of them. A command may
//     be continued with a backslash.
//   - In a ```sh test block, the commands that begin with mintburn, ./mintburn
//     or go run . are run as well. Each block runs in a separate folder, which
//     contains the demo's recording at its path in a clone. The commands must
//     end with exit code 0, and any other command is an error. If the next
//     fenced block is ```text, it is the output of the last command.
//   - The blocks of docs/backup.md for backup tools, such as ```sh litestream,
//     run only in [TestBackups_Litestream] and [TestBackups_PgBackRest].
//   - A ```js or ```tsx block is part of a script that a test runs.
//   - The ```sh tutorial blocks run in TestData_Tutorial, the ```python blocks in
//     [TestHowTo_Python], ```nginx and ```caddy in [TestHowTo_Proxies].
//
// [TestDocs_InOrder] also runs all commands in one fresh clone.
//
// JSON is compared as JSON: only the order of keys and white space may differ.

// fence is a fenced block of a document.
type fence struct {
	// info is the info string, the words after the opening fence.
	info, text string
	// line is the line of the opening fence.
	line int
}

// fences returns the fenced blocks of a document.
func fences(document string) (list []fence, err error) {
	var open *fence
	for i, line := range strings.Split(document, "\n") {
		mark := strings.TrimSpace(line)
		switch {
		case open == nil && strings.HasPrefix(mark, "```"):
			open = &fence{info: strings.TrimSpace(mark[3:]), line: i + 1}
		case open != nil && mark == "```":
			list, open = append(list, *open), nil
		case open != nil:
			open.text += line + "\n"
		}
	}
	if open != nil {
		return nil, fmt.Errorf("line %d: the block is not closed", open.line)
	}
	return list, nil
}

// commands returns the commands of a shell block, without comments.
func commands(text string) []string {
	var list []string
	for _, command := range strings.Split(strings.ReplaceAll(text, "\\\n", "\x00"), "\n") {
		command = strings.TrimSpace(strings.ReplaceAll(command, "\x00", "\\\n"))
		if command != "" && !strings.HasPrefix(command, "#") {
			list = append(list, command)
		}
	}
	return list
}

// runner runs the examples of one document.
type runner struct {
	t      *testing.T
	server *server
	// compared counts the compared examples by language.
	compared map[string]int
}

// document runs all examples of a document and returns their errors.
func (r *runner) document(text string) []error {
	blocks, err := fences(text)
	if err != nil {
		return []error{err}
	}
	var wrong []error
	for i, b := range blocks {
		var next fence
		if i+1 < len(blocks) {
			next = blocks[i+1]
		}
		var err error
		switch b.info {
		case "graphql":
			err = r.operation(b, next)
		case "sh", "sh test":
			err = r.shell(b, next)
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("line %d: %w", b.line, err))
		}
	}
	return wrong
}

func (r *runner) operation(b, next fence) error {
	a := r.server.Ask(r.t, b.text, "")
	if next.info == "json" {
		return r.compare("graphql", a.Text, next)
	}
	if len(a.Errors) > 0 {
		return fmt.Errorf("the answer has errors: %s", a.Text)
	}
	return nil
}

func (r *runner) shell(b, next fence) error {
	var answer, printed string
	folder := ""
	for _, command := range commands(b.text) {
		var err error
		switch {
		case strings.HasPrefix(command, "curl "):
			answer, err = r.server.shell(r.t, "", command)
		case b.info == "sh test" && ownProgram.MatchString(command):
			if folder == "" {
				folder = prepared(r.t)
			}
			printed, err = r.server.shell(r.t, folder, ownProgram.ReplaceAllString(command, "mintburn$3"))
		case b.info == "sh test":
			err = errors.New("only curl, mintburn and go run . are understood here")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", command, err)
		}
	}
	switch {
	case next.info == "json" && answer != "":
		return r.compare("sh", answer, next)
	case next.info == "text" && b.info == "sh test":
		r.compared["sh test"]++
		if printed != next.text {
			return fmt.Errorf("it prints (-documented +printed):\n%s", cmp.Diff(next.text, printed))
		}
	}
	return nil
}

// compare compares an answer with the JSON of a block.
func (r *runner) compare(language, answer string, documented fence) error {
	r.compared[language]++
	want, err := parse(documented.text)
	if err != nil {
		return err
	}
	got, err := parse(answer)
	if err != nil {
		return err
	}
	if diff := cmp.Diff(want, got); diff != "" {
		return fmt.Errorf("the answer is %s(-documented +answered):\n%s", answer, diff)
	}
	return nil
}

// parse reads a text that is one JSON value.
func parse(text string) (value any, err error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("%w in %s", err, text)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, fmt.Errorf("more than one JSON value in %s", text)
	}
	return value, nil
}

// prepared returns a new folder with the demo's recording.
func prepared(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	expect.NoError(t, os.MkdirAll(filepath.Join(folder, "internal", "demo"), 0o755))
	file, err := os.Create(filepath.Join(folder, "internal", "demo", "chain.ndjson.gz"))
	expect.NoError(t, err)
	if _, err := io.Copy(file, demo.Open()); err != nil {
		t.Fatal(err)
	}
	expect.NoError(t, file.Close())
	return folder
}

// documentedAddress is the address that commands in documents name.
const documentedAddress = "127.0.0.1:8080"

// ownProgram matches the commands that run the program.
var ownProgram = regexp.MustCompile(`^((\./)?mintburn|go run \.)( |$)`)

// shell runs a command of a document in a folder, with the documented address replaced by
// the server's, and returns its output.
func (s *server) shell(t *testing.T, folder, command string) (string, error) {
	t.Helper()
	name, _, _ := strings.Cut(command, " ")
	needed(t, "a tool is not installed", func() error {
		_, err := exec.LookPath(name)
		return err
	})
	address := strings.TrimPrefix(s.Base, "http://")
	process := exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(command, documentedAddress, address))
	process.Dir = folder
	var complaint strings.Builder
	process.Stderr = &complaint
	printed, err := process.Output()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, complaint.String())
	}
	return string(printed), err
}

// documents returns the texts of README.md and docs/*.md, by their paths.
func documents(t testing.TB) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	expect.NoError(t, err)
	texts := map[string]string{}
	for _, path := range append(paths, filepath.Join(root, "README.md")) {
		text, err := os.ReadFile(path)
		expect.NoError(t, err)
		name, err := filepath.Rel(root, path)
		expect.NoError(t, err)
		texts[filepath.ToSlash(name)] = string(text)
	}
	return texts
}

// TestDocs_Examples checks the responses in the documents against the demo.
func TestDocs_Examples(t *testing.T) {
	t.Parallel()
	skipShort(t, "runs the examples of the documents")
	r := &runner{t: t, server: start(t, "demo"), compared: map[string]int{}}
	for name, text := range documents(t) {
		for _, err := range r.document(text) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if r.compared["graphql"] < 5 || r.compared["sh"] < 3 || r.compared["sh test"] < 2 {
		t.Errorf("compared %v: want operations, curl and other commands", r.compared)
	}
}

// TestDocs_Sample tests the runner itself: it must accept a correct document, and find
// each mistake in others.
func TestDocs_Sample(t *testing.T) {
	t.Parallel()
	skipShort(t, "it runs a sample with a dozen mistakes")
	text, err := os.ReadFile(filepath.Join("testdata", "sample.md"))
	expect.NoError(t, err)
	sample := string(text)
	r := &runner{t: t, server: start(t, "demo"), compared: map[string]int{}}
	if wrong := r.document(sample); len(wrong) > 0 {
		t.Fatal(wrong)
	}
	expect.Equal(t, "compared", map[string]int{"graphql": 1, "sh": 2, "sh test": 2}, r.compared)
	for name, mistake := range map[string][2]string{
		"another value":        {`"totalItems": 3`, `"totalItems": 4`},
		"a number as text":     {`"totalItems": 3`, `"totalItems": "3"`},
		"an extra key":         {`"totalItems": 3`, `"totalItems": 3, "page": 1`},
		"a missing key":        {`"totalItems": 3,`, ``},
		"an ellipsis":          {`"totalItems": 3,`, `…`},
		"another answer":       {`"number": 824`, `"number": 825`},
		"another query":        {`block: 82`, `block: 83`},
		"no such field":        {`totalItems`, `price`},
		"a misspelt field":     {`verifiedRanges`, `verifiedRange`},
		"another printed line": {`1218 mints`, `1219 mints`},
		"another command":      {`mintburn import`, `mintburn export`},
		"a pipe":               {`-d '{"query": "{ chain`, `| jq -d '{"query": "{ chain`},
		"another address":      {`127.0.0.1:8080/graphql \`, `127.0.0.1:9090/graphql \`},
		"an unclosed block":    {"mintburn version\n```", "mintburn version\n"},
	} {
		t.Run(name, func(t *testing.T) {
			// The parts are independent, and one of them takes longer.
			requests, programs, _ := strings.Cut(sample, "Commands of the program:")
			part := requests
			if !strings.Contains(part, mistake[0]) {
				part = programs
			}
			changed := strings.Replace(part, mistake[0], mistake[1], 1)
			if changed == part {
				t.Fatalf("the sample has no %q", mistake[0])
			}
			if wrong := r.document(changed); len(wrong) == 0 {
				t.Error("the mistake was not found")
			}
		})
	}
}
