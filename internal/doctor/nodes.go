package doctor

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/evm"
)

// Options say what nodes are for.
type Options struct {
	// URLs are the nodes, in order of preference.
	URLs []string
	// ChainID is the chain of the database, nil if it has none yet.
	ChainID *uint64
	// Final is the last final block of the database, nil if it has none yet.
	Final *evm.BlockRef
	// Contracts are the only collections to index, none means all. Unindexed are those of
	// --unindexed.
	Contracts, Unindexed []evm.Address
	// Next is the first block that a follower would read.
	Next uint64
	// MaxAge is the age from which the head of a node is a fault.
	MaxAge time.Duration
	// AcceptUnprovable is set if headers that prove nothing are accepted.
	AcceptUnprovable bool
	// Limit bounds a check of one call, normally [Limit].
	Limit time.Duration
	// Now is the clock.
	Now func() time.Time
}

// Nodes checks each node by itself, all at once, and then whether they agree. It returns an
// error if a URL is invalid.
func Nodes(ctx context.Context, o Options) ([]Finding, error) {
	nodes := make([]*node, len(o.URLs))
	for i, url := range o.URLs {
		client, err := jsonrpc.Dial([]string{url}, jsonrpc.Options{Timeout: o.Limit, Attempts: 1})
		if err != nil {
			return nil, err
		}
		defer client.Close()
		nodes[i] = &node{o: &o, url: url, client: client, name: "node " + client.Health()[0].URL}
	}
	var all sync.WaitGroup
	for _, n := range nodes {
		all.Go(func() { n.check(ctx) })
	}
	all.Wait()
	var found []Finding
	for _, n := range nodes {
		found = append(found, n.found...)
	}
	nodes = slices.DeleteFunc(nodes, func(n *node) bool { return n.head.Hash == evm.Hash{} })
	if len(nodes) > 1 {
		found = append(found, agreement(ctx, nodes)...)
	}
	return append(found, clock(&o, nodes)...), nil
}

// agreement compares the nodes with the first one.
func agreement(ctx context.Context, nodes []*node) (found []Finding) {
	highest, lowest := nodes[0], nodes[0]
	for _, n := range nodes {
		if n.head.Number > highest.head.Number {
			highest = n
		}
		if n.final.Number < lowest.final.Number {
			lowest = n
		}
	}
	fault := func(cure, format string, args ...any) {
		found = append(found, Finding{Subject: "nodes", Text: fmt.Sprintf(format, args...), Cure: cure})
	}
	for _, n := range nodes {
		if n.head.Number+jsonrpc.MaxBehind < highest.head.Number {
			fault("wait until it has caught up, or replace it: it is called only if no other node answers",
				"%s is at block %d, %s at block %d", n.name, n.head.Number, highest.name, highest.head.Number)
		}
		if n.chainID != nodes[0].chainID {
			fault("give --rpc of one chain only", "%s serves chain %d, %s serves chain %d", n.name, n.chainID, nodes[0].name, nodes[0].chainID)
			continue
		}
		if n == lowest || n.chainID != lowest.chainID {
			continue
		}
		theirs, err := n.block(ctx, lowest.final.Number)
		if err != nil {
			fault("check the node", "%s: block %d, which is final for %s: %v", n.name, lowest.final.Number, lowest.name, err)
		} else if theirs.Hash != lowest.final.Hash {
			fault("find out which one is on the right branch, and remove the other",
				"%s has %s as block %d, which is final for %s as %s", n.name, theirs.Hash, theirs.Number, lowest.name, lowest.final.Hash)
		}
	}
	if len(found) == 0 {
		found = append(found, Finding{Subject: "nodes", Text: fmt.Sprintf("%d agree on chain %d and on the final block %d", len(nodes), lowest.chainID, lowest.final.Number)})
	}
	return found
}

// maxAhead is how far the time of a block may be ahead of this machine's.
const maxAhead = 15 * time.Second

// clock compares this machine's clock with the newest block.
func clock(o *Options, nodes []*node) []Finding {
	if len(nodes) == 0 {
		return nil
	}
	newest := uint64(0)
	for _, n := range nodes {
		newest = max(newest, n.head.Time)
	}
	ahead := time.Unix(int64(newest), 0).Sub(o.Now()).Round(time.Second)
	f := Finding{Subject: "clock", Text: fmt.Sprintf("the newest block is %s old", -ahead)}
	if ahead > maxAhead {
		f.Text, f.Cure = fmt.Sprintf("the newest block is %s ahead of this machine", ahead), "set the clock of this machine, for example by NTP"
	}
	return []Finding{f}
}
