package following

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/prometheus/client_golang/prometheus"

	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/command/console"
	"mintburn/internal/command/process"
	"mintburn/internal/evm"
	"mintburn/internal/testing/expect"
)

// TestNewHeads_Again checks that newHeads subscribes again when a subscription ends or
// panics, that it logs and counts panics, and that it ends once no node can push.
func TestNewHeads_Again(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		e := &process.Env{Console: console.Console{Log: slog.New(slog.NewTextHandler(&log, nil))}, Events: process.NewEvents()}
		heads, tries := make(chan evm.Header, 10), uint64(0)
		err := newHeads(t.Context(), e, func(_ context.Context, each func(evm.Header)) error {
			switch tries++; tries {
			case 1, 3:
				panic("a bug in the subscription")
			case 5:
				return rpcerror.ErrNoSubscription
			}
			each(evm.Header{BlockRef: evm.BlockRef{Number: tries}})
			return errors.New("the connection ended")
		}, heads)
		expect.NoError(t, err)
		if close(heads); (<-heads).Number != 2 || (<-heads).Number != 4 || len(heads) > 0 {
			t.Error("want the heads 2 and 4")
		}
		registry := prometheus.NewRegistry()
		registry.MustRegister(e.Events.Panics)
		counted, err := registry.Gather()
		expect.NoError(t, err)
		if panics := counted[0].Metric[0].Counter.GetValue(); panics != 2 || strings.Count(log.String(), "heads_test.go") < 2 {
			t.Errorf("%v panics were counted, want 2, each logged with its stack: %s", panics, &log)
		}
	})
}
