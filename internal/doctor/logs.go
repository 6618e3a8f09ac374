package doctor

import (
	"context"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common/hexutil"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// filters returns the filters of a follower by name, for the last final blocks.
func (n *node) filters() (names []string, filters []map[string]any) {
	f := wire.NewLogFilter(n.o.Contracts, n.o.Unindexed)
	add := func(name string, addresses []evm.Address, topics ...any) {
		filter := map[string]any{"fromBlock": hexutil.EncodeUint64(n.final.Number - min(n.final.Number, span-1)), "toBlock": hexutil.EncodeUint64(n.final.Number), "topics": topics}
		if len(addresses) > 0 {
			filter["address"] = addresses
		}
		names, filters = append(names, name), append(filters, filter)
	}
	add("ERC-721 transfers", f.Contracts, evm.TopicTransfer.Hash(), nil, nil, nil)
	add("the other events", f.Contracts, f.Events)
	if len(f.Unindexed) > 0 {
		add("transfers without indexed arguments", f.Unindexed, evm.TopicTransfer.Hash())
	}
	names, filters = append(names, "a block by its hash"), append(filters, map[string]any{"blockHash": n.final.Hash})
	return names, filters
}

// checkLogs tries each filter of eth_getLogs.
func (n *node) checkLogs(ctx context.Context) {
	names, filters := n.filters()
	refused := 0
	for i, filter := range filters {
		if _, err := n.probe(ctx, "eth_getLogs", filter); err != nil {
			n.fault("blocks are read from receipts, with a call for each block: use another node for the history", "eth_getLogs of %s: %v", names[i], err)
			refused++
		}
	}
	if refused == 0 {
		n.ok("it answers the %d filters of eth_getLogs", len(filters))
	}
}

// checkReceipts reads the receipts of a block.
func (n *node) checkReceipts(ctx context.Context) {
	result, err := n.probe(ctx, "eth_getBlockReceipts", n.final.Hash)
	if err == nil && wire.IsNull(result) {
		err = errors.New("null")
	}
	if err != nil {
		n.ok("it refuses eth_getBlockReceipts, so that receipts are read one by one, which is slower: %v", err)
		return
	}
	n.ok("it answers eth_getBlockReceipts")
}

// follow calls read with a client as a follower's, which knows the head. evidence is what the client
// found wrong with lists of logs, or nil.
func (n *node) follow(ctx context.Context, read func(context.Context, *jsonrpc.Client) error) (evidence, err error) {
	err = within(ctx, long*n.o.Limit, func(ctx context.Context) error {
		client, err := jsonrpc.Dial([]string{n.url}, jsonrpc.Options{
			Contracts: n.o.Contracts, Unindexed: n.o.Unindexed, ChainID: &n.chainID, Timeout: n.o.Limit, Attempts: 1,
			// Of several nodes, agreement compares the headers.
			AcceptUnprovable: n.o.AcceptUnprovable || len(n.o.URLs) > 1,
			OnLeftOut:        func(_ context.Context, _ string, found error) error { evidence = found; return nil },
		})
		if err != nil {
			return err
		}
		defer client.Close()
		if _, err := client.Head(ctx); err != nil {
			return err
		}
		return read(ctx, client)
	})
	return evidence, err
}

// checkProof compares the lists of logs of the last final blocks with their receipts, and proves
// the last one.
func (n *node) checkProof(ctx context.Context) {
	from, last := n.final.Number-min(n.final.Number, span-1), n.final.Number
	evidence, err := n.follow(ctx, func(ctx context.Context, client *jsonrpc.Client) error {
		if _, _, err := client.Sparse(ctx, from, last); err != nil {
			return err
		}
		_, err := client.Proven(ctx, last)
		return err
	})
	switch {
	case evidence != nil:
		n.fault("use another node: the ranges of this one are read from receipts", "its logs of the blocks %d to %d are wrong: %v", from, last, n.named(evidence))
	case errors.Is(err, rpcerror.ErrNotProvable):
		n.ok("block %d agrees with its logs, and cannot be proved: %v", last, n.named(err))
	case errors.Is(err, rpcerror.ErrMismatch):
		n.fault("use another node or, if the chain differs from Ethereum, give a second --rpc that agrees, or --unprovable", "%v", n.named(err))
	case err != nil:
		n.fault("use another node for recent blocks", "reading the blocks %d to %d: %v", from, last, n.named(err))
	default:
		n.ok("block %d is proved, and the lists of logs are complete", last)
	}
}

// checkHistory reads the first block that a follower needs.
func (n *node) checkHistory(ctx context.Context) {
	if n.o.Next > n.final.Number {
		return
	}
	// It reads receipts, not lists of logs.
	_, err := n.follow(ctx, func(ctx context.Context, client *jsonrpc.Client) error {
		_, _, err := client.Full(ctx, n.o.Next, min(n.o.Next+span-1, n.final.Number))
		return err
	})
	if first, pruned := rpcerror.FirstBlock(err); pruned {
		n.fault(fmt.Sprintf("add the --rpc of a node with history, or begin with --from-block %d", first), "it has pruned the blocks below %d, and block %d is next", first, n.o.Next)
	} else if err != nil {
		n.fault("add the --rpc of a node with history, or a higher --from-block", "reading block %d, which is next: %v", n.o.Next, n.named(err))
	} else {
		n.ok("it has block %d, which is next", n.o.Next)
	}
}
