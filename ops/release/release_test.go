package main

import (
	"debug/buildinfo"
	"os"
	"runtime/debug"
	"testing"
)

func TestChangelogged(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, test := range []struct {
		text, version string
		ok            bool
	}{
		{"# Changelog\n\n## v0.1.0\n\ntext\n\n## v0.0.9\n", "v0.1.0", true},
		{"# Changelog\n\n## v0.1.0\n\ntext\n\n## v0.0.9\n", "v0.0.9", false},
		{"# Changelog\n\n## Unreleased\n\n## v0.1.0\n", "v0.1.0", false},
		{"# Changelog\n", "v0.1.0", false},
		// Only a release has a section.
		{"# Changelog\n\n## Unreleased\n\n## v0.1.0\n", "v0.1.1-0.20261126224311-44ad326f1a2b", true},
	} {
		if err := os.WriteFile("CHANGELOG.md", []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := changelogged(test.version); (err == nil) != test.ok {
			t.Errorf("%s in %q: %v", test.version, test.text, err)
		}
	}
}

func TestPartOf(t *testing.T) {
	info := &buildinfo.BuildInfo{Main: debug.Module{Path: "mintburn"}, Deps: []*debug.Module{{Path: "example.org/a"}, {Path: "example.org/a/v2"}, {Path: "example.org/b.v3"}}}
	for symbol, want := range map[string]string{
		"sqlite3VdbeExec":                      "C: SQLite",
		"secp256k1_pre_g":                      "C: libsecp256k1, of go-ethereum",
		"runtime.main":                         "Go: standard library and runtime",
		"vendor/golang.org/x/crypto/cipher.Op": "Go: standard library and runtime",
		"main.main":                            "Mintburn: main",
		"mintburn/internal/evm.(*Long).Text":   "Mintburn: internal",
		"example.org/a/v2/c.Do[go.shape.int]":  "example.org/a/v2",
		"example.org/a/c.Do":                   "example.org/a",
		"example.org/b%2ev3.Do":                "example.org/b.v3",
		"type:.eq.example.org/a.T":             "example.org/a",
		"go:func.*":                            "",
	} {
		if got := partOf(symbol, info); got != want {
			t.Errorf("%s: got %q, want %q", symbol, got, want)
		}
	}
}
