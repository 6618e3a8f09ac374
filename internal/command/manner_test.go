package command_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Lengths of files written by hand, in lines.
const (
	longestFile = 500
	longestTest = 1000
)

// generatedMark is the line by which every tool knows generated files.
var generatedMark = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// handwritten calls f with each Go file of the project written by hand.
func handwritten(t *testing.T, f func(path string, text []byte)) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && (name == "node_modules" || name == "testdata" || strings.HasPrefix(name, ".")):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil || generatedMark.Match(text) {
			return err
		}
		files++
		f(strings.TrimPrefix(filepath.ToSlash(path), root+"/"), text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 50 {
		t.Errorf("found %d files", files)
	}
}

func TestManner_FileLength(t *testing.T) {
	handwritten(t, func(path string, text []byte) {
		most := longestFile
		if strings.HasSuffix(path, "_test.go") {
			most = longestTest
		}
		if n := bytes.Count(text, []byte("\n")); n > most {
			t.Errorf("%s has %d lines, want at most %d: split it by concept", path, n, most)
		}
	})
}

// TestManner_DocComments: every exported name has a comment that begins with
// it. The methods of graph/ that answer GraphQL fields are described in
// schema.graphqls, and those of ent/schema are what ent asks for.
func TestManner_DocComments(t *testing.T) {
	handwritten(t, func(path string, text []byte) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
			return
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				exempt := d.Recv != nil && (strings.HasPrefix(path, "graph/") || strings.HasPrefix(path, "ent/schema/"))
				if d.Name.IsExported() && !exempt && (d.Recv == nil || exportedReceiver(d)) {
					checkDoc(t, path, d.Name.Name, d.Doc)
				}
			case *ast.GenDecl:
				checkDeclarations(t, path, d)
			}
		}
	})
}

func checkDeclarations(t *testing.T, path string, d *ast.GenDecl) {
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			doc := s.Doc
			if doc == nil {
				doc = d.Doc
			}
			if s.Name.IsExported() {
				checkDoc(t, path, s.Name.Name, doc)
			}
		case *ast.ValueSpec:
			// A group may be described as a whole, or each at its line.
			described := d.Doc != nil || s.Doc != nil || s.Comment != nil
			for _, name := range s.Names {
				if name.IsExported() && !described {
					t.Errorf("%s: %s has no comment", path, name.Name)
				}
			}
		}
	}
}

// exportedReceiver reports whether a method's type is exported.
func exportedReceiver(d *ast.FuncDecl) bool {
	typ := d.Recv.List[0].Type
	for {
		switch inner := typ.(type) {
		case *ast.StarExpr:
			typ = inner.X
		case *ast.IndexExpr:
			typ = inner.X
		case *ast.Ident:
			return inner.IsExported()
		default:
			return false
		}
	}
}

func checkDoc(t *testing.T, path, name string, doc *ast.CommentGroup) {
	t.Helper()
	if doc == nil {
		t.Errorf("%s: %s has no comment", path, name)
		return
	}
	first, _, _ := strings.Cut(doc.Text(), " ")
	if strings.TrimRight(first, ",.") != name {
		t.Errorf("%s: the comment of %s begins with %q", path, name, first)
	}
}
