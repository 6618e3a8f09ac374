package opening

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"mintburn/internal/command/console"
	"mintburn/internal/command/process"
	"mintburn/internal/retrying"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
)

// schemaEvery is the interval between checks of an open database's schema.
const schemaEvery = 2 * time.Second

// WheneverCompatible is [WhileCompatible], but after an incompatible migration it waits
// until the schema is compatible again, as after the restoration of a backup.
func WheneverCompatible(ctx context.Context, e *process.Env, s *write.DB, work func(context.Context) error) error {
	for {
		err := WhileCompatible(ctx, s, work)
		if newer := new(read.SchemaError); ctx.Err() != nil || !errors.As(err, &newer) {
			return err
		}
		e.Log.Error("answering that the data is unavailable", "error", err)
		for s.CheckSchema(ctx) != nil {
			if err := retrying.Sleep(ctx, schemaEvery); err != nil {
				return err
			}
		}
		e.Log.Info("the schema is compatible again")
	}
}

// WhileCompatible runs work until it ends. It cancels work and fails if a newer program
// migrates the database to a schema that is incompatible with this program.
func WhileCompatible(ctx context.Context, s *write.DB, work func(context.Context) error) error {
	working, stop := context.WithCancel(ctx)
	looked := make(chan error, 1)
	go func() {
		defer stop()
		for retrying.Sleep(working, schemaEvery) == nil {
			err := s.CheckSchema(working)
			if newer := new(read.SchemaError); errors.As(err, &newer) {
				looked <- err
				return
			}
		}
		looked <- nil
	}()
	err := work(working)
	stop()
	if newer := <-looked; newer != nil {
		return newer
	}
	return err
}

// FillDigests adds all missing digests, in small steps that show their progress.
func FillDigests(ctx context.Context, e *process.Env, s *write.DB) error {
	var sum atomic.Int64
	progress := console.NewProgress(e.Console, "blocks with digests", func() (done, size int64) { return sum.Load(), 0 })
	defer progress.Stop()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		blocks, done, err := write.FillDigests(ctx, s)
		if err != nil || done {
			return err
		}
		sum.Add(int64(blocks))
	}
}

// CountTraits counts the tokens of traits after an upgrade, in small steps. It does nothing if
// they are counted.
func CountTraits(ctx context.Context, e *process.Env, s *write.DB) error {
	for steps := 0; ; steps++ {
		done, err := write.CountTraits(ctx, s)
		switch {
		case err != nil:
			return err
		case done && steps > 0:
			e.Log.Info("the tokens of all traits are counted")
		case steps == 0 && !done:
			e.Log.Info("counting the tokens of traits")
		}
		if done {
			return nil
		}
	}
}
