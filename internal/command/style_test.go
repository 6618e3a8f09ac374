package command_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/testing/expect"
)

// longestFile is the maximum length of a handwritten Go file, in lines.
const longestFile = 400

// exceptions lists files, and folders whose files, at any depth, break a rule. Their breaches
// are only logged: go test -v -run TestStyle ./internal/command shows them.
var exceptions = map[string][]string{
	"state": {
		"internal/testing/pgtest",
		"internal/testing/storetest",
		"internal/database/memory.go", // SQLite's settings belong to the process.
	},
}

// breach reports that a file breaks a rule. The path may end in a line number.
func breach(t *testing.T, rule, file, format string, args ...any) {
	t.Helper()
	name, _, _ := strings.Cut(file, ":")
	excepted := func(place string) bool {
		return name == place || path.Dir(name) == place || strings.HasPrefix(name, place+"/")
	}
	report := t.Errorf
	if slices.ContainsFunc(exceptions[rule], excepted) {
		report = t.Logf
	}
	report("%s: %s", file, fmt.Sprintf(format, args...))
}

// generatedMark matches the standard line near the beginning of generated files.
var generatedMark = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// prose matches the handwritten files whose names and sentences are checked, notRead the
// folders without such files.
var (
	prose   = regexp.MustCompile(`\.(go|md|graphqls|sql|tmpl|gotpl|txtar|jsx?|mjs|ts|ya?ml)$|^Makefile$|^run$|^long$|^openapi\.json$`)
	notRead = regexp.MustCompile(`^(\..+|node_modules|built|dist|generated)$`)
)

// projectFiles calls f with each handwritten file of the project.
func projectFiles(t *testing.T, f func(file string, text []byte)) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && file != root && name != ".ci" && notRead.MatchString(name):
			return filepath.SkipDir
		case entry.IsDir() || !prose.MatchString(name):
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil || generatedMark.Match(text[:min(len(text), 1000)]) {
			return err
		}
		files++
		f(strings.TrimPrefix(filepath.ToSlash(file), root+"/"), text)
		return nil
	})
	expect.NoError(t, err)
	if files < 100 {
		t.Errorf("found %d files", files)
	}
}

// handwritten calls f with each handwritten Go file of the project.
func handwritten(t *testing.T, f func(file string, text []byte)) {
	t.Helper()
	projectFiles(t, func(file string, text []byte) {
		if strings.HasSuffix(file, ".go") {
			f(file, text)
		}
	})
}

func TestStyle_FileLength(t *testing.T) {
	t.Parallel()
	handwritten(t, func(file string, text []byte) {
		if n := bytes.Count(text, []byte("\n")); n > longestFile {
			breach(t, "length", file, "%d lines, want at most %d: split it by concept", n, longestFile)
		}
	})
}

// size is a number of files and of their lines.
type size struct{ files, lines int }

// TestStyle_PackageSize limits the handwritten files of each package, without its tests.
func TestStyle_PackageSize(t *testing.T) {
	t.Parallel()
	sizes := map[string]size{}
	handwritten(t, func(file string, text []byte) {
		if folder := path.Dir(file); strings.HasPrefix(folder, "internal/") && folder != "internal/command" && !strings.HasSuffix(file, "_test.go") {
			sizes[folder] = size{sizes[folder].files + 1, sizes[folder].lines + bytes.Count(text, []byte("\n"))}
		}
	})
	for folder, got := range sizes {
		most := size{35, 4_500}
		if strings.HasPrefix(folder+"/", "internal/store/") {
			most = size{25, 3_000}
		}
		if got.files > most.files || got.lines > most.lines {
			breach(t, "size", folder, "%d files of %d lines, want at most %d of %d: split it by idea", got.files, got.lines, most.files, most.lines)
		}
	}
}

// unwanted lists forbidden phrases and their replacements. Phrases are separated by
// commas. A * at the beginning or end of a phrase matches the rest of a longer word.
// Letter case, underscores and line ends do not matter. A phrase with name set is an old
// name, which may occur in the changelog.
var unwanted = []struct {
	phrases, instead string
	name             bool
}{
	{phrases: "*withdrawn*", instead: "orphaned"},
	{phrases: "take back, takes back, took back, taken back, taking back, takeback*", instead: "orphaned, undone"},
	{phrases: "mend, mends, mended, mending", instead: "fix, repair"},
	{phrases: "heed*", instead: "use, respect"},
	{phrases: "in vain", instead: "without success"},
	{phrases: "save for", instead: "except"},
	{phrases: "can not", instead: "cannot"},
	{phrases: "set aside, sets aside, setting aside, set it aside, set them aside, setaside*", instead: "reject"},
	{phrases: "is told, are told, was told, were told, be told, been told, being told", instead: "gets, knows"},
	{phrases: "is asked, are asked, was asked, were asked, be asked, been asked, being asked", instead: "the active voice"},
	{phrases: "is to be, are to be, was to be, were to be", instead: "must be, will be, or the plain verb"},
	{phrases: "who asks, whoever asks", instead: "the client"},
	{phrases: "what came of, what comes of, what became of, what becomes of", instead: "the result"},
	{phrases: "goes on, go on, went on, going on", instead: "continue"},
	{phrases: "give back, gives back, gave back, given back", instead: "release, return"},
	{phrases: "what is stored, what is kept, what is missing, what follows from", instead: "the rows, the blocks"},
	{phrases: "as it comes, as they come", instead: "unchanged, with its defaults"},
	{phrases: "at rest", instead: "idle"},
	{phrases: "for good", instead: "permanently"},
	{phrases: "stranger*", instead: "untrusted"},
	{phrases: "reorganis*, reorganiz*", instead: "reorg, orphaned"},
	{phrases: "whole depth, wholedepth*", instead: "receipts depth", name: true},
	{phrases: "kept answer, kept answers, *keptanswer*, sendkept*", instead: "cached", name: true},
	{phrases: "*postponed*", instead: "pending indexes", name: true},
	{phrases: "*txhead, *txtail, *accounthead, *accounttail", instead: "prefix, suffix", name: true},
	{phrases: "*crowded*", instead: "over full"},
	{phrases: "plant, plants, planted, planting", instead: "create tree"},
	{phrases: "*refusal*", instead: "request error, RPC error kind, deny reason"},
	{phrases: "*patience*", instead: "max wait"},
}

// outside matches names of files outside the repository.
var outside = regexp.MustCompile(`(SPEC|ORIGIN|ARCHITECTURE|STYLE|MODELS)(\.md| §|, section)|\.\./shared/`)

// TestStyle_Words checks that names, comments, texts and documents contain no [unwanted]
// phrase.
func TestStyle_Words(t *testing.T) {
	t.Parallel()
	notOurs := regexp.MustCompile(`^internal/(command/style_test\.go|[a-z/]*/migrations/.*|(metadata|store)/testdata/.*|store/migrate_test\.go)$`)
	type phrase struct {
		words []string
		of    int
	}
	var phrases []phrase
	for i, u := range unwanted {
		for p := range strings.SplitSeq(u.phrases, ", ") {
			phrases = append(phrases, phrase{strings.Fields(p), i})
		}
	}
	// The phrases that begin with a word, for the words seen so far.
	begun := map[string][]phrase{}
	begin := func(word string) []phrase {
		list, known := begun[word]
		if !known {
			for _, p := range phrases {
				if matchWord(word, p.words[0]) {
					list = append(list, p)
				}
			}
			begun[word] = list
		}
		return list
	}
	projectFiles(t, func(file string, text []byte) {
		if notOurs.MatchString(file) {
			return
		}
		if found := outside.Find(text); found != nil {
			t.Errorf("%s cites %q: cite docs/api.md, or the EIP, GraphQL or RFC section", file, found)
		}
		list := spokenIn(text)
		for i := range list {
			for _, p := range begin(list[i].word) {
				u := unwanted[p.of]
				if matchPhrase(list[i:], p.words) && !(u.name && file == "CHANGELOG.md") {
					breach(t, "words", fmt.Sprintf("%s:%d", file, list[i].line), "%q: write %s", strings.Join(p.words, " "), u.instead)
				}
			}
		}
	})
}

// spoken is a word of a file, in lower case and without underscores. continues is true
// if only white space or comment marks separate it from the previous word.
type spoken struct {
	word      string
	line      int
	continues bool
}

func spokenIn(text []byte) (list []spoken) {
	line, continues := 1, false
	var word []byte
	for _, c := range append(text, ' ') {
		switch {
		case 'A' <= c && c <= 'Z':
			word = append(word, c+'a'-'A')
			continue
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c >= 0x80:
			word = append(word, c)
			continue
		case c == '_':
			continue
		}
		if len(word) > 0 {
			list = append(list, spoken{string(word), line, continues})
			word, continues = word[:0], true
		}
		if c == '\n' {
			line++
		}
		continues = continues && strings.IndexByte(" \t\n/#*-", c) >= 0
	}
	return list
}

// matchPhrase reports whether a list begins with words.
func matchPhrase(list []spoken, words []string) bool {
	if len(list) < len(words) {
		return false
	}
	for i, want := range words {
		if i > 0 && !list[i].continues || !matchWord(list[i].word, want) {
			return false
		}
	}
	return true
}

// matchWord reports whether word matches want, which may begin or end with *.
func matchWord(word, want string) bool {
	begins, ends := strings.TrimPrefix(want, "*"), strings.HasSuffix(want, "*")
	inner := begins != want
	begins = strings.TrimSuffix(begins, "*")
	switch {
	case inner && ends:
		return strings.Contains(word, begins)
	case inner:
		return strings.HasSuffix(word, begins)
	case ends:
		return strings.HasPrefix(word, begins)
	default:
		return word == want
	}
}

// TestStyle_PackageDoc checks that each package of this project has a doc.go, except
// package main, which server.go describes, and package ent, which is generated. If a
// package of the program has more than four files, its doc.go must name one to open first.
func TestStyle_PackageDoc(t *testing.T) {
	t.Parallel()
	files := map[string]int{}
	handwritten(t, func(file string, _ []byte) {
		if !strings.HasSuffix(file, "_test.go") && !strings.Contains(file, "/testdata/") {
			files[path.Dir(file)]++
		}
	})
	fileName := regexp.MustCompile(`\b[\w.]+\.go\b`)
	for folder, n := range files {
		if folder == "." || folder == "ent" {
			continue
		}
		doc := path.Join(folder, "doc.go")
		text, err := os.ReadFile(filepath.Join(root, doc))
		if err != nil {
			breach(t, "doc", doc, "there is no such file")
			continue
		}
		named := fileName.FindAllString(string(text), -1)
		if len(named) == 0 && n > 4 && !strings.HasPrefix(folder, "bench") {
			breach(t, "doc", doc, "names no file to open first")
		}
		for _, name := range named {
			if _, err := os.Stat(filepath.Join(root, folder, name)); err != nil {
				breach(t, "doc", doc, "%s is not in %s", name, folder)
			}
		}
	}
}
