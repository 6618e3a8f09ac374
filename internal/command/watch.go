package command

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/indexer"
	"mintburn/internal/store"
)

// watch tells the database how the nodes are that a follower asks, and the log
// when that changes.
type watch struct {
	store  *store.Store
	client *jsonrpc.Client
	log    *slog.Logger
	// panicked is called after a panic.
	panicked func()
	failed   map[string]bool
}

// watchEvery is the time between two reports, of which the first comes sooner;
// the log says how far the follower is every few of them.
const (
	watchFirst = time.Second
	watchEvery = 10 * time.Second
	watchesLog = 6
)

// run reports until ctx ends, and once more then. A report that can't be stored
// is left to the next one.
func (w *watch) run(ctx context.Context) {
	w.failed = map[string]bool{}
	ticker := time.NewTicker(watchFirst)
	defer ticker.Stop()
	for n, ended := 0, false; !ended; n++ {
		select {
		case <-ctx.Done():
			ended = true
		case <-ticker.C:
			ticker.Reset(watchEvery)
		}
		err := indexer.Safely(w.log, w.panicked, func() error {
			return w.report(context.WithoutCancel(ctx), !ended && n%watchesLog == watchesLog-1)
		})
		if panicked := new(indexer.PanicError); err != nil && !errors.As(err, &panicked) {
			w.log.Warn("reporting on the nodes", "error", err)
		}
	}
}

// report stores what is known now.
func (w *watch) report(ctx context.Context, lag bool) error {
	now := time.Now()
	var endpoints []store.Endpoint
	for _, h := range w.client.Health() {
		healthy := h.RestUntil.IsZero() && !h.Behind && !h.WrongChain && !h.Contradicts
		if h.LeavesOut {
			// It holds on, whatever failed since.
			h.LastError = jsonrpc.ClassLeavesOut
		}
		endpoints = append(endpoints, store.Endpoint{
			URL: h.URL, Healthy: healthy, Head: h.Head, LastError: h.LastError,
			WrongChain: h.WrongChain, Contradicts: h.Contradicts, LeavesOut: h.LeavesOut,
			LatencyMS: uint64(h.Latency.Milliseconds()), SeenAt: uint64(now.Unix()),
		})
		if h.WrongChain && !w.failed[h.URL] {
			w.log.Error("endpoint serves another chain and is left out", "endpoint", h.URL, "error", h.LastFailure)
		} else if !healthy && !w.failed[h.URL] {
			w.log.Warn("endpoint rests", "endpoint", h.URL, "class", h.LastError, "error", h.LastFailure)
		} else if healthy && w.failed[h.URL] {
			w.log.Info("endpoint is well again", "endpoint", h.URL)
		}
		w.failed[h.URL] = !healthy
	}
	if err := w.store.Settings().SetEndpoints(ctx, endpoints); err != nil || !lag {
		return err
	}
	snapshot := w.store.Snapshot()
	c, err := snapshot.Chain(ctx)
	if err = errors.Join(err, snapshot.Close()); err != nil || c.Head == nil {
		return err
	}
	w.log.Info("following", "block", c.Head.Number, "lag", now.Sub(time.Unix(int64(c.Head.Time), 0)).Round(time.Second).String())
	return nil
}
