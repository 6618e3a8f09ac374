package command

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/alecthomas/kong"
)

type versionCommand struct{}

// Run prints the versions of the program, Go and SQLite, and the program's commit.
func (versionCommand) Run(e *env) error { return printVersions(e.stdout) }

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
	return err
}
