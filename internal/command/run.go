package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"strconv"
	"time"

	"github.com/alecthomas/kong"

	"mintburn/internal/apierror"
	"mintburn/internal/command/console"
	"mintburn/internal/command/flags"
	"mintburn/internal/command/following"
	"mintburn/internal/command/process"
	"mintburn/internal/httpapi/observe"
)

// commandLine holds all commands and their common flags.
type commandLine struct {
	Version   versionFlag      `help:"Print the versions of the program, Go and SQLite."`
	Config    flags.ConfigFlag `help:"Configuration file in TOML; see mintburn config check." placeholder:"FILE"`
	LogFormat string           `help:"Log format: ${enum}." enum:"text,json" default:"text"`

	Demo     demoCommand     `cmd:"" help:"Import the built-in recorded chain into a temporary database and serve it."`
	Serve    serveCommand    `cmd:"" help:"Serve a database over GraphQL."`
	Import   importCommand   `cmd:"" help:"Import recorded JSON-RPC data, history archives and token documents."`
	Sync     syncCommand     `cmd:"" help:"Index a chain from a node, without serving."`
	Metadata metadataCommand `cmd:"" help:"Fetch and refresh token documents."`
	Export   exportCommand   `cmd:"" help:"Write mints, burns, metadata, documents, collections, blocks or rejected logs as NDJSON, CSV or Parquet."`
	Changes  changesCommand  `cmd:"" help:"Print what was added and what became void since a cursor, as NDJSON."`
	Verify   verifyCommand   `cmd:"" help:"Prove against a node that every record is on the chain and none is missing."`
	Check    checkCommand    `cmd:"" help:"Check counters, counts and coverage against the records, without a node."`
	Proofs   proofsCommand   `cmd:"" name:"check-proof" help:"Check a server's proofs of blocks offline, and print the mints and burns that they prove."`
	Migrate  migrateCommand  `cmd:"" help:"Migrate a database to the schema of this program."`
	Backup   backupCommand   `cmd:"" help:"Copy a SQLite database to a new file while it is in use."`
	Restore  restoreCommand  `cmd:"" help:"Create a database from a copy."`
	Copy     copyCommand     `cmd:"" help:"Copy a database to another one, also between SQLite and PostgreSQL."`
	Compare  compareCommand  `cmd:"" help:"Compare the mints and burns of a database with those of another one or of a server."`
	Status   statusCommand   `cmd:"" help:"Show the state of a database, its follower and its nodes."`
	Doctor   doctorCommand   `cmd:"" help:"Check what mintburn serve needs: configuration, database, nodes, disk and clock."`
	Health   healthCommand   `cmd:"" help:"Check whether a server is alive."`
	Keys     keysCommand     `cmd:"" help:"Generate an API key for a server."`
	Checking configCommand   `cmd:"" name:"config" help:"Check a configuration file and print a command's effective flags."`
	Versions versionCommand  `cmd:"" name:"version" help:"Print the versions of the program, Go and SQLite."`

	Help       helpCommand       `cmd:"" help:"Show help for the program or a command."`
	Completion completionCommand `cmd:"" help:"Print a shell completion script for commands and flags."`
	Man        manCommand        `cmd:"" help:"Print the manual page, in roff."`

	// chains is not a flag.
	chains flags.Chains
}

// exited is the exit code with which --help panics to end parsing.
type exited int

// Run runs the command that args specify and returns the exit code of the process:
//
//	0        success, or the end of ctx for a command that runs until it is stopped
//	1        an error, or the end of ctx
//	2        bad arguments
//	3        a reorg orphaned the cursor of an export, or that of changes expired
//	128 + n  ctx ended with [Signal] n as its cause
//
// Environment variables (see [flags.NameVariables]) and the file of --config (see [flags.ConfigFile])
// also set flags. Arguments override variables, which override the file.
//
// files are the files of the repository that a serving command shows at /docs.
func Run(ctx context.Context, files fs.FS, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	return runAt(ctx, files, time.Now, args, stdin, stdout, stderr)
}

// runAt is [Run] with a clock.
func runAt(ctx context.Context, files fs.FS, now func() time.Time, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	defer func() {
		if r := recover(); r != nil {
			exit, ok := r.(exited)
			if !ok {
				panic(r)
			}
			code = int(exit)
		}
	}()
	var line commandLine
	parser, err := newParser(&line, stdout, stderr)
	if err != nil {
		fmt.Fprintln(stderr, "mintburn: internal error:", err)
		return 1
	}
	command, err := parser.Parse(args)
	if err == nil {
		err = flags.CheckOpposites(command, args)
	}
	if err != nil {
		at := parser.Model.Node
		if failed := new(kong.ParseError); errors.As(err, &failed) && failed.Context != nil && failed.Context.Selected() != nil {
			at = failed.Context.Selected()
		}
		flags.WarnOfVariables(parser.Model, at, newLog(line.LogFormat, stderr))
		fmt.Fprintf(stderr, "mintburn: %s (see mintburn --help)\n", line.chains.UsageError(err, flags.CommandNames(parser.Model)))
		return process.ExitUsage
	}
	until, ok := command.Selected().Target.Addr().Interface().(endless)
	terminal := console.NewTerminal(stderr)
	logTo := stderr
	if terminal != nil {
		logTo = terminal
	}
	e := &process.Env{
		Files: files, Args: args, Command: command.Selected().Name, Endless: ok && until.endless(), Stdin: stdin, Stdout: stdout, Stderr: stderr,
		Console: console.Console{Terminal: terminal, Log: newLog(line.LogFormat, logTo), Every: 10 * time.Second}, Events: process.NewEvents(), Now: now,
	}
	if !flags.IsDoctor(command.Selected()) {
		flags.WarnOfVariables(parser.Model, command.Selected(), e.Log)
	}
	command.BindTo(ctx, (*context.Context)(nil))
	command.Bind(parsingTo(stdout, stderr))
	if err := command.Run(e); err != nil {
		if ctx.Err() == nil {
			line := console.OneLine(err)
			if e := new(process.UnfinishedError); errors.As(err, &e) {
				line += "; " + e.Next
			}
			fmt.Fprintf(stderr, "mintburn: %s\n", line)
			return exitCode(err)
		}
		if e.Endless {
			e.Log.Info("stopped")
			return 0
		}
		code, line := stopped(ctx, err)
		fmt.Fprintf(stderr, "mintburn: %s\n", line)
		return code
	}
	return 0
}

// parsingTo returns parsing that prints help to these.
func parsingTo(stdout, stderr io.Writer) parsing {
	return func(chains flags.Chains) (*kong.Kong, *flags.Chains, error) {
		line := commandLine{chains: chains}
		parser, err := newParser(&line, stdout, stderr)
		return parser, &line.chains, err
	}
}

// newParser returns a parser of arguments into line. --help ends parsing by panicking
// with exited.
func newParser(line *commandLine, stdout, stderr io.Writer) (*kong.Kong, error) {
	return kong.New(line,
		kong.Name("mintburn"),
		kong.Description("NFT mints, burns and token metadata of an EVM chain, over GraphQL.\n\n"+
			"Each flag has the environment variable MINTBURN_COMMAND_FLAG and, if it means the same in all commands, MINTBURN_FLAG. "+
			"The first overrides the second, and arguments override both. "+
			"The TOML file of --config also sets flags: keys outside tables for all commands, keys in the table [COMMAND] for one. Variables override the file, except its tables [chains.NAME], which override all others."),
		kong.Vars{"header_depth": strconv.Itoa(following.HeaderDepth), "receipts_depth": strconv.Itoa(following.ReceiptsDepth)},
		kong.PostBuild(flags.NameVariables),
		kong.Bind(&line.chains),
		kong.ValueFormatter(flags.HelpText),
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { panic(exited(code)) }),
	)
}

func newLog(format string, w io.Writer) *slog.Logger {
	var h slog.Handler = slog.NewTextHandler(w, nil)
	if format == "json" {
		h = slog.NewJSONHandler(w, &slog.HandlerOptions{ReplaceAttr: printable})
	}
	return slog.New(observe.WithRequestIDs(h))
}

// printable replaces an error by its text as one line. The text handler quotes it.
func printable(_ []string, a slog.Attr) slog.Attr {
	if err, ok := a.Value.Any().(error); ok {
		a.Value = slog.StringValue(console.OneLine(err))
	}
	return a
}

// exitCode returns the exit code for an error.
func exitCode(err error) int {
	if exit := new(process.ExitError); errors.As(err, &exit) {
		return exit.Code
	}
	// Filters and cursors are validated where they are used.
	if known := new(apierror.Error); errors.As(err, &known) && (known.Code == apierror.BadUserInput || known.Code == apierror.InvalidCursor) {
		return process.ExitUsage
	}
	return 1
}
