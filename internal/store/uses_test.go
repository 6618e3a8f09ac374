package store_test

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"mintburn/internal/testing/expect"
)

// layered are the packages whose files form layers.
var layered = []string{"mintburn/internal/chain/jsonrpc/...", "mintburn/internal/command/...", "mintburn/internal/database", "mintburn/internal/httpapi", "mintburn/internal/httpapi/batches", "mintburn/internal/httpapi/execute", "mintburn/internal/httpapi/observe", "mintburn/internal/httpapi/queries", "mintburn/internal/httpapi/respond", "mintburn/internal/httpapi/routes", "mintburn/internal/store/..."}

// loadLayered type-checks the layered packages.
func loadLayered(t *testing.T) []*packages.Package {
	t.Helper()
	mode := packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedSyntax | packages.NeedExportFile
	list, err := packages.Load(&packages.Config{Mode: mode, Context: t.Context()}, layered...)
	expect.NoError(t, err)
	for _, p := range list {
		for _, err := range p.Errors {
			t.Fatal(err)
		}
	}
	return list
}

// TestUses checks that no file uses another one that uses it, directly or through others,
// so a file can be read without those that use it. Between packages the compiler enforces
// this. It also limits the number of methods of each type.
func TestUses(t *testing.T) {
	for _, p := range loadLayered(t) {
		// The readers of package node embed each other, and commands the flags that they share, so
		// their method sets add up.
		if !strings.HasPrefix(p.PkgPath, "mintburn/internal/chain/") && !strings.HasPrefix(p.PkgPath, "mintburn/internal/command") {
			checkMethodSets(t, p)
		}
		file := func(o interface{ Pos() token.Pos }) string { return filepath.Base(p.Fset.Position(o.Pos()).Filename) }
		// The files that each file uses, with the name of something used.
		uses := map[string]map[string]string{}
		for name, object := range p.TypesInfo.Uses {
			if object.Pkg() != p.Types {
				continue
			}
			from, to := file(name), file(object)
			if uses[from] == nil {
				uses[from] = map[string]string{}
			}
			if from != to {
				uses[from][to] = object.Name()
			}
		}
		for _, cycle := range cycles(uses) {
			t.Errorf("%s: files that use each other: %s", p.PkgPath, cycle)
		}
	}
}

// cycles returns the cycles found by a walk through the files in alphabetical order.
func cycles(uses map[string]map[string]string) (found []string) {
	const walking, done = 1, 2
	state := map[string]int{}
	var path []string
	var walk func(file string)
	walk = func(file string) {
		state[file] = walking
		path = append(path, file)
		for _, to := range slices.Sorted(maps.Keys(uses[file])) {
			switch state[to] {
			case walking:
				cycle := ""
				for i := slices.Index(path, to); i < len(path); i++ {
					next := append(path, to)[i+1]
					cycle += fmt.Sprintf("%s → (%s) ", path[i], uses[path[i]][next])
				}
				found = append(found, cycle+to)
			case 0:
				walk(to)
			}
		}
		path = path[:len(path)-1]
		state[file] = done
	}
	for _, file := range slices.Sorted(maps.Keys(uses)) {
		if state[file] == 0 {
			walk(file)
		}
	}
	return found
}

// checkMethodSets limits the number of methods of each type of a package.
func checkMethodSets(t *testing.T, p *packages.Package) {
	t.Helper()
	for _, name := range p.Types.Scope().Names() {
		o, ok := p.Types.Scope().Lookup(name).(*types.TypeName)
		if !ok || types.IsInterface(o.Type()) {
			continue
		}
		n := 0
		for method := range types.NewMethodSet(types.NewPointer(o.Type())).Methods() {
			if strings.HasPrefix(method.Obj().Pkg().Path(), "mintburn/") {
				n++
			}
		}
		most := 26
		if p.Name == "database" {
			most = 30
		}
		if n > most {
			t.Errorf("%s.%s has %d methods, want at most %d", p.PkgPath, name, n, most)
		}
	}
}
