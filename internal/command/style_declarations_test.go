package command_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestStyle_DocComments: every exported name has a comment that begins with
// it. The methods of graph/ that answer GraphQL fields are described in
// schema.graphqls, and ent calls those of ent/schema.
func TestStyle_DocComments(t *testing.T) {
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

// TestStyle_PackageDoc: each package of ours has a doc.go. Package main is
// described in server.go, package ent by its generator. Where a package of the
// program has more than four files, its doc.go names one to open first.
func TestStyle_PackageDoc(t *testing.T) {
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
