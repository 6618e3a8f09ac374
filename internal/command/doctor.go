package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"mintburn/internal/command/console"
	"mintburn/internal/command/flags"
	"mintburn/internal/command/process"
	"mintburn/internal/command/serving"
	"mintburn/internal/command/state"
	"mintburn/internal/database"
	"mintburn/internal/doctor"
	"mintburn/internal/httpapi/negotiate"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
)

type doctorCommand struct {
	Flags []string `arg:"" optional:"" passthrough:"" help:"Flags of serve, such as --db and --rpc." placeholder:"FLAG"`
}

// Help implements kong.HelpProvider.
func (*doctorCommand) Help() string {
	return "Takes the flags of serve, its variables and its file. Prints one line for each check, ok or fault with its cure, and exits with 1 after a fault. Changes nothing, also beside a running server."
}

// defaultMaxAge is the age from which the head of a node is a fault without --max-lag, as that of
// the alert MintburnLag.
const defaultMaxAge = 5 * time.Minute

// lowDisk is the share of free space below which a disk is a fault, as that of the alert
// MintburnDiskNearlyFull.
const lowDisk = 0.1

// checkup is one run of doctor.
type checkup struct {
	env   *process.Env
	parse parsing
	// chains are serve for each chain. serve is the one that is checked now, or that of the process.
	chains []*serveCommand
	serve  *serveCommand
	faults int
}

// Run checks what serve needs. It fails if there is a fault.
func (*doctorCommand) Run(ctx context.Context, e *process.Env, parse parsing) error {
	c := &checkup{env: e, parse: parse}
	c.program()
	if c.configuration() {
		process := c.serve
		for _, c.serve = range c.chains {
			o := c.database(ctx)
			c.nodes(ctx, o)
		}
		c.serve = process
		c.openFiles()
	}
	if ctx.Err() != nil || c.faults == 0 {
		return ctx.Err()
	}
	return errors.New(console.Count(c.faults, "fault"))
}

// show prints findings, with the name of their chain if they have one.
func (c *checkup) show(found ...doctor.Finding) {
	for _, f := range found {
		if f.Cure != "" {
			c.faults++
		}
		if c.serve != nil && c.serve.name != "" {
			f.Subject = c.serve.name + " " + f.Subject
		}
		fmt.Fprintln(c.env.Stdout, console.OneLine(errors.New(f.String())))
	}
}

func (c *checkup) ok(subject, format string, args ...any) {
	c.show(doctor.Finding{Subject: subject, Text: fmt.Sprintf(format, args...)})
}

func (c *checkup) fault(subject, cure, format string, args ...any) {
	c.show(doctor.Finding{Subject: subject, Text: fmt.Sprintf(format, args...), Cure: cure})
}

// program says what the program's version of Go keeps a server from.
func (c *checkup) program() {
	if negotiate.HTTP2() {
		c.ok("program", "%s built it: a server offers HTTP/1.1 and HTTP/2", runtime.Version())
	} else {
		c.ok("program", "%s built it: a server offers HTTP/1.1 only, and HTTP/2 from %s on", runtime.Version(), negotiate.SafeGo)
	}
}

// configuration parses the flags, variables and file of serve, and loads the files that they name.
// It reports whether the flags can be used.
func (c *checkup) configuration() bool {
	const subject = "configuration"
	parser, chains, err := c.parse(flags.Chains{})
	if err != nil {
		c.fault(subject, "report this bug", "%v", err)
		return false
	}
	before := c.faults
	names := flags.CommandNames(parser.Model)
	for _, v := range flags.OddVariables(parser.Model, parser.Model.Children[slices.Index(names, "serve")]) {
		if v.Want == "" {
			c.fault(subject, "correct its name or remove it", "no command reads the variable %s", v.Name)
		} else {
			c.fault(subject, "name it "+v.Want, "serve does not read the variable %s, whose meaning differs by command", v.Name)
		}
	}
	args := slices.Clone(c.env.Args)
	args[slices.Index(args, c.env.Command)] = "serve"
	line, err := parser.Parse(args)
	if err != nil {
		err = errors.New(chains.UsageError(err, names))
	} else {
		c.serve = line.Selected().Target.Addr().Interface().(*serveCommand)
		c.chains, err = c.serve.chains(args, c.parse, chains)
	}
	if err != nil {
		c.fault(subject, "correct it: mintburn help serve describes the flags", "%v", err)
		return false
	}
	if _, err := c.serve.LoadFiles(c.env); err != nil {
		c.fault(subject, "correct the file or its permissions", "%v", err)
	}
	if c.faults == before {
		c.ok(subject, "flags, variables and files are valid")
	}
	return true
}

// database checks the database and its disk, and returns what nodes are for.
func (c *checkup) database(ctx context.Context) doctor.Options {
	const subject = "database"
	o := doctor.Options{
		URLs: c.serve.RPC, Contracts: c.serve.Contract, Unindexed: c.serve.Unindexed, Next: c.serve.FromBlock, MaxAge: cmp.Or(c.serve.MaxLag, defaultMaxAge),
		AcceptUnprovable: c.serve.Unprovable, Limit: doctor.Limit, Now: c.env.Now,
	}
	c.files()
	opening, cancel := context.WithTimeout(ctx, doctor.Limit)
	defer cancel()
	options := c.serve.Options(nil, c.serve.DB, len(c.chains))
	options.ReadOnly = true
	s, err := write.Open(opening, c.serve.DB, options)
	pending, newer, closed := new(write.PendingError), new(read.SchemaError), new(database.ConnectError)
	switch {
	case err == nil:
	case errors.As(err, &pending) && !c.serve.NoMigrate:
		c.ok(subject, "it has schema version %d, and serve migrates it to %d; more is checked after that", pending.Version, pending.Known)
	case errors.As(err, &pending):
		c.fault(subject, "run mintburn migrate", "%v", pending)
	case errors.Is(err, database.ErrNoDatabase) && len(o.URLs) > 0 && !c.serve.NoMigrate:
		c.ok(subject, "there is none yet, and serve --rpc creates it")
	case errors.Is(err, database.ErrNoDatabase):
		c.fault(subject, "correct --db, or create it with mintburn migrate, import or serve --rpc", "%v", err)
	case errors.As(err, &newer) && newer.Copying:
		c.fault(subject, "run it before serve", "%v", err)
	case errors.As(err, &newer):
		c.fault(subject, "install a newer version", "%v", err)
	case errors.As(err, &closed):
		c.fault(subject, closed.Cure, "%s", closed.Causes)
	case read.IsLost(err) && !database.IsClosed(err), errors.Is(err, context.DeadlineExceeded):
		c.fault(subject, "check whether PostgreSQL runs, the address, the password and the firewall", "%v", err)
	default:
		c.fault(subject, "correct --db or the permissions", "%v", err)
	}
	if err != nil {
		return o
	}
	err = c.stored(ctx, s, &o)
	c.show(doctor.Database(ctx, s, len(o.URLs) > 0, c.env.Now)...)
	if err = errors.Join(err, s.Close()); err != nil {
		c.fault(subject, "run mintburn check", "%v", err)
	}
	return o
}

// stored sets what the database knows about the chain.
func (c *checkup) stored(ctx context.Context, s *write.DB, o *doctor.Options) error {
	ctx, cancel := context.WithTimeout(ctx, doctor.Limit)
	defer cancel()
	chain, err := state.ChainOf(ctx, s)
	if err != nil {
		return err
	}
	o.ChainID = chain.ID
	if len(chain.Contracts) > 0 {
		o.Contracts = chain.Contracts
	}
	if n := len(chain.Indexed); n > 0 {
		o.Next = max(o.Next, chain.Indexed[n-1].To+1)
	}
	final, found, err := s.FinalBlock(ctx, math.MaxInt64)
	if found {
		o.Final = &final
	}
	size, _, sizeErr := s.Database.Size(ctx)
	if err = errors.Join(err, sizeErr); err == nil {
		c.ok("database", "it opens: %s, %s", kindOf(s), bytesOf(uint64(size)))
		c.disk(s.Database.File(), float64(size))
	}
	return err
}

// files checks the permissions of a SQLite database that serve writes to.
func (c *checkup) files() {
	path := database.PathOf(c.serve.DB)
	if path == "" || len(c.serve.RPC) == 0 {
		return
	}
	for _, of := range []string{filepath.Dir(path), path, path + "-wal", path + "-shm"} {
		if _, err := os.Stat(of); err == nil && !state.Writable(of) {
			c.fault("database", "give it to the user that runs serve, with chown or chmod", "%s can't be written by this user", of)
		}
	}
}

// disk compares the free space with the size of the database.
func (c *checkup) disk(path string, size float64) {
	free, whole, known := state.DiskOf(path)
	if !known {
		return
	}
	text := fmt.Sprintf("%s of %s are free, the database has %s", bytesOf(uint64(free)), bytesOf(uint64(whole)), bytesOf(uint64(size)))
	if free < lowDisk*whole || free < lowDisk*size {
		c.fault("disk", "free some space, or move the database to a larger disk", "%s", text)
		return
	}
	c.ok("disk", "%s", text)
}

// nodes checks the nodes.
func (c *checkup) nodes(ctx context.Context, o doctor.Options) {
	if len(o.URLs) == 0 {
		c.ok("nodes", "there is no --rpc, so that serve follows no chain")
		return
	}
	found, err := doctor.Nodes(ctx, o)
	if err != nil {
		c.fault("nodes", "correct --rpc", "%v", err)
		return
	}
	c.show(found...)
}

// openFiles compares the limit on open files with what a server needs.
func (c *checkup) openFiles() {
	limit, known := serving.OpenFiles()
	want := c.serve.NeededFiles()
	switch {
	case !known:
	case want > limit:
		c.fault("open files", "raise the limit (LimitNOFILE of systemd, ulimit -n), or lower --max-connections", "the limit is %d, a server with %d connections needs %d", limit, c.serve.MaxConnections, want)
	default:
		c.ok("open files", "the limit is %d, a server needs %d", limit, want)
	}
}
