package command

import (
	"context"
	"errors"
	"fmt"

	"mintburn/internal/command/opening"
	"mintburn/internal/command/process"
	"mintburn/internal/store/facet"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
)

type migrateCommand struct {
	opening.Location
	DryRun      bool  `help:"List the migrations that would be applied, without applying them."`
	IndexTraits *bool `help:"Index the tokens of each collection by their traits, for tokenMetadata(traits: …). The database keeps the index until --no-index-traits drops it." negatable:""`
}

// Help implements kong.HelpProvider.
func (*migrateCommand) Help() string {
	return "Unless --no-migrate is set, every command migrates the database when it opens it. This command only migrates, and creates the database if it does not exist."
}

// Validate checks constraints that the flag types cannot express.
func (c *migrateCommand) Validate() error {
	if c.DryRun && c.IndexTraits != nil {
		return errors.New("--dry-run and --index-traits can't be combined: want one of them")
	}
	return c.Check()
}

// Run migrates the database to the schema of this program, and counts and adds what the migrations
// left.
func (c *migrateCommand) Run(ctx context.Context, e *process.Env) (err error) {
	line := func(does string) func(read.Migration) {
		return func(m read.Migration) { fmt.Fprintf(e.Stdout, "%s migration %d: %s\n", does, m.Version, m.Name) }
	}
	var schema read.Schema
	s, err := c.Await(ctx, e, func() {}, func() (s *write.DB, err error) {
		if c.DryRun {
			schema, err = write.ReadSchema(ctx, c.DB)
			return nil, err
		}
		return c.OpenOnce(ctx, e, write.Options{OnMigrate: line("Applied")})
	})
	if err != nil {
		return process.Unfinished(ctx, err, process.Again)
	}
	if s != nil {
		err = process.Unfinished(ctx, c.finish(ctx, e, s), process.Again)
		schema, err = s.Schema(), errors.Join(err, s.Close())
	}
	for _, m := range schema.Pending {
		line("Would apply")(m)
	}
	fmt.Fprintf(e.Stdout, "The database has schema version %d.\n", schema.Version)
	return err
}

// finish counts the traits, adds digests, and builds or drops the index of traits.
func (c *migrateCommand) finish(ctx context.Context, e *process.Env, s *write.DB) error {
	err := opening.CountTraits(ctx, e, s)
	if err == nil {
		err = opening.FillDigests(ctx, e, s)
	}
	if err != nil || c.IndexTraits == nil {
		return err
	}
	step, did := (*facet.Changes).Drop, "has no index of traits"
	if *c.IndexTraits {
		step, did = (*facet.Changes).Build, "has an index of traits"
	}
	for done := false; !done; {
		var err error
		if done, err = write.StepTraits(ctx, s, step); err != nil {
			return err
		}
	}
	fmt.Fprintf(e.Stdout, "The database %s.\n", did)
	return s.Database.Vacuum(ctx, facet.Index)
}
