package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"mintburn/internal/httpapi"
	"mintburn/internal/nft"
)

// commandLine is all commands and their common flags.
type commandLine struct {
	Version   versionFlag `help:"Print the versions of the program and what it is built with."`
	Config    configFlag  `help:"File of flags, in TOML; see mintburn config check." placeholder:"FILE"`
	LogFormat string      `help:"Format of log lines: ${enum}." enum:"text,json" default:"text"`

	Demo     demoCommand     `cmd:"" help:"Fill a fresh database from a recorded chain inside the program, and serve it."`
	Serve    serveCommand    `cmd:"" help:"Serve a database over GraphQL."`
	Import   importCommand   `cmd:"" help:"Load recorded JSON-RPC data and token documents."`
	Sync     syncCommand     `cmd:"" help:"Index a chain from a node, without serving."`
	Metadata metadataCommand `cmd:"" help:"Fetch and refresh the documents of tokens."`
	Export   exportCommand   `cmd:"" help:"Write mints, burns, metadata, blocks or rejected logs as NDJSON, CSV or Parquet."`
	Verify   verifyCommand   `cmd:"" help:"Prove against a node that every record is on the chain and none is missing."`
	Redecode redecodeCommand `cmd:"" help:"Decode the stored blocks again with other options."`
	Check    checkCommand    `cmd:"" help:"Compare counters and coverage with the records, without a node."`
	Migrate  migrateCommand  `cmd:"" help:"Bring the schema of a database to the version of this program."`
	Backup   backupCommand   `cmd:"" help:"Copy a SQLite database to a new file, while others use it."`
	Restore  restoreCommand  `cmd:"" help:"Make a database of a copy."`
	Health   healthCommand   `cmd:"" help:"Ask a running server whether it is alive."`
	Keys     keysCommand     `cmd:"" help:"Make an API key for a server."`
	Checking configCommand   `cmd:"" name:"config" help:"Check a file of flags, and print the flags of a command with it."`
	Versions versionCommand  `cmd:"" name:"version" help:"Print the versions of the program and what it is built with."`

	Help       helpCommand       `cmd:"" help:"Explain the program or a command."`
	Completion completionCommand `cmd:"" help:"Print a shell script that completes commands and flags."`
	Man        manCommand        `cmd:"" help:"Print the manual page, in roff."`
}

// env is the part of the outside world that a command may use.
type env struct {
	// args are the arguments of the program, command is the name of the command.
	args    []string
	command string
	// endless says that the command runs until it is stopped.
	endless        bool
	stdin          io.Reader
	stdout, stderr io.Writer
	log            *slog.Logger
	events         *events
	// tracing makes the spans of a command that serves; nil makes none.
	tracing tracing
	// every is the time between two log lines of progress.
	every time.Duration
	// now is the clock of times that are stored or shown.
	now func() time.Time
}

// Exit codes beside 0 and 1.
const (
	exitUsage   = 2 // bad arguments
	exitReorged = 3 // a reorg orphaned the cursor of an export
)

// exitError is an error with an exit code of its own.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }

func (e *exitError) Unwrap() error { return e.err }

// exited is the panic by which --help ends parsing.
type exited int

// Run runs the command that args name and returns the exit code of the process:
//
//	0        success, or the end of ctx for a command that runs until it is stopped
//	1        an error, or the end of ctx
//	2        bad arguments
//	3        a reorg orphaned the cursor of an export
//	128 + n  ctx ended with [Signal] n as its cause
//
// Each flag may also be set by an environment variable, see [nameVariables], or in the file
// of --config, see [configFile]. Flags win over variables, and these over the file.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	return runAt(ctx, time.Now, args, stdin, stdout, stderr)
}

// runAt is [Run] with a clock.
func runAt(ctx context.Context, now func() time.Time, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
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
	if err != nil {
		line := usageError(err, commandNames(parser.Model))
		fmt.Fprintf(stderr, "mintburn: %s%s (see mintburn --help)\n", line, ofConfig(err, line))
		return exitUsage
	}
	until, ok := command.Selected().Target.Addr().Interface().(endless)
	e := &env{endless: ok && until.endless(), args: args, command: command.Selected().Name, stdin: stdin, stdout: stdout, stderr: stderr, log: newLog(line.LogFormat, stderr), events: newEvents(), every: 10 * time.Second, now: now}
	warnOfVariables(parser.Model, command.Selected(), e.log)
	command.BindTo(ctx, (*context.Context)(nil))
	if err := command.Run(e); err != nil {
		if ctx.Err() == nil {
			fmt.Fprintf(stderr, "mintburn: %s\n", firstLine(err))
			return exitCode(err)
		}
		if e.endless {
			e.log.Info("stopped")
			return 0
		}
		code, line := stopped(ctx, err)
		fmt.Fprintf(stderr, "mintburn: %s\n", line)
		return code
	}
	return 0
}

// newParser returns the parser of the arguments. --help ends parsing with a panic of
// exited.
func newParser(line *commandLine, stdout, stderr io.Writer) (*kong.Kong, error) {
	return kong.New(line,
		kong.Name("mintburn"),
		kong.Description("NFT mints, burns and token metadata of an EVM chain, over GraphQL.\n\n"+
			"Each flag has an environment variable: MINTBURN_COMMAND_FLAG, or MINTBURN_FLAG where it means the same in all commands. "+
			"Flags win over variables, and the long name over the short one. "+
			"The file of --config has flags too, in TOML: above all tables for all commands, or in the table [COMMAND]. Variables win over it."),
		kong.PostBuild(nameVariables),
		kong.ValueFormatter(helpText),
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { panic(exited(code)) }),
	)
}

func newLog(format string, w io.Writer) *slog.Logger {
	var h slog.Handler = slog.NewTextHandler(w, nil)
	if format == "json" {
		h = slog.NewJSONHandler(w, nil)
	}
	return slog.New(httpapi.WithRequestIDs(h))
}

// usageError returns kong's error as one line.
func usageError(err error, commands []string) string {
	// Kong's error for a last flag without its value names tokens of its parser.
	if flag, _, found := strings.Cut(err.Error(), `: expected`); found && strings.Contains(err.Error(), `but got "EOL"`) {
		return flag + " needs a value"
	}
	line := firstLine(err)
	// Kong puts the command's name before the error of its Validate.
	if name, rest, found := strings.Cut(line, ": "); found && slices.Contains(commands, name) {
		return rest
	}
	return line
}

// exitCode returns the exit code for an error.
func exitCode(err error) int {
	if exit := new(exitError); errors.As(err, &exit) {
		return exit.code
	}
	// Filters and cursors are validated where they are used.
	if known := new(nft.Error); errors.As(err, &known) && (known.Code == nft.BadUserInput || known.Code == nft.InvalidCursor) {
		return exitUsage
	}
	return 1
}

// firstLine returns the first line of an error.
func firstLine(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return text
}
