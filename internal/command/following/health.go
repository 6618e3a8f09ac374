package following

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/evm"
	"mintburn/internal/retrying"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
)

// health stores the health of a follower's nodes in the database and logs its changes.
type health struct {
	store  *write.DB
	client *jsonrpc.Client
	log    *slog.Logger
	now    func() time.Time
	// panicked is called after a panic.
	panicked func()
	failed   map[string]bool
}

// The first report comes after firstReport, later ones every reportEvery.
const (
	firstReport = time.Second
	reportEvery = 10 * time.Second
)

// run reports until ctx ends, and then once more. A report that cannot be stored is
// skipped.
func (h *health) run(ctx context.Context) {
	h.failed = map[string]bool{}
	ticker := time.NewTicker(firstReport)
	defer ticker.Stop()
	for ended := false; !ended; {
		select {
		case <-ctx.Done():
			ended = true
		case <-ticker.C:
			ticker.Reset(reportEvery)
		}
		err := retrying.Safely(h.log, h.panicked, func() error {
			return h.report(context.WithoutCancel(ctx))
		})
		if panicked := new(retrying.PanicError); err != nil && !errors.As(err, &panicked) {
			h.log.Warn("storing the health of nodes", "error", err)
		}
	}
}

// report stores the health of each node.
func (h *health) report(ctx context.Context) error {
	now := h.now()
	var endpoints []read.Endpoint
	for _, n := range h.client.Health() {
		healthy := !n.Down && !n.Behind && !n.WrongChain && !n.Contradicts
		// Later failures must not hide these.
		if n.LeavesOut {
			n.LastError = rpcerror.ClassLeavesOut
		} else if n.FirstBlock > 0 {
			n.LastError = evm.ReasonPruned
		}
		endpoints = append(endpoints, read.Endpoint{
			URL: n.URL, Healthy: healthy, Head: n.Head, FirstBlock: n.FirstBlock, LastError: n.LastError,
			WrongChain: n.WrongChain, Contradicts: n.Contradicts, LeavesOut: n.LeavesOut,
			LatencyMS: uint64(n.Latency.Milliseconds()), SeenAt: uint64(now.Unix()),
		})
		if n.WrongChain && !h.failed[n.URL] {
			h.log.Error("endpoint serves another chain and is not used", "endpoint", n.URL, "error", n.LastFailure)
		} else if !healthy && !h.failed[n.URL] {
			h.log.Warn("endpoint is unhealthy", "endpoint", n.URL, "class", n.LastError, "error", n.LastFailure)
		} else if healthy && h.failed[n.URL] {
			h.log.Info("endpoint recovered", "endpoint", n.URL)
		}
		h.failed[n.URL] = !healthy
	}
	return h.store.Settings().SetEndpoints(ctx, endpoints)
}
