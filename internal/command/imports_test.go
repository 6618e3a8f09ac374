package command_test

import (
	"encoding/json"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// module is the module path of this project.
const module = "mintburn"

// mayImport lists the packages of this project that each package may import, outside
// tests. The generated ent/... counts as one package, and so does bench/....
var mayImport = map[string][]string{
	"internal/evm":                    {},
	"internal/nft":                    {"internal/evm"},
	"internal/apierror":               {},
	"internal/chain":                  {},
	"internal/chain/wire":             {"internal/evm"},
	"internal/chain/jsonrpc":          {"internal/chain/jsonrpc/endpoint", "internal/chain/jsonrpc/node", "internal/chain/jsonrpc/rpcerror", "internal/chain/jsonrpc/settings", "internal/chain/jsonrpc/slot", "internal/chain/wire", "internal/evm"},
	"internal/chain/jsonrpc/node":     {"internal/chain/jsonrpc/endpoint", "internal/chain/jsonrpc/pace", "internal/chain/jsonrpc/rpcerror", "internal/chain/jsonrpc/settings", "internal/chain/wire", "internal/evm"},
	"internal/chain/jsonrpc/endpoint": {"internal/chain/jsonrpc/rpcerror", "internal/chain/jsonrpc/secret", "internal/chain/jsonrpc/settings", "internal/chain/jsonrpc/slot", "internal/chain/jsonrpc/socket", "internal/chain/wire", "internal/evm", "internal/retrying"},
	"internal/chain/jsonrpc/settings": {"internal/evm", "internal/retrying"},
	"internal/chain/jsonrpc/pace":     {"internal/chain/jsonrpc/rpcerror"},
	"internal/chain/jsonrpc/rpcerror": {"internal/chain/wire", "internal/evm"},
	"internal/chain/jsonrpc/secret":   {"internal/chain/jsonrpc/rpcerror", "internal/evm"},
	"internal/chain/jsonrpc/slot":     {},
	"internal/chain/jsonrpc/socket":   {},
	"internal/chain/recording":        {"internal/chain/wire", "internal/evm", "internal/gunzip", "internal/nft"},
	"internal/gunzip":                 {},
	"internal/metadata":               {"internal/evm", "internal/gunzip", "internal/nft", "internal/retrying"},
	"internal/retrying":               {},
	"internal/apikeys":                {"internal/evm"},
	"internal/reload":                 {},
	"internal/configfile":             {},
	"internal/indexer":                {"internal/nft", "internal/evm", "internal/retrying"},
	"internal/newfile":                {},
	"internal/doctor":                 {"internal/chain/jsonrpc", "internal/chain/jsonrpc/rpcerror", "internal/chain/wire", "internal/database", "internal/evm", "internal/store/write"},
	"internal/database":               {"internal/newfile"},
	"internal/store":                  {"internal/apierror", "ent", "internal/database", "internal/evm", "internal/nft", "internal/store/counter", "internal/store/cursor", "internal/store/document", "internal/store/facet", "internal/store/page", "internal/store/query", "internal/store/read", "internal/store/tables", "internal/store/total", "internal/store/digest"},
	"internal/store/counter":          {"internal/evm", "internal/nft"},
	"internal/store/lease":            {"ent", "internal/database", "internal/store/tables"},
	"internal/store/migrations":       {"ent", "internal/database", "internal/store/tables"},
	"internal/store/queue":            {"ent", "internal/database", "internal/evm", "internal/nft", "internal/store/tables"},
	"internal/store/tables":           {"ent", "internal/database", "internal/evm", "internal/nft", "internal/store/counter"},
	"internal/store/query":            {"ent", "internal/database", "internal/evm", "internal/nft", "internal/store/counter", "internal/store/tables"},
	"internal/store/digest":           {"internal/apierror", "ent", "internal/database", "internal/evm", "internal/nft", "internal/store/query", "internal/store/tables"},
	"internal/store/derive":           {"ent", "internal/database", "internal/evm", "internal/nft", "internal/store/counter", "internal/store/facet", "internal/store/query", "internal/store/tables"},
	"internal/store/read":             {"internal/apierror", "ent", "internal/database", "internal/evm", "internal/nft", "internal/store/query", "internal/store/tables"},
	"internal/store/total":            {"internal/apierror", "ent", "internal/database", "internal/evm", "internal/nft", "internal/store/counter", "internal/store/query", "internal/store/read", "internal/store/tables"},
	"internal/store/document":         {"internal/apierror", "ent", "internal/database", "internal/evm", "internal/nft", "internal/store/cursor", "internal/store/page", "internal/store/query", "internal/store/read", "internal/store/tables"},
	"internal/store/cursor":           {"internal/apierror", "ent", "internal/database", "internal/evm", "internal/store/query", "internal/store/read", "internal/store/tables"},
	"internal/store/page":             {"internal/apierror", "internal/database", "internal/evm", "internal/store/cursor", "internal/store/query", "internal/store/read"},
	"internal/store/listing":          {"internal/apierror", "ent", "internal/database", "internal/evm", "internal/nft", "internal/store", "internal/store/cursor", "internal/store/document", "internal/store/page", "internal/store/query", "internal/store/read", "internal/store/tables"},
	"internal/store/facet":            {"ent", "internal/apierror", "internal/database", "internal/evm", "internal/nft", "internal/store/query", "internal/store/read", "internal/store/tables"},
	"internal/store/change":           {"ent", "internal/database", "internal/evm", "internal/store/query", "internal/store/read"},
	"internal/store/feed":             {"internal/apierror", "ent", "internal/database", "internal/evm", "internal/nft", "internal/store", "internal/store/change", "internal/store/cursor", "internal/store/document", "internal/store/query", "internal/store/read", "internal/store/tables"},
	"internal/store/write":            {"ent", "internal/store/change", "internal/database", "internal/evm", "internal/nft", "internal/store/counter", "internal/store/derive", "internal/store/facet", "internal/store/lease", "internal/store/migrations", "internal/store/query", "internal/store/queue", "internal/store/read", "internal/store/tables", "internal/store/digest"},
	"internal/store/proof":            {"ent", "internal/store/change", "internal/database", "internal/evm", "internal/nft", "internal/store/query", "internal/store/read", "internal/store/tables", "internal/store/write"},
	"internal/store/copying":          {"ent", "internal/database", "internal/store/derive", "internal/store/tables", "internal/store/write", "internal/store/digest"},
	"internal/store/check":            {"ent", "internal/store/change", "internal/database", "internal/evm", "internal/nft", "internal/store/counter", "internal/store/derive", "internal/store/document", "internal/store/facet", "internal/store/proof", "internal/store/query", "internal/store/queue", "internal/store/read", "internal/store/tables", "internal/store/total", "internal/store/write", "internal/store/digest"},
	"graph":                           {"internal/apierror", "internal/evm", "internal/fastql", "internal/nft", "internal/store", "internal/store/feed", "internal/store/page", "internal/store/read"},
	"internal/fastql":                 {},
	"internal/httpapi":                {"internal/apierror", "internal/httpapi/failure", "internal/httpapi/negotiate", "internal/httpapi/cost", "internal/httpapi/admit", "internal/httpapi/batches", "internal/httpapi/execute", "internal/httpapi/layout", "internal/httpapi/observe", "internal/httpapi/page", "internal/httpapi/parse", "internal/httpapi/queries", "internal/httpapi/respond", "internal/httpapi/routes", "internal/httpapi/watch", "internal/fastql", "internal/httpapi/subscribe", "internal/retrying"},
	"internal/export":                 {"internal/apierror", "internal/evm", "internal/newfile", "internal/nft", "internal/store", "internal/store/listing", "internal/store/page", "internal/store/read", "internal/store/feed", "internal/store/tables", "internal/store/digest"},
	"internal/compare":                {"internal/apierror", "internal/evm", "internal/export", "internal/nft", "internal/retrying", "internal/store", "internal/store/digest", "internal/store/page", "internal/store/read", "internal/store/tables"},
	"internal/demo":                   {"internal/evm", "internal/metadata", "internal/nft", "internal/retrying"},
	"internal/demo/node":              {"internal/demo"},
	"internal/testing/apitest":        {},
	"internal/testing/digesttest":     {},
	"internal/testing/expect":         {},
	"internal/testing/chaintest":      {"internal/evm", "internal/nft", "internal/retrying"},
	"internal/testing/pgtest":         {"internal/testing/chaintest"},
	"internal/testing/foldtest":       {"internal/apierror", "internal/evm", "internal/nft", "internal/store", "internal/store/feed", "internal/store/listing", "internal/store/page", "internal/store/read"},
	"internal/testing/storetest":      {"internal/database", "internal/testing/pgtest", "internal/store/migrations", "internal/store/write"},
	"ent":                             {"internal/database", "internal/evm", "internal/nft"},
	// The rooms of internal/httpapi, which only it and the command line import.
	"internal/httpapi/failure":    {"internal/apierror"},
	"internal/httpapi/negotiate":  {"internal/apierror", "internal/httpapi/failure"},
	"internal/httpapi/documented": {},
	"internal/httpapi/cost":       {"internal/apierror", "internal/httpapi/failure", "internal/fastql", "internal/evm"},
	"internal/httpapi/admit":      {"internal/apierror", "internal/httpapi/failure", "internal/httpapi/negotiate", "internal/apikeys"},
	"internal/httpapi/parse":      {"internal/apierror", "internal/httpapi/failure"},
	"internal/httpapi/queries":    {"internal/apierror", "internal/httpapi/admit", "internal/httpapi/cost", "internal/httpapi/documented", "internal/httpapi/failure", "internal/httpapi/parse", "internal/fastql", "internal/evm"},
	"internal/httpapi/observe":    {"internal/apierror", "internal/httpapi/admit", "internal/httpapi/cost", "internal/httpapi/failure", "internal/httpapi/layout", "internal/httpapi/parse"},
	"internal/httpapi/routes":     {"internal/apierror", "internal/evm", "internal/httpapi/documented", "internal/httpapi/failure", "internal/httpapi/openapi", "internal/httpapi/parse", "internal/httpapi/queries"},
	"internal/httpapi/execute":    {"internal/apierror", "internal/fastql", "internal/httpapi/admit", "internal/httpapi/cost", "internal/httpapi/failure", "internal/httpapi/negotiate", "internal/httpapi/observe", "internal/httpapi/parse", "internal/httpapi/queries"},
	"internal/httpapi/batches":    {"internal/apierror", "internal/httpapi/admit", "internal/httpapi/execute", "internal/httpapi/failure", "internal/httpapi/subscribe", "internal/httpapi/watch"},
	"internal/httpapi/respond":    {"internal/httpapi/admit", "internal/httpapi/execute", "internal/httpapi/failure", "internal/httpapi/negotiate", "internal/httpapi/routes"},
	"internal/httpapi/subscribe":  {"internal/httpapi/negotiate"},
	"internal/httpapi/watch":      {"internal/retrying"},
	"internal/httpapi/layout":     {"internal/httpapi/negotiate"},
	"internal/httpapi/openapi":    {},
	"internal/httpapi/docs":       {"internal/apierror", "internal/httpapi/cost", "internal/httpapi/layout", "internal/httpapi/openapi"},
	"internal/httpapi/page":       {"internal/httpapi/docs", "internal/httpapi/layout", "internal/httpapi/openapi", "internal/httpapi/negotiate", "internal/httpapi/documented", "internal/evm"},
	// Code generators do not import packages for which they generate code.
	"internal/fastql/plugin":        {},
	"internal/fastql/plugin/gqlgen": {"internal/fastql/plugin"},
	"internal/testing/fasttest":     {"internal/fastql", "internal/testing/expect"},
	// The rooms of internal/command, which only it imports.
	"internal/command/console":   {"internal/evm"},
	"internal/command/flags":     {"internal/command/console", "internal/configfile", "internal/database", "internal/reload", "internal/store/tables"},
	"internal/command/following": {"internal/chain/jsonrpc", "internal/chain/jsonrpc/rpcerror", "internal/command/console", "internal/command/flags", "internal/command/opening", "internal/command/process", "internal/command/state", "internal/database", "internal/evm", "internal/indexer", "internal/metadata", "internal/nft", "internal/reload", "internal/retrying", "internal/store/check", "internal/store/lease", "internal/store/proof", "internal/store/read", "internal/store/write"},
	"internal/command/importing": {"internal/chain/recording", "internal/command/console", "internal/command/process", "internal/evm", "internal/metadata", "internal/nft", "internal/store/digest", "internal/store/write"},
	"internal/command/opening":   {"internal/command/console", "internal/command/flags", "internal/command/process", "internal/database", "internal/retrying", "internal/store/lease", "internal/store/read", "internal/store/write"},
	"internal/command/process":   {"internal/command/console", "internal/store/read"},
	"internal/command/serving":   {"graph", "internal/apierror", "internal/apikeys", "internal/chain/jsonrpc", "internal/chain/jsonrpc/rpcerror", "internal/command/console", "internal/command/flags", "internal/command/following", "internal/command/process", "internal/command/state", "internal/database", "internal/evm", "internal/httpapi", "internal/httpapi/admit", "internal/httpapi/cost", "internal/httpapi/execute", "internal/httpapi/negotiate", "internal/httpapi/observe", "internal/httpapi/page", "internal/httpapi/subscribe", "internal/httpapi/watch", "internal/nft", "internal/reload", "internal/store", "internal/store/read", "internal/store/write"},
	"internal/command/state":     {"internal/apierror", "internal/evm", "internal/httpapi/watch", "internal/nft", "internal/store", "internal/store/document", "internal/store/feed", "internal/store/page", "internal/store/read", "internal/store/tables", "internal/store/write"},
	// The command line wires everything together; main only runs it.
	"internal/command": {"internal/apierror", "internal/apikeys", "internal/chain/jsonrpc", "internal/chain/jsonrpc/rpcerror", "internal/chain/recording", "internal/chain/wire", "internal/command/console", "internal/command/flags", "internal/command/following", "internal/command/importing", "internal/command/opening", "internal/command/process", "internal/command/serving", "internal/command/state", "internal/compare", "internal/database", "internal/demo", "internal/doctor", "internal/evm", "internal/export", "internal/httpapi", "internal/httpapi/negotiate", "internal/httpapi/observe", "internal/httpapi/page", "internal/httpapi/watch", "internal/indexer", "internal/newfile", "internal/nft", "internal/reload", "internal/retrying", "internal/store", "internal/store/check", "internal/store/copying", "internal/store/document", "internal/store/facet", "internal/store/feed", "internal/store/lease", "internal/store/proof", "internal/store/read", "internal/store/write", "internal/store/digest"},
	"":                 {"internal/command"},
	"ops/release":      {},
	"ops/mutate":       {},
	// It sends the random operations of tests, to databases on their server.
	"ops/compare": {"internal/testing/fasttest", "internal/testing/pgtest"},
	// The benchmark runs the program as a process, and generates data as tests do.
	"bench": {"internal/evm", "internal/nft", "internal/testing/chaintest", "internal/testing/pgtest"},
}

// forTests lists the packages that only tests, the benchmark and ops/compare may import.
var forTests = []string{"internal/testing/expect", "internal/testing/apitest", "internal/testing/chaintest", "internal/testing/pgtest", "internal/testing/storetest", "internal/testing/fasttest"}

// listedName returns the name of a package of this project in mayImport. ok is false for
// other packages.
func listedName(importPath string) (name string, ok bool) {
	if importPath == module {
		return "", true
	}
	name, ok = strings.CutPrefix(importPath, module+"/")
	for _, whole := range []string{"ent", "bench"} {
		if strings.HasPrefix(name, whole+"/") {
			name = whole
		}
	}
	return name, ok
}

// TestImports checks that each package imports only what mayImport allows.
func TestImports(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for _, folder := range []string{root, filepath.Join(root, "bench")} {
		list := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
		var complaint strings.Builder
		list.Dir, list.Stdout, list.Stderr = folder, &text, &complaint
		if err := list.Run(); err != nil {
			t.Fatalf("go list: %v: %s", err, complaint.String())
		}
	}
	seen := 0
	for decoder := json.NewDecoder(strings.NewReader(text.String())); ; seen++ {
		var p struct {
			ImportPath                         string
			Imports, TestImports, XTestImports []string
		}
		if err := decoder.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		from, _ := listedName(p.ImportPath)
		allowed, known := mayImport[from]
		if !known {
			t.Errorf("%s: add it to mayImport, with its imports", p.ImportPath)
			continue
		}
		for _, path := range p.Imports {
			to, ours := listedName(path)
			switch {
			case !ours || to == from:
			case slices.Contains(forTests, to) && from != "bench" && from != "ops/compare" && !slices.Contains(forTests, from):
				t.Errorf("%s imports %s, which is for tests", p.ImportPath, path)
			case !slices.Contains(allowed, to):
				t.Errorf("%s imports %s: mayImport does not list it", p.ImportPath, path)
			}
		}
		for _, path := range append(p.TestImports, p.XTestImports...) {
			if path == module {
				t.Errorf("the tests of %s import main", p.ImportPath)
			}
		}
	}
	if seen < len(mayImport)/2 {
		t.Errorf("go list knows %d packages", seen)
	}
}
