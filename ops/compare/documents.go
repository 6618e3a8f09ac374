package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	gql "github.com/vektah/gqlparser/v2/ast"
	gqlparser "github.com/vektah/gqlparser/v2/parser"
)

// A document is a GraphQL document of the repository, with one operation at least.
type document struct {
	// name is the place where it was found first.
	name string
	text string
	// variables are those that the source has beside the text, else nil.
	variables map[string]any
}

// A literal is a text of a file that may be a document.
type literal struct {
	line int
	text string
}

// documentsIn returns the documents of the files below root, each text once.
func documentsIn(root string) (list []document, err error) {
	seen := map[string]bool{}
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && path != root && (name[0] == '.' || name == "node_modules" || name == "build" || name == "built"):
			return filepath.SkipDir
		case entry.IsDir():
			return nil
		}
		place, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		literals, err := literalsOf(path, filepath.ToSlash(place))
		for _, l := range literals {
			d, ok := readDocument(l.text)
			if key := fmt.Sprint(strings.TrimSpace(d.text), d.variables); ok && !seen[key] {
				seen[key], d.name = true, fmt.Sprintf("%s:%d", filepath.ToSlash(place), l.line)
				list = append(list, d)
			}
		}
		return err
	})
	return list, err
}

// readDocument reads a document, or a request in JSON, whose document need not parse.
func readDocument(text string) (d document, ok bool) {
	var r struct {
		Query     string
		Variables map[string]any
	}
	if json.Unmarshal([]byte(text), &r) == nil && r.Query != "" {
		return document{text: r.Query, variables: r.Variables}, true
	}
	parsed, err := gqlparser.ParseQuery(&gql.Source{Input: text})
	return document{text: text}, err == nil && len(parsed.Operations) > 0
}

// patterns match the literals of files by extension, each in one of its groups.
var patterns = map[string]*regexp.Regexp{
	".md":      regexp.MustCompile("(?s)```graphql\n(.*?)```|-d '(\\{[^']*\\})'|'query=([^']*)'|[?&]query=([^\\s'\"&`)]+)"),
	".graphql": regexp.MustCompile(`(?s)^(.*)$`),
	".json":    regexp.MustCompile(`("(?:[^"\\]|\\.)*")`),
	".html":    inScript, ".js": inScript, ".mjs": inScript, ".ts": inScript, ".tsx": inScript,
}

var inScript = regexp.MustCompile("(?s)`([^`]*)`")

// literalsOf returns the literals of a file. Markdown, tests, clients and the benchmark have
// documents.
func literalsOf(path, place string) (list []literal, err error) {
	ext := filepath.Ext(path)
	client := strings.HasPrefix(place, "examples/") || strings.HasPrefix(place, "web/")
	if strings.HasSuffix(path, "_test.go") || ext == ".go" && (client || strings.HasPrefix(place, "bench/")) {
		return literalsOfGo(path)
	}
	pattern := patterns[ext]
	if pattern == nil || !client && ext != ".md" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for _, groups := range pattern.FindAllSubmatchIndex(text, -1) {
		for i := 2; i < len(groups); i += 2 {
			if groups[i] < 0 {
				continue
			}
			found := string(text[groups[i]:groups[i+1]])
			switch {
			case ext == ".json":
				err = json.Unmarshal([]byte(found), &found)
			case strings.HasPrefix(string(text[groups[0]+1:groups[1]]), "query="):
				found, err = url.QueryUnescape(found)
			}
			if err == nil {
				list = append(list, literal{1 + bytes.Count(text[:groups[i]], []byte("\n")), found})
			}
		}
	}
	return list, nil
}

// literalsOfGo returns the string literals of a Go file.
func literalsOfGo(path string) (list []literal, err error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			if text, err := strconv.Unquote(l.Value); err == nil {
				list = append(list, literal{set.Position(l.Pos()).Line, text})
			}
		}
		return true
	})
	return list, nil
}
