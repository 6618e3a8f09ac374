package command

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"

	"mintburn/internal/command/process"
	"mintburn/internal/command/serving"
	"mintburn/internal/export"
	"mintburn/internal/httpapi/negotiate"
	"mintburn/internal/httpapi/page"
)

type versionCommand struct {
	JSON bool `help:"Print one JSON object." name:"json"`
}

// build describes the program.
type build struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
	Go      string `json:"go"`
	SQLite  string `json:"sqlite"`
	// Lacks are the parts of a release that the program was built without.
	Lacks []string `json:"lacks"`
}

// Run prints the versions of the program, Go and SQLite, the program's commit, and the parts
// of a release that the program was built without.
func (c versionCommand) Run(e *process.Env) error {
	if c.JSON {
		encoder := json.NewEncoder(e.Stdout)
		encoder.SetIndent("", "  ")
		return encoder.Encode(describe())
	}
	return printVersions(e.Stdout)
}

// versionFlag makes --version print the versions and end the program.
type versionFlag bool

// BeforeReset implements kong's hook.
func (versionFlag) BeforeReset(app *kong.Kong) error {
	if err := printVersions(app.Stdout); err != nil {
		return err
	}
	app.Exit(0)
	return nil
}

// versions returns the version and the commit of the program, or (devel) and unknown.
func versions() (version, commit string) {
	version, commit = "(devel)", "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			version = info.Main.Version
		}
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" {
				commit = setting.Value
			}
		}
	}
	return version, commit
}

// describe describes this program.
func describe() build {
	version, commit := versions()
	return build{version, commit, runtime.Version(), sqliteVersion(), append([]string{}, lacks()...)}
}

func printVersions(w io.Writer) error {
	b := describe()
	_, err := fmt.Fprintf(w, "mintburn %s\ncommit %s\ngo %s\nsqlite %s\n", b.Version, b.Commit, b.Go, b.SQLite)
	if err == nil && len(b.Lacks) > 0 {
		_, err = fmt.Fprintf(w, "lacks %s\n", strings.Join(b.Lacks, ", "))
	}
	return err
}

// lacks returns the parts of a release that this build lacks, each with what adds it to a
// build.
func lacks() (parts []string) {
	for _, part := range []struct {
		built bool
		name  string
	}{
		{sqliteVersion() != noSQLite, "SQLite (no -tags nosqlite)"},
		{export.HasParquet, "Parquet (-tags parquet)"},
		{serving.HasTracing, "traces (-tags otel)"},
		{negotiate.HTTP2(), "HTTP/2 (" + negotiate.SafeGo + ")"},
		{page.HasGraphiQL(page.Assets), "Playground (make assets)"},
	} {
		if !part.built {
			parts = append(parts, part.name)
		}
	}
	return parts
}

// noSQLite is the version of SQLite in a program without it.
const noSQLite = "none"
