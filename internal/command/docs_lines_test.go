package command_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/testing/expect"
)

// TestDocs_Lines checks that docs/troubleshooting.md lists the text of each WARN and ERROR that the
// program can log, once.
func TestDocs_Lines(t *testing.T) {
	t.Parallel()
	logged := map[string]bool{}
	handwritten(t, func(file string, text []byte) {
		if strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "internal/testing/") {
			return
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, text, 0)
		expect.NoError(t, err)
		ast.Inspect(parsed, func(n ast.Node) bool {
			if line, ok := logLine(n); ok {
				logged[line] = true
			}
			return true
		})
	})
	var documented []string
	for _, row := range regexp.MustCompile("(?m)^\\| (`.+`) \\|").FindAllStringSubmatch(section(t, "docs/troubleshooting.md", "Log lines"), -1) {
		documented = append(documented, strings.Split(strings.Trim(row[1], "`"), "`, `")...)
	}
	slices.Sort(documented)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(logged)), documented); diff != "" || len(documented) < 30 {
		t.Errorf("WARN and ERROR lines (-program +docs/troubleshooting.md):\n%s", diff)
	}
}

// logLine returns the text of a call that logs a WARN or an ERROR, with … in the place of values.
func logLine(n ast.Node) (line string, ok bool) {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return "", false
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", false
	}
	first := map[string]int{"Warn": 0, "Error": 0, "WarnContext": 1, "ErrorContext": 1}
	i, ok := first[method.Sel.Name]
	// The first argument of http.Error is no text.
	if !ok || len(call.Args) <= i {
		return "", false
	}
	line = pattern(call.Args[i])
	return line, line != "…"
}

var verb = regexp.MustCompile(`%[a-z]`)

// pattern returns the text of an expression, with … in the place of what is not constant.
func pattern(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(e.Value)
		return verb.ReplaceAllString(text, "…")
	case *ast.BinaryExpr:
		return pattern(e.X) + pattern(e.Y)
	case *ast.CallExpr:
		// fmt.Sprintf.
		return pattern(e.Args[0])
	}
	return "…"
}
