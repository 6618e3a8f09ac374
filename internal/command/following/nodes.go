package following

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/command/console"
	"mintburn/internal/command/flags"
	"mintburn/internal/command/opening"
	"mintburn/internal/command/process"
	"mintburn/internal/evm"
	"mintburn/internal/retrying"
	"mintburn/internal/store/proof"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
)

// Nodes holds the flag of commands that read a chain from nodes.
type Nodes struct {
	RPC []string `name:"rpc" help:"JSON-RPC endpoint of a node, http(s) or ws(s); several are tried in turn (repeatable)." placeholder:"URL" sep:"," chain:""`
}

// Check fails for URLs that no client can use.
func (n *Nodes) Check() error { return CheckURLs("--rpc", n.RPC) }

// CheckURLs fails for a value of a flag that no client can use.
func CheckURLs(flag string, urls []string) error {
	for _, raw := range urls {
		client, err := jsonrpc.Dial([]string{raw}, jsonrpc.Options{})
		if err != nil && strings.Contains(raw, "://") {
			err = fmt.Errorf("%q: %w", console.WithoutSecrets("rpc", raw), err)
		}
		if err != nil {
			return flags.Error(flag, err)
		}
		client.Close()
	}
	return nil
}

// Require is check that also fails without a URL.
func (n *Nodes) Require() error {
	if len(n.RPC) == 0 {
		return errors.New("missing --rpc: want the URL of a node")
	}
	return n.Check()
}

// unreachable reports whether err means that the database or all nodes cannot be reached.
func unreachable(err error) bool { return read.IsLost(err) || errors.Is(err, rpcerror.ErrTemporary) }

// pauseForNodes is [opening.Pause] that is also short while no node answers, because the client itself
// waits for them.
func pauseForNodes(failures int, err error) time.Duration {
	if unreachable(err) {
		return retrying.ShortPause(failures, rand.Float64())
	}
	return opening.Pause(failures, err)
}

// Dial returns a client for the chain of s. It stores the chain's id with settings in a database
// that has none yet, and fails if every node that answers serves another chain. If
// patient, it waits for the database and for a node that answers. Once it has waited,
// it also waits for a node of the right chain.
func (n *Nodes) Dial(ctx context.Context, e *process.Env, s *write.DB, settings write.Settings, o jsonrpc.Options, patient bool) (*jsonrpc.Client, error) {
	lost := func(err error) bool { return patient && read.IsLost(err) }
	err := opening.Retry(ctx, e.Log, "reading the chain id", lost, func() (err error) {
		if o.ChainID, err = settings.ChainID(ctx); err == nil {
			o.Proved, err = proof.Of(s).Any(ctx)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	o.OnNumbering = func(ctx context.Context, shown evm.Numbering, block evm.BlockRef) error {
		if shown == evm.NumberingTransaction {
			e.Log.Warn("log indices are not places in the block: blocks with matching logs are read in full, and logIndex is the place", "block", block.Number)
		}
		_, err := s.Settings().BindNumbering(ctx, shown)
		return err
	}
	o.OnZeroBloom = func(ctx context.Context) error {
		cleared, err := proof.Of(s).DropBlooms(ctx)
		if cleared {
			e.Log.Warn("the chain keeps no bloom filters, so an earlier version may have verified blocks wrongly: no block counts as verified until it is proved again (--audit=full, verify --repair)")
		}
		return err
	}
	o.OnUnprovable = func(ctx context.Context, r evm.Range, reason string) error {
		noted, err := proof.Of(s).SetUnprovable(ctx, r, reason, o.AcceptUnprovable)
		if err == nil && !noted {
			e.Log.Warn("two endpoints agree on headers that prove nothing, although other blocks of the chain are proved", "from", r.From, "to", r.To, "reason", reason)
		}
		return err
	}
	if !o.Proved {
		// Later, blocks are verified by this version.
		if err := opening.Retry(ctx, e.Log, "storing settings", lost, func() error { _, err := proof.Of(s).DropBlooms(ctx); return err }); err != nil {
			return nil, err
		}
	}
	waited := false
	o.OnWait = func(err error) {
		// Later, each failure is logged.
		if !waited {
			e.Log.Warn("the node does not answer: waiting for it", "error", err)
		}
	}
	client, err := jsonrpc.Dial(n.RPC, o)
	if err != nil {
		return nil, err
	}
	var id uint64
	err = opening.RetryAfter(ctx, e.Log, "the node does not answer", pauseForNodes, func(err error) bool {
		defer func() { waited = true }()
		return patient && (waited || !errors.Is(err, rpcerror.ErrWrongChain))
	}, func() (err error) {
		id, err = client.ChainID(ctx)
		return err
	})
	if errors.Is(err, rpcerror.ErrWrongChain) && o.ChainID != nil {
		err = fmt.Errorf("%w: use another database", err)
	} else if err != nil && !errors.Is(err, rpcerror.ErrWrongChain) && ctx.Err() == nil {
		err = fmt.Errorf("%w; run the same command again, or with another --rpc", err)
	}
	if err == nil {
		err = opening.Retry(ctx, e.Log, "storing the chain id", lost, func() error { return settings.BindChain(ctx, id) })
	}
	if err != nil {
		client.Close()
		return nil, err
	}
	return client, nil
}

// maxStall is the time after which a command with --once exits if no node returns anything
// that is needed.
const maxStall = 2 * time.Minute
