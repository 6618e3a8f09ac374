package command_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"strings"
	"testing"
)

// checkedPackage is a package of this project with its own names resolved. Its imports
// are empty packages, so that no other package has to be read.
type checkedPackage struct {
	t     *testing.T
	fset  *token.FileSet
	files map[string]*ast.File
	types *types.Package
	info  types.Info
}

// noImports imports empty packages.
type noImports struct{}

func (noImports) Import(importPath string) (*types.Package, error) {
	p := types.NewPackage(importPath, path.Base(importPath))
	p.MarkComplete()
	return p, nil
}

// checkedPackages returns each package with handwritten Go files, except external test
// packages.
func checkedPackages(t *testing.T) map[string]*checkedPackage {
	t.Helper()
	packages := map[string]*checkedPackage{}
	handwritten(t, func(name string, text []byte) {
		fset := token.NewFileSet()
		if p := packages[path.Dir(name)]; p != nil {
			fset = p.fset
		}
		file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
		}
		if strings.HasSuffix(file.Name.Name, "_test") {
			return
		}
		if packages[path.Dir(name)] == nil {
			packages[path.Dir(name)] = &checkedPackage{t: t, fset: fset, files: map[string]*ast.File{}}
		}
		packages[path.Dir(name)].files[name] = file
	})
	for folder, p := range packages {
		p.info.Uses, p.info.Defs = map[*ast.Ident]types.Object{}, map[*ast.Ident]types.Object{}
		config := types.Config{Importer: noImports{}, FakeImportC: true, DisableUnusedImportCheck: true, Error: func(error) {}}
		var files []*ast.File
		for _, file := range p.files {
			files = append(files, file)
		}
		// Errors are ignored, because imported names are unresolved.
		p.types, _ = config.Check(folder, p.fset, files, &p.info)
	}
	return packages
}

// TestStyle_State checks that no code changes package variables.
func TestStyle_State(t *testing.T) {
	t.Parallel()
	for _, p := range checkedPackages(t) {
		for name, file := range p.files {
			if !strings.HasSuffix(name, "_test.go") {
				p.declarations(name, file)
			}
			p.changes(name, file)
		}
	}
}

// place returns the position of a node as file:line.
func (p *checkedPackage) place(file string, n ast.Node) string {
	return fmt.Sprintf("%s:%d", file, p.fset.Position(n.Pos()).Line)
}

// declarations reports package variables that can only hold state: those without a
// value, and those with a type of package sync.
func (p *checkedPackage) declarations(name string, file *ast.File) {
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, s := range g.Specs {
			s := s.(*ast.ValueSpec)
			embedded := g.Doc != nil && strings.Contains(commentText(g.Doc), "//go:embed") || s.Doc != nil && strings.Contains(commentText(s.Doc), "//go:embed")
			switch {
			case s.Names[0].Name == "_" || embedded:
			case len(s.Values) == 0:
				breach(p.t, "state", p.place(name, s), "the variable %s of the package has no value", s.Names[0].Name)
			case usesSync(s):
				breach(p.t, "state", p.place(name, s), "the variable %s of the package is of package sync", s.Names[0].Name)
			}
		}
	}
}

// commentText returns a comment with its directives.
func commentText(c *ast.CommentGroup) (text string) {
	for _, line := range c.List {
		text += line.Text + "\n"
	}
	return text
}

// usesSync reports whether a variable's type or value is of package sync or
// sync/atomic.
func usesSync(s *ast.ValueSpec) (found bool) {
	for _, part := range append(s.Values, s.Type) {
		if part == nil {
			continue
		}
		ast.Inspect(part, func(n ast.Node) bool {
			if selector, ok := n.(*ast.SelectorExpr); ok {
				if of, ok := selector.X.(*ast.Ident); ok && (of.Name == "sync" || of.Name == "atomic") {
					found = true
				}
			}
			_, function := n.(*ast.FuncLit)
			return !function
		})
	}
	return found
}

// changes reports statements that change a package variable, or take its address, with
// which other code could change it.
func (p *checkedPackage) changes(name string, file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, to := range n.Lhs {
					p.change(name, to)
				}
			}
		case *ast.IncDecStmt:
			p.change(name, n.X)
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				p.change(name, n.Key)
				p.change(name, n.Value)
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				p.change(name, n.X)
			}
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.Ident); ok && len(n.Args) > 0 && (f.Name == "delete" || f.Name == "clear" || f.Name == "copy") {
				p.change(name, n.Args[0])
			}
		}
		return true
	})
}

// change reports an expression that refers to a package variable.
func (p *checkedPackage) change(name string, e ast.Expr) {
	for {
		switch inner := e.(type) {
		case *ast.SelectorExpr:
			e = inner.X
		case *ast.IndexExpr:
			e = inner.X
		case *ast.SliceExpr:
			e = inner.X
		case *ast.StarExpr:
			e = inner.X
		case *ast.ParenExpr:
			e = inner.X
		case *ast.Ident:
			v, ok := p.info.Uses[inner].(*types.Var)
			if ok && v.Parent() == p.types.Scope() && !strings.HasSuffix(p.fset.Position(v.Pos()).Filename, "_test.go") {
				breach(p.t, "state", p.place(name, inner), "the variable %s of the package is changed", inner.Name)
			}
			return
		default:
			return
		}
	}
}
