package following

import (
	"cmp"
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/command/flags"
	"mintburn/internal/command/process"
	"mintburn/internal/evm"
	"mintburn/internal/metadata"
	"mintburn/internal/reload"
	"mintburn/internal/retrying"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
)

// Resolving holds the flags of commands that fetch token documents.
type Resolving struct {
	AllowPrivateMetadata bool     `help:"Also fetch token documents from private and loopback addresses that tokens name; for tests and intranets only."`
	IPFSGateway          []string `name:"ipfs-gateway" help:"Gateway for ipfs: URIs, to which a CID is appended; several are tried in turn (repeatable). Default: public gateways." placeholder:"URL" sep:","`
	GatewayHeaders       string   `help:"File of headers for gateways, a line HOST NAME VALUE each." placeholder:"FILE"`
	ArweaveGateway       []string `help:"Gateway for ar: URIs; several are tried in turn (repeatable). Default: public gateways." placeholder:"URL" sep:","`
	KeepVersions         int      `help:"How many different documents of a token to keep, including the current one; at most 100." default:"5" placeholder:"N" chain:""`
	// Shared is the fetcher of all chains of a server, nil for one of its own.
	Shared  *metadata.Fetcher `kong:"-"`
	Recheck time.Duration     `help:"Refetch documents of this age even without a metadata-update event. Default: never." placeholder:"DURATION" chain:""`
}

// Check checks constraints that the flag types cannot express. It reads no file.
func (r *Resolving) Check() error {
	without := *r
	without.GatewayHeaders = ""
	fetcher, err := without.Fetcher()
	if err == nil {
		fetcher.Close()
	}
	return err
}

// Fetcher returns a fetcher with the options that the flags set.
func (r *Resolving) Fetcher() (*metadata.Fetcher, error) {
	if err := cmp.Or(flags.NotNegative("--recheck", r.Recheck), flags.Within("--keep-versions", cmp.Or(r.KeepVersions, 1), 1, write.MaxKeepVersions)); err != nil {
		return nil, err
	}
	var headers []metadata.GatewayHeader
	if r.GatewayHeaders != "" {
		text, err := reload.Read(r.GatewayHeaders, metadata.MaxHeaders)
		if err != nil {
			return nil, flags.Error("--gateway-headers", err)
		}
		if headers, err = metadata.ParseHeaders(text); err != nil {
			return nil, fmt.Errorf("--gateway-headers: %s: %w", r.GatewayHeaders, err)
		}
	}
	return metadata.NewFetcher(metadata.FetcherOptions{
		AllowPrivate: r.AllowPrivateMetadata, IPFS: r.IPFSGateway, Arweave: r.ArweaveGateway, Headers: headers,
	})
}

// Gateways returns the gateways of both kinds that a page may show.
func (r *Resolving) Gateways() (ipfs, arweave []string, err error) {
	fetcher, err := r.Fetcher()
	if err != nil {
		return nil, nil, err
	}
	defer fetcher.Close()
	ipfs, arweave = fetcher.Gateways()
	return ipfs, arweave, nil
}

// maxCalls bounds the response to a batch of contract calls, in bytes. It is large because
// a URI may contain a whole document.
const maxCalls = 32 << 20

// Resolve fetches the documents of tokens queued in s until ctx ends or, with once, until
// none is due. Unless contracts is empty, it fetches only their documents. It returns how
// many documents it stored and how many fetches failed. It calls add with each number of tokens
// whose document it fetched, or failed to fetch.
func (r *Resolving) Resolve(ctx context.Context, e *process.Env, s *write.DB, nodes Nodes, contracts []evm.Address, once bool, add func(tokens int),
) (documents, failures int64, err error) {
	fetcher := r.Shared
	if fetcher == nil {
		if fetcher, err = r.Fetcher(); err != nil {
			return 0, 0, err
		}
		defer fetcher.Close()
	}
	// A separate client, so that slow contracts do not delay a follower.
	client, err := nodes.Dial(ctx, e, s, s.Settings(), jsonrpc.Options{MaxBody: maxCalls, Final: s.FinalBlock}, !once)
	if err != nil {
		return 0, 0, err
	}
	defer client.Close()
	if r.AllowPrivateMetadata {
		e.Log.Warn("token documents may come from private and loopback addresses: any token can make this program send requests to the machines around it")
	}
	var found, failed atomic.Int64
	worker := &metadata.Worker{
		Queue: write.NewQueue(s, write.QueueOptions{Contracts: contracts, Now: e.Now, Keep: r.KeepVersions}), Caller: client, Fetcher: fetcher, Log: e.Log, Recheck: r.Recheck, Clock: retrying.Clock{Now: e.Now},
		Lost: read.IsLost, Fatal: fatal(e), Panicked: e.Events.Panics.Inc,
		Progress: func(documents, failures int) {
			found.Add(int64(documents))
			failed.Add(int64(failures))
			e.Events.Documents.Add(float64(documents))
			e.Events.Failures.Add(float64(failures))
			add(documents + failures)
		},
	}
	if once {
		worker.MaxStall = maxStall
	}
	err = worker.Run(ctx, once)
	return found.Load(), failed.Load(), err
}
