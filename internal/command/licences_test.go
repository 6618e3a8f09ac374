package command_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/testing/expect"
)

var updateLicences = flag.Bool("update-licences", false, "rewrite docs/licences.md")

const licencesHead = `# Licences

Mintburn is licensed under the [Apache License, Version 2.0](../LICENSE). The binary also contains the software below.
A test compares this page with the linked modules; ` + "`go test ./internal/command -run Licences -update-licences`" + ` rewrites it.

Distribute a binary with the texts of these licences. For a Go module they are in its folder (` + "`go list -m -f '{{.Dir}}' MODULE`" + `),
for the npm packages at ` + "`/assets/licences-….txt`" + ` of a server. go-ethereum is under the LGPL: recipients of a binary must be
able to relink it with another version of go-ethereum, for which this repository suffices.

- The Go standard library and runtime: BSD-3-Clause.
- SQLite, a part of go-sqlite3: public domain.
- libsecp256k1, a part of go-ethereum: MIT.

## Go modules

| module | version | licence |
| --- | --- | --- |
`

const licencesMiddle = `
## npm packages of the page

The packages that the page is bundled from, those of GraphiQL if it was built (` + "`make assets`" + `).

| package | version | licence |
| --- | --- | --- |
`

// licenceTexts identifies licences by patterns in their texts, in this order.
var licenceTexts = []struct{ spdx, pattern string }{
	{"LGPL-3.0-or-later", `GNU LESSER GENERAL PUBLIC LICENSE`},
	{"GPL-3.0-or-later", `GNU GENERAL PUBLIC LICENSE`},
	{"MPL-2.0", `Mozilla Public License,? (Version|version) 2\.0`},
	{"Apache-2.0", `Apache License\s+Version 2\.0`},
	{"MIT", `Permission is hereby granted, free of charge`},
	{"BSD-3-Clause", `(?s)Redistributions? in binary form.*[Nn]either the name`},
	{"BSD-2-Clause", `Redistributions in binary form`},
}

// licenceOf returns the licence of a module's folder. If a folder contains both the
// lesser GPL and the GPL, it returns the lesser GPL, which only adds permissions.
func licenceOf(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	expect.NoError(t, err)
	var texts []string
	for _, entry := range entries {
		if entry.Type().IsRegular() && regexp.MustCompile(`(?i)^(licen[cs]e|copying)(\.(md|txt|lesser))?$`).MatchString(entry.Name()) {
			text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
			expect.NoError(t, err)
			texts = append(texts, string(text))
		}
	}
	for _, licence := range licenceTexts {
		if slices.ContainsFunc(texts, regexp.MustCompile(licence.pattern).MatchString) {
			return licence.spdx
		}
	}
	t.Errorf("the licence of %s is not known: add it to licenceTexts", folder)
	return "unknown"
}

// linkedModules returns the rows of the Go modules linked into the released binary for
// Linux.
func linkedModules(t *testing.T) (rows []string) {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-tags", "otel,parquet", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}", ".")
	list.Dir, list.Env = root, append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=1")
	out, err := list.Output()
	expect.NoError(t, err)
	lines := slices.Compact(slices.Sorted(strings.Lines(string(out))))
	for _, line := range lines {
		if module := strings.Fields(line); len(module) == 3 {
			rows = append(rows, fmt.Sprintf("| %s | %s | %s |\n", module[0], module[1], licenceOf(t, module[2])))
		}
	}
	return rows
}

// pagePackages returns the rows of the npm packages that the page depends on.
func pagePackages(t *testing.T) (rows []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "web", "package-lock.json"))
	expect.NoError(t, err)
	var lock struct {
		Packages map[string]struct {
			Version, License string
			Dev              bool
		}
	}
	expect.NoError(t, json.Unmarshal(text, &lock))
	for path, p := range lock.Packages {
		if path == "" || p.Dev {
			continue
		}
		name := path[strings.LastIndex(path, "node_modules/")+len("node_modules/"):]
		if p.License == "" {
			t.Errorf("%s has no licence", name)
		}
		rows = append(rows, fmt.Sprintf("| %s | %s | %s |\n", name, p.Version, p.License))
	}
	slices.Sort(rows)
	return slices.Compact(rows)
}

// TestLicences checks that docs/licences.md lists exactly the parts of the binary, and
// that each part has a licence that this test accepts.
func TestLicences(t *testing.T) {
	t.Parallel()
	modules, packages := linkedModules(t), pagePackages(t)
	if len(modules) < 20 || len(packages) < 20 {
		t.Fatalf("%d modules and %d packages were found", len(modules), len(packages))
	}
	accepted := regexp.MustCompile(`\| (Apache-2\.0|MIT|ISC|0BSD|BSD-[23]-Clause|MPL-2\.0|LGPL-3\.0-or-later|PSF-2\.0) \|\n$`)
	for _, row := range slices.Concat(modules, packages) {
		if !accepted.MatchString(row) {
			t.Errorf("another licence: %s", row)
		}
	}
	want := licencesHead + strings.Join(modules, "") + licencesMiddle + strings.Join(packages, "")
	path := filepath.Join(root, "docs", "licences.md")
	if *updateLicences {
		expect.NoError(t, os.WriteFile(path, []byte(want), 0o644))
	}
	got, err := os.ReadFile(path)
	expect.NoError(t, err)
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("docs/licences.md is not what is linked: run with -update-licences (-linked +listed):\n%.3000s", diff)
	}
}
