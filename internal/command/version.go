package command

import (
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

type versionCommand struct{}

// Run prints the versions of the program, Go and SQLite, the program's commit, and the parts
// of a release that the program was built without.
func (versionCommand) Run(e *process.Env) error { return printVersions(e.Stdout) }

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

func printVersions(w io.Writer) error {
	version, commit := versions()
	_, err := fmt.Fprintf(w, "mintburn %s\ncommit %s\ngo %s\nsqlite %s\n", version, commit, runtime.Version(), sqliteVersion())
	if absent := lacks(); err == nil && absent != nil {
		_, err = fmt.Fprintf(w, "lacks %s\n", strings.Join(absent, ", "))
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
