package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"
)

// The names of commands, and of flags with a value, in the help.
var (
	commandNames = regexp.MustCompile(`(?m)^  ([a-z]+) `)
	flagNames    = regexp.MustCompile(`(?m)^      --([a-z-]+)[ =]`)
)

// standalone compares the commands that need no dataset: the help, the scripts, and the mistakes
// of a list.
func (c *comparison) standalone(ctx context.Context) error {
	help := c.line(ctx, "--help")
	for _, name := range commandNames.FindAllSubmatch(help[0], -1) {
		c.line(ctx, string(name[1])+" --help")
	}
	for _, line := range []string{"version", "--version", "help", "help export", "man", "completion bash", "completion zsh", "completion fish"} {
		c.line(ctx, line)
	}
	text, err := os.ReadFile("internal/command/testdata/mistakes.txt")
	for _, s := range c.sides {
		err = errors.Join(err, os.WriteFile(filepath.Join(s.folder, "one.ndjson"), []byte(block), 0o644), os.Mkdir(filepath.Join(s.folder, "FOLDER"), 0o755))
	}
	c.line(ctx, "import one.ndjson --db ours.db")
	for line := range strings.Lines(string(text)) {
		env, args, ok := strings.Cut(line, "mintburn ")
		if !ok || strings.ContainsAny(env, "\t#") {
			continue
		}
		words := strings.Fields(args)
		for i, word := range words {
			words[i] = strings.NewReplacer("␣", " ", `\n`, "\n", `\t`, "\t").Replace(word)
		}
		c.command(ctx, "command", strings.TrimSpace(line), call{args: words, env: strings.Fields(env)})
	}
	scripts, missing := filepath.Glob("testdata/*.txtar")
	for _, path := range scripts {
		err = errors.Join(err, c.script(ctx, path))
	}
	return errors.Join(err, missing)
}

// block is a recording of one block, which some mistakes name.
const block = `{"block":{"number":"0x1","hash":"0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",` +
	`"parentHash":"0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","timestamp":"0x64"},"logs":[]}`

// word matches a word of a script. Quotes are single ones, doubled within them.
var word = regexp.MustCompile(`(?:'(?:[^']|'')*'|[^\s'])+`)

// script compares the commands of a script that run in the foreground, in a folder with its
// files. Of the other lines it follows those that set the environment or write files.
func (c *comparison) script(ctx context.Context, path string) error {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		return err
	}
	err = c.folder(filepath.Base(path))
	for _, file := range archive.Files {
		for _, s := range c.sides {
			err = errors.Join(err, os.WriteFile(filepath.Join(s.folder, file.Name), file.Data, 0o644))
		}
	}
	var next call
	for line := range bytes.Lines(archive.Comment) {
		args := word.FindAllString(string(line), -1)
		for i, arg := range args {
			args[i] = strings.NewReplacer("''", "'", "'", "").Replace(arg)
		}
		at := slices.Index(args, "mintburn")
		switch {
		case bytes.HasPrefix(line, []byte("#")):
		case at > 0 && (args[len(args)-1] == "&" || args[1] == "1" && slices.Contains(args[at:], "serve")):
			// The server would run, because what keeps it from that is not done here.
		case at > 0:
			next.args = args[at+1:]
			c.command(ctx, "command", strings.Join(next.args, " "), next)
			next.stdin = ""
		case len(args) != 2:
		case args[0] == "env":
			next.env = append(next.env, args[1])
		case args[0] == "stdin":
			for _, file := range archive.Files {
				if file.Name == args[1] {
					next.stdin = string(file.Data)
				}
			}
		case args[0] == "mkdir":
			for _, s := range c.sides {
				err = errors.Join(err, os.Mkdir(filepath.Join(s.folder, args[1]), 0o755))
			}
		}
	}
	return err
}

// exports compares all exports with each filter alone, and the commands that read a database.
func (c *comparison) exports(ctx context.Context, k *known) {
	for _, line := range []string{
		"status --db {DB}", "status --json --db {DB}", "check --db {DB}", "doctor --db {DB}", "changes --db {DB}", "changes --db {DB} --after x",
		"migrate --db {DB} --dry-run", "backup --db {DB} copy.db", "restore --db again.db copy.db", "status --db again.db",
	} {
		c.line(ctx, line)
	}
	s := k.burns[0]
	flags := func(command string) (list [][]string) {
		help := c.line(ctx, command+" --help")
		for _, found := range flagNames.FindAllSubmatch(help[0], -1) {
			name := string(found[1])
			if value, ok := s[canonical(name)]; ok {
				list = append(list, []string{"--" + name + "=" + value})
			}
		}
		return append(list, nil, []string{"--address=" + s["address"], "--token-id=" + s["tokenid"]}, []string{"--address=" + s["address"], "--from-block=" + s["block"]})
	}
	for _, more := range flags("changes") {
		c.line(ctx, strings.Join(append([]string{"changes --db {DB} --after {START}"}, more...), " "))
	}
	formats := []string{"ndjson", "csv", "parquet"}
	if bytes.Contains(c.line(ctx, "version")[0], []byte("lacks Parquet")) {
		formats = formats[:2]
	}
	filters := flags("export")
	for _, set := range []string{"mints", "burns", "tokens", "metadata", "collections", "documents", "blocks", "rejected"} {
		for _, format := range formats {
			list := filters
			if cursors := k.cursors[strings.Replace(set, "metadata", "tokenMetadata", 1)]; len(cursors) > 0 {
				list = append(list, []string{"--after=" + cursors[0]})
			}
			for _, more := range list {
				c.command(ctx, "export", strings.Join(append([]string{set, format}, more...), " "), call{args: append([]string{"export", set, "--db", "{DB}", "--format", format}, more...)})
			}
		}
	}
}
