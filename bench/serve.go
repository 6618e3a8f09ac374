package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"time"

	"mintburn/bench/hand"
)

type staticCommand struct{}

// Run serves fixed answers, to measure net/http alone. Standard input is a JSON object of
// answers by path.
func (c *staticCommand) Run(ctx context.Context) error {
	var answers map[string]string
	if err := json.NewDecoder(os.Stdin).Decode(&answers); err != nil {
		return fmt.Errorf("reading answers: %w", err)
	}
	return serve(ctx, fixed(answers))
}

// fixed serves texts by path, without the leading slash.
func fixed(answers map[string]string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, answers[r.URL.Path[1:]])
	})
}

type handCommand struct {
	DB string `arg:"" help:"SQLite file."`
}

// Run serves the workloads that hand has.
func (c *handCommand) Run(ctx context.Context) (err error) {
	s, err := hand.Open(ctx, c.DB)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return serve(ctx, s)
}

// collectorPercent is the garbage collector's setting for both servers, a careful choice
// for a small heap.
const collectorPercent = 400

// serve prints its address and serves on a free port until ctx ends.
func serve(ctx context.Context, handler http.Handler) error {
	debug.SetGCPercent(collectorPercent)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	fmt.Fprintf(os.Stderr, "serving http://%s\n", listener.Addr())
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	stopped := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stopped()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving: %w", err)
	}
	return nil
}
