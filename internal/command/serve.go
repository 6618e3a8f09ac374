package command

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"golang.org/x/sync/errgroup"

	"mintburn/graph"
	"mintburn/internal/evm"
	"mintburn/internal/httpapi"
	"mintburn/internal/store"
)

// database names the database, in every command that has one.
type database struct {
	DB string `help:"Database: a file path, sqlite://PATH or postgres://…; ${default} unless given." default:"mintburn.db" placeholder:"DSN"`
}

// listening is where and how a command serves.
type listening struct {
	Listen      string `help:"Address to listen on, ${default} unless given." default:"127.0.0.1:8080" placeholder:"ADDR"`
	MaxPageSize int    `help:"Largest page that may be asked for, 1 to 10000; ${default} unless given." default:"1000" placeholder:"N"`
}

type serveCommand struct {
	database
	listening
	decoding
	following
}

// Validate refuses values that no flag type refuses.
func (l listening) Validate() error {
	if l.MaxPageSize < 1 || l.MaxPageSize > 10_000 {
		return fmt.Errorf("--max-page-size is %d: want 1 to 10000", l.MaxPageSize)
	}
	return nil
}

// Run serves until ctx ends, and follows the chain meanwhile if it is given a
// node. When one of the two fails, both end.
func (c *serveCommand) Run(ctx context.Context, e *env) (err error) {
	s, err := store.Open(ctx, c.DB, store.Options{MaxPageSize: c.MaxPageSize})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	both, ctx := errgroup.WithContext(ctx)
	if len(c.RPC) > 0 {
		both.Go(func() error { return c.follow(ctx, e, s, c.decoding, false) })
	}
	both.Go(func() error {
		return c.serve(ctx, e, s, func(address string) {
			e.log.Info("serving", "page", "http://"+address+"/", "graphql", "http://"+address+"/graphql")
		})
	})
	return both.Wait()
}

// serve answers requests from s until ctx ends; ready is called with the
// address once connections are accepted.
func (l listening) serve(ctx context.Context, e *env, s *store.Store, ready func(address string)) error {
	listener, err := net.Listen("tcp", l.Listen)
	if err != nil {
		return fmt.Errorf("listening (--listen): %w", err)
	}
	handler := httpapi.New(httpapi.Config{
		Schema:         graph.NewSchema(s, time.Now),
		Extensions:     []graphql.HandlerExtension{graph.Snapshots{Store: s}},
		ErrorPresenter: graph.PresentError(e.log),
		Recover:        graph.Recover(e.log),
		Examples:       func(ctx context.Context) (httpapi.Examples, error) { return examples(ctx, s) },
		Log:            e.log,
	})
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute}
	ready(listener.Addr().String())
	return httpapi.Serve(ctx, server, func() error { return server.Serve(listener) })
}

// examples finds values for the page's ready tabs.
func examples(ctx context.Context, s *store.Store) (shown httpapi.Examples, err error) {
	snapshot := s.Snapshot()
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	found, err := snapshot.Examples(ctx)
	if err != nil {
		return shown, err
	}
	if m := found.Mint; m != nil {
		number := evm.Long(m.Block.Number)
		shown.BlockNumber, shown.MintAddress, shown.MintTx = &number, &m.Contract, &m.TxHash
	}
	if b := found.Burn; b != nil {
		to := evm.Long(b.Block.Number)
		// Far enough back for a page, and surely indexed.
		chain, err := snapshot.Chain(ctx)
		if err != nil {
			return shown, err
		}
		from := to
		for _, r := range chain.Indexed {
			if r.From <= uint64(to) && uint64(to) <= r.To {
				from = evm.Long(max(r.From, uint64(to)-min(uint64(to), 1000)))
			}
		}
		shown.BurnAddress, shown.FromBlock, shown.ToBlock = &b.Contract, &from, &to
		shown.BurnTokenAddress, shown.BurnTokenID = &b.Contract, &b.TokenID
	}
	shown.MetadataAddress = found.Collection
	return shown, nil
}
