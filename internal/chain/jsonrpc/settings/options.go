package settings

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"mintburn/internal/evm"
	"mintburn/internal/retrying"
)

// DefaultDepth is the default of [Options.Depth].
const DefaultDepth = 64

// The reasons why a header is not provable.
const (
	// ReasonFields says that the header has fields that Ethereum headers lack.
	ReasonFields = "the header has fields that Ethereum headers lack"
	// ReasonHash says that the hash is not computed as on Ethereum.
	ReasonHash = "the hash of the header is not that of its fields"
)

// Options are the settings of a [jsonrpc.Client]. A zero field means its default. A call
// fails if a callback that it triggers fails.
type Options struct {
	// Contracts are the collections whose logs are requested; none means all.
	Contracts []evm.Address
	// Unindexed are the contracts whose Transfer events have no indexed arguments
	// (CryptoKitties); their logs are requested too.
	Unindexed []evm.Address
	// Transactions, if not nil, returns the transactions of a block whose details are read
	// with it, given the selected logs.
	Transactions func(evm.Header, []evm.Log) (map[evm.Hash]bool, error)
	// ChainID is the id of the chain that the endpoints must serve; nil means the id
	// that the first endpoint returns.
	ChainID *uint64
	// Final, if not nil, returns the last stored final block up to a height, and
	// false if none is stored. An endpoint with a different block at that height is
	// not used.
	Final func(ctx context.Context, upTo uint64) (evm.BlockRef, bool, error)
	// Timeout is the time for one request, 30 seconds by default.
	Timeout time.Duration
	// MaxBody is the largest uncompressed answer in bytes, 32 MiB by default; after a
	// larger one the client requests less. Parsing logs takes up to four times the size
	// of their answer in memory; of large answers only a few are read at once.
	MaxBody int64
	// BatchSize is the most calls in one batch, 100 by default.
	BatchSize int
	// Step is the number of blocks in the first range, 1,000 by default; MaxStep is
	// the most in any range, 100,000 by default.
	Step, MaxStep uint64
	// TargetLogs is the number of logs that the answer to a range should contain,
	// 10,000 by default: ranges grow until they reach it.
	TargetLogs int
	// Depth is the distance from the head at which a block counts as final if the
	// node does not report a finalized block, [DefaultDepth] by default.
	Depth uint64
	// Samples is the number of blocks in each range, chosen at random, that are
	// compared with all their logs: 1 by default, -1 for none. In a range without
	// logs the bloom filters of 16 times as many blocks are tested.
	Samples int
	// LeavesOut are the endpoints, by [jsonrpc.EndpointHealth.URL], that are known to leave
	// logs out of ranges: they are read from receipts.
	LeavesOut []string
	// OnLeftOut, if not nil, stores that an endpoint left logs out of a range. It is
	// called with the evidence the first time, and again if it failed.
	OnLeftOut func(ctx context.Context, url string, evidence error) error
	// OnNumbering, if not nil, is called with the numbering of logs that the first block of
	// an endpoint shows, and when a later block shows that indices restart.
	OnNumbering func(ctx context.Context, shown evm.Numbering, block evm.BlockRef) error
	// OnZeroBloom, if not nil, is called once if a proved block has logs, but an all-zero
	// bloom filter: the chain keeps none.
	OnZeroBloom func(ctx context.Context) error
	// AcceptUnprovable accepts headers whose hash is not the hash of their fields. Without
	// it, such a header is accepted only if two endpoints return it.
	AcceptUnprovable bool
	// Proved says that a block of the chain was proved before.
	Proved bool
	// OnUnprovable, if not nil, stores a range of blocks that is accepted without a
	// proof, because of AcceptUnprovable or because two endpoints agree, and the reason.
	OnUnprovable func(ctx context.Context, r evm.Range, reason string) error
	// OnWait, if not nil, is called with the first failure when ChainID waits because no endpoint
	// answers.
	OnWait func(error)
	// Attempts is how many times all endpoints are tried before a temporary failure
	// is returned, 6 by default.
	Attempts int
	// MinRest and MaxRest bound the pause after a failure, 250 ms and 30 s by
	// default. The pause doubles with each failure in a row, and half of it is random.
	MinRest, MaxRest time.Duration
	// Clock replaces the clock, except for request timeouts.
	retrying.Clock
	// Transport sends HTTP requests; the default reuses connections.
	Transport http.RoundTripper
}

// WithDefaults returns a copy without zero fields that have a default.
func (o Options) WithDefaults() *Options {
	o.Timeout = cmp.Or(o.Timeout, 30*time.Second)
	o.MaxBody = cmp.Or(o.MaxBody, 32<<20)
	o.BatchSize = cmp.Or(o.BatchSize, 100)
	o.MaxStep = cmp.Or(o.MaxStep, 100_000)
	o.Step = cmp.Or(o.Step, min(1000, o.MaxStep))
	o.TargetLogs = cmp.Or(o.TargetLogs, 10_000)
	o.Depth = cmp.Or(o.Depth, DefaultDepth)
	o.Samples = cmp.Or(o.Samples, 1)
	o.Attempts = cmp.Or(o.Attempts, 6)
	o.MinRest = cmp.Or(o.MinRest, 250*time.Millisecond)
	o.MaxRest = cmp.Or(o.MaxRest, 30*time.Second)
	o.Clock = o.Clock.WithDefaults()
	if o.Transport == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.MaxIdleConnsPerHost = 32
		o.Transport = t
	}
	return &o
}
