package command

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/store"
)

// database names the database, in every command that has one.
type database struct {
	DB string `help:"Database: a file path, sqlite://PATH or postgres://…; ${default} unless given." default:"mintburn.db" placeholder:"DSN"`
}

// check refuses a value that names no database that could be.
func (d *database) check() error {
	if err := store.CheckDSN(d.DB); err != nil {
		return fmt.Errorf("--db: %w", err)
	}
	return nil
}

// checkRPC refuses endpoints that could not be asked.
func checkRPC(urls []string) error {
	client, err := jsonrpc.Dial(urls, jsonrpc.Options{})
	if err != nil {
		return fmt.Errorf("--rpc: %w", err)
	}
	client.Close()
	return nil
}

// requireRPC refuses to do without endpoints, and those of checkRPC.
func requireRPC(urls []string) error {
	if len(urls) == 0 {
		return errors.New("missing --rpc: want the URL of a node")
	}
	return checkRPC(urls)
}

// read opens a database that must be there, for a command that has nothing to
// show or do without.
func (d *database) read(ctx context.Context, e *env, opts store.Options) (*store.Store, error) {
	opts.Existing = true
	s, err := d.open(ctx, e, opts)
	if errors.Is(err, store.ErrNoDatabase) {
		err = fmt.Errorf("%w (--db): import or sync into it first", err)
	}
	return s, err
}

// open opens the database, and creates it if it is not there. If the load of a new
// one was broken off, its indexes are built first.
func (d *database) open(ctx context.Context, e *env, opts store.Options) (*store.Store, error) {
	s, err := store.Open(ctx, d.DB, opts)
	if err != nil {
		return nil, err
	}
	if err := finishLoad(ctx, e, s); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// load opens the database for work that may write many records and ends by
// itself. The indexes of a new database are built when it has ended, with an
// error or without.
func (d *database) load(ctx context.Context, e *env, work func(*store.Store) error) (err error) {
	s, err := store.Open(ctx, d.DB, store.Options{Loading: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := s.BeginLoad(ctx); err != nil {
		return err
	}
	return errors.Join(work(s), finishLoad(ctx, e, s))
}

// finishLoad builds the indexes that a load of a new database left out.
func finishLoad(ctx context.Context, e *env, s *store.Store) error {
	steps, err := s.LoadSteps(context.WithoutCancel(ctx))
	if err != nil || steps == 0 {
		return err
	}
	if ctx.Err() == nil {
		// It is nothing to speak of for a small database.
		slow := time.AfterFunc(time.Second, func() { e.log.Info("building the indexes of a new database") })
		progress := newProgress(e, "steps", func() (done, size int64) {
			// FinishLoad meets the same error.
			left, _ := s.LoadSteps(ctx)
			return int64(steps - left), int64(steps)
		})
		err = s.FinishLoad(ctx)
		progress.stop()
		slow.Stop()
		if err == nil {
			return nil
		}
	}
	if ctx.Err() != nil {
		e.log.Warn("stopped before the indexes of the new database were built: the next command builds them")
	}
	return err
}
