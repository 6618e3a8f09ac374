package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// node is a node, and what was found out about it.
type node struct {
	o       *Options
	url     string
	name    string
	client  *jsonrpc.Client
	found   []Finding
	chainID uint64
	// head is the newest block and final the last final one; their hashes are zero while unknown.
	head, final evm.Header
}

// span is the number of final blocks whose logs are read.
const span = 16

// batch is the number of calls in the batch that is tried.
const batch = 10

func (n *node) ok(format string, args ...any) {
	n.found = append(n.found, Finding{Subject: n.name, Text: fmt.Sprintf(format, args...)})
}

func (n *node) fault(cure, format string, args ...any) {
	n.found = append(n.found, Finding{Subject: n.name, Text: fmt.Sprintf(format, args...), Cure: cure})
}

// check checks the node. It ends at once if the node does not answer, or cannot be used.
func (n *node) check(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, whole*n.o.Limit)
	defer cancel()
	if !n.checkChain(ctx) || !n.checkHead(ctx) {
		return
	}
	for _, check := range []func(context.Context){n.checkBatch, n.checkLogs, n.checkReceipts, n.checkProof, n.checkHistory, n.checkCall, n.checkSocket} {
		if ctx.Err() != nil {
			n.fault("use a faster node", "the other checks did not begin within %s", whole*n.o.Limit)
			return
		}
		check(ctx)
	}
}

// probe makes one call. Its error has no name of the node, which each finding begins with.
func (n *node) probe(ctx context.Context, method string, args ...any) (result json.RawMessage, err error) {
	err = within(ctx, n.o.Limit, func(ctx context.Context) error {
		results, err := n.client.Probe(ctx, method, args)
		result = results[0]
		return err
	})
	return result, n.named(err)
}

// named returns an error without the name of the node in front.
func (n *node) named(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(strings.ReplaceAll(err.Error(), strings.TrimPrefix(n.name, "node ")+": ", ""))
}

// checkChain reports whether the node serves the chain of the database.
func (n *node) checkChain(ctx context.Context) bool {
	var results []json.RawMessage
	err := within(ctx, n.o.Limit, func(ctx context.Context) (err error) {
		results, err = n.client.Probe(ctx, "eth_chainId", nil)
		return err
	})
	if err == nil {
		n.chainID, err = wire.Quantity(results[0], math.MaxUint64)
	}
	switch class := rpcerror.Class(err); {
	case err == nil && n.o.ChainID != nil && n.chainID != *n.o.ChainID:
		n.fault("give another --rpc, or another --db", "it serves chain %d, the database contains chain %d", n.chainID, *n.o.ChainID)
		return false
	case err == nil:
		n.ok("it serves chain %d", n.chainID)
		return true
	case class == "refused":
		n.fault("check the path and the key in the URL, and what the provider permits", "%v", n.named(err))
	default:
		n.fault("check host and port of the URL, the firewall, and whether the node runs", "%v", n.named(err))
	}
	return false
}

// block reads the header of a block by its number or tag.
func (n *node) block(ctx context.Context, at any) (h evm.Header, err error) {
	if number, ok := at.(uint64); ok {
		at = hexutil.EncodeUint64(number)
	}
	result, err := n.probe(ctx, "eth_getBlockByNumber", at, false)
	var fields struct {
		Hash              evm.Hash
		Number, Timestamp json.RawMessage
	}
	if err == nil && wire.IsNull(result) {
		err = errors.New("null")
	}
	if err == nil {
		err = json.Unmarshal(result, &fields)
	}
	if err == nil {
		h.Hash = fields.Hash
		h.Number, err = wire.Quantity(fields.Number, wire.MaxBlockNumber)
	}
	if err == nil {
		h.Time, err = wire.Quantity(fields.Timestamp, math.MaxInt64)
	}
	return h, err
}

// checkHead reports whether the node has a head and, if the database has a final block, the same
// one.
func (n *node) checkHead(ctx context.Context) bool {
	head, err := n.block(ctx, "latest")
	if err != nil {
		n.fault("check whether the node has synced", "its newest block: %v", err)
		return false
	}
	age := n.o.Now().Sub(time.Unix(int64(head.Time), 0)).Round(time.Second)
	if age > n.o.MaxAge {
		n.fault("check whether the node has synced, and whether the chain makes blocks; a chain with slow blocks needs a higher --max-lag",
			"its newest block %d is %s old, more than %s", head.Number, age, n.o.MaxAge)
	} else {
		n.ok("its newest block %d is %s old", head.Number, max(0, age))
	}
	final, err := n.block(ctx, "finalized")
	if err == nil {
		n.ok("its final block is %d", final.Number)
	} else {
		n.ok("it reports no final block (%v): blocks count as final %d below the head", err, jsonrpc.DefaultDepth)
		if final, err = n.block(ctx, head.Number-min(head.Number, jsonrpc.DefaultDepth)); err != nil {
			n.fault("check the node", "its block %d below the head: %v", jsonrpc.DefaultDepth, err)
			return false
		}
	}
	n.head, n.final = head, final
	ours := n.o.Final
	if ours == nil || ours.Number > final.Number {
		return true
	}
	switch theirs, err := n.block(ctx, ours.Number); {
	case err != nil:
		n.fault("check whether the node has pruned its history", "block %d, the last final one of the database: %v", ours.Number, err)
	case theirs.Hash != ours.Hash:
		n.fault("use another node: this one is on another branch", "block %d has the hash %s, the final one of the database %s", ours.Number, theirs.Hash, ours.Hash)
		n.head.Hash = evm.Hash{}
		return false
	default:
		n.ok("block %d is the last final block of the database", ours.Number)
	}
	return true
}

// checkBatch tries a batch.
func (n *node) checkBatch(ctx context.Context) {
	calls := make([][]any, batch)
	for i := range calls {
		calls[i] = []any{hexutil.EncodeUint64(n.final.Number - min(n.final.Number, uint64(i))), false}
	}
	err := within(ctx, n.o.Limit, func(ctx context.Context) error {
		_, err := n.client.Probe(ctx, "eth_getBlockByNumber", calls...)
		return err
	})
	if err != nil {
		n.ok("it refuses a batch of %d calls, so that fewer are sent together, which is slower: %v", batch, n.named(err))
		return
	}
	n.ok("it answers batches of %d calls", batch)
}

// checkCall calls a contract.
func (n *node) checkCall(ctx context.Context) {
	if _, err := n.probe(ctx, "eth_call", map[string]any{"to": evm.Address{}, "data": "0x"}, "latest"); err != nil {
		n.fault("add a node that answers it, or use --no-metadata: token documents and names of collections need it", "eth_call: %v", err)
		return
	}
	n.ok("it answers eth_call")
}

// checkSocket subscribes to new heads.
func (n *node) checkSocket(ctx context.Context) {
	if !strings.HasPrefix(n.url, "ws") {
		n.ok("it does not announce blocks over HTTP: the head is polled")
		return
	}
	if _, err := n.probe(ctx, "eth_subscribe", "newHeads"); err != nil {
		n.ok("it does not announce blocks, so that the head is polled: %v", err)
		return
	}
	n.ok("it announces new blocks")
}
