package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// scope are the folders whose packages are changed, without those below hidden.
var scope = []string{"internal/store", "internal/database", "internal/chain", "internal/indexer", "internal/metadata", "internal/httpapi", "graph"}

// A place is a change of the bytes from Offset on.
type place struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Offset int    `json:"offset"`
	Old    string `json:"old"`
	New    string `json:"new"`
	// Result is "" before the tests ran, and then one of the results below.
	Result string `json:"result,omitempty"`
}

// The results of a place. A test that runs longer than limit has noticed the change.
const (
	invalid  = "does not compile"
	killed   = "killed"
	byUsers  = "killed by users"
	survived = "SURVIVED"
)

// limit is how long the tests of a package may take.
const limit = 5 * time.Minute

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	n := flag.Int("n", 200, "places to change")
	seed := flag.Uint64("seed", 1, "seed of the choice")
	state := flag.String("state", "mutate.ndjson", "file of results, continued if it exists")
	only := flag.String("only", "", "only places below this folder")
	flag.Parse()
	if err := run(ctx, *n, *seed, *state, *only); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, n int, seed uint64, state, only string) (err error) {
	places, err := placesIn(scope)
	if err != nil {
		return err
	}
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	file, known, err := open(state)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	counts := map[string]int{}
	for _, p := range places {
		if counts[killed]+counts[byUsers]+counts[survived] == n {
			break
		}
		if !strings.HasPrefix(p.File, only) {
			continue
		}
		p.Result = known[p]
		if p.Result == "" {
			if p.Result, err = p.try(ctx); err != nil {
				return err
			}
			if err := json.NewEncoder(file).Encode(p); err != nil {
				return err
			}
		}
		if counts[p.Result]++; p.Result == survived {
			fmt.Printf("%s:%d: %q becomes %q\n", p.File, p.Line, p.Old, p.New)
		}
	}
	fmt.Printf("%d killed, %d by users, %d survived, seed %d, of %d places\n", counts[killed], counts[byUsers], counts[survived], seed, len(places))
	return nil
}

// open returns the file of results and those that it has.
func open(path string) (file *os.File, known map[place]string, err error) {
	file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, nil, err
	}
	known = map[place]string{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var p place
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			return nil, nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
		}
		result := p.Result
		p.Result = ""
		known[p] = result
	}
	return file, known, nil
}

// placesIn returns the places of the packages below folders, in order.
func placesIn(folders []string) (places []place, err error) {
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			source, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			set := token.NewFileSet()
			tree, err := parser.ParseFile(set, path, source, parser.ParseComments)
			if err != nil {
				return err
			}
			if !ast.IsGenerated(tree) {
				places = append(places, placesOf(set, tree, path, source)...)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return places, nil
}

// flipped are the operators that replace others.
var flipped = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.LAND: token.LOR, token.LOR: token.LAND, token.ADD: token.SUB, token.SUB: token.ADD,
}

func placesOf(set *token.FileSet, tree *ast.File, path string, source []byte) (places []place) {
	add := func(from, to token.Pos, text string) {
		at := set.Position(from)
		places = append(places, place{File: path, Line: at.Line, Offset: at.Offset, Old: string(source[at.Offset:set.Position(to).Offset]), New: text})
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok != token.IMPORT
		case *ast.BinaryExpr:
			if op, ok := flipped[n.Op]; ok {
				add(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), op.String())
			}
		case *ast.BasicLit:
			if number, err := strconv.ParseUint(n.Value, 10, 63); err == nil && n.Kind == token.INT {
				add(n.Pos(), n.End(), strconv.FormatUint(number+1, 10))
			}
		case *ast.IfStmt:
			add(n.Cond.Pos(), n.Cond.End(), "!("+string(source[set.Position(n.Cond.Pos()).Offset:set.Position(n.Cond.End()).Offset])+")")
		case *ast.ExprStmt:
			add(n.Pos(), n.End(), "")
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				add(n.Pos(), n.End(), "")
			}
		case *ast.IncDecStmt:
			add(n.Pos(), n.End(), "")
		}
		return true
	})
	return places
}

// try runs the tests with a place changed.
func (p place) try(ctx context.Context) (result string, err error) {
	folder, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	source, err := os.ReadFile(p.File)
	if err != nil {
		return "", err
	}
	changed, overlay := filepath.Join(folder, "changed.go"), filepath.Join(folder, "overlay.json")
	original, err := filepath.Abs(p.File)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]map[string]string{"Replace": {original: changed}})
	if err == nil {
		err = errors.Join(os.WriteFile(overlay, text, 0o644),
			os.WriteFile(changed, slices.Concat(source[:p.Offset], []byte(p.New), source[p.Offset+len(p.Old):]), 0o644))
	}
	if err != nil {
		return "", err
	}
	passes := func(args ...string) bool {
		return exec.CommandContext(ctx, "go", append([]string{args[0], "-overlay", overlay}, args[1:]...)...).Run() == nil
	}
	own := "./" + filepath.Dir(p.File)
	users, err := usersOf(ctx, own)
	test := []string{"test", "-short", "-failfast", "-vet=off", "-timeout", limit.String()}
	switch {
	case err != nil:
		return "", err
	case !passes("build", own):
		result = invalid
	case !passes(append(test, own)...):
		result = killed
	case len(users) > 0 && !passes(append(test, users...)...):
		result = byUsers
	default:
		result = survived
	}
	return result, ctx.Err()
}

// usersOf returns the packages in scope whose code or tests import a package.
func usersOf(ctx context.Context, own string) (users []string, err error) {
	args := []string{"list", "-f", `{{.ImportPath}} {{join .Imports " "}} {{join .TestImports " "}} {{join .XTestImports " "}}`, own}
	for _, folder := range scope {
		args = append(args, "./"+folder+"/...")
	}
	out, err := exec.CommandContext(ctx, "go", args...).Output()
	if err != nil {
		return nil, fmt.Errorf("listing packages: %w", err)
	}
	self := ""
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		if self == "" {
			self = words[0]
			continue
		}
		if words[0] != self && slices.Contains(words[1:], self) {
			users = append(users, words[0])
		}
	}
	return users, nil
}
