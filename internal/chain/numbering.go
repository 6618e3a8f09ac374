package chain

import (
	"context"
	"slices"
	"sync"

	"mintburn/internal/evm"
)

// numbering is how the chain numbers its logs, for all endpoints of a client.
type numbering struct {
	store func(context.Context, evm.Numbering, evm.BlockRef) (evm.Numbering, error)
	// mu guards decided.
	mu      sync.Mutex
	decided evm.Numbering
}

func (n *numbering) get() evm.Numbering {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.decided
}

// show takes what all logs of a block show: the first block to show something
// decides. It returns what is decided by then.
func (n *numbering) show(ctx context.Context, shown evm.Numbering, block evm.BlockRef) (evm.Numbering, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.decided != evm.NumberingUnknown || shown == evm.NumberingUnknown {
		return n.decided, nil
	}
	if n.store != nil {
		var err error
		if shown, err = n.store(ctx, shown, block); err != nil {
			return n.decided, err
		}
	}
	n.decided = shown
	return shown, nil
}

// number gives all logs of a block, in chain order, their indices, and notes what
// they show. It fails where they contradict what was decided, and where the
// header is provable and indices are missing.
func (e *endpoint) number(ctx context.Context, h *liveHeader, logs []evm.Log) error {
	if !inOrder(logs) && !inOrderEach(logs) {
		provable, err := e.provable(ctx, h)
		if err != nil {
			return err
		}
		if provable {
			return inconsistent("%s: the log indices of block %d are neither 0, 1, … through the block nor in each transaction", e.name, h.Number)
		}
	}
	shown := evm.NumberLogs(logs)
	decided, err := e.c.numbering.show(ctx, shown, h.BlockRef)
	if err != nil {
		return err
	}
	if shown == evm.NumberingTransaction && decided == evm.NumberingBlock {
		return inconsistent("%s: the log indices of block %d do not grow through the block, which they do on this chain", e.name, h.Number)
	}
	return nil
}

// provable reports whether the header's hash is that of its fields. It fails where
// it should be, see [Client.unprovable].
func (e *endpoint) provable(ctx context.Context, h *liveHeader) (bool, error) {
	if h.receiptsRoot != nil || h.raw == nil {
		return h.receiptsRoot != nil, nil
	}
	_, cause := e.provenHeader(h)
	if cause == nil {
		return true, nil
	}
	_, err := e.c.unprovable(ctx, e, cause, h, h)
	return false, err
}

// inOrder reports whether the indices of logs are 0, 1, ….
func inOrder(logs []evm.Log) bool {
	for i := range logs {
		if logs[i].Index != uint32(i) {
			return false
		}
	}
	return true
}

// inOrderEach reports whether the indices of logs are 0, 1, … in each
// transaction.
func inOrderEach(logs []evm.Log) bool {
	first := 0
	for i := range logs {
		if logs[i].TxHash != logs[first].TxHash {
			first = i
		}
		if logs[i].Index != uint32(i-first) {
			return false
		}
	}
	return true
}

// tells reports whether some logs of a block, in chain order, tell their indices
// by themselves: those of the first transaction do in either numbering.
func tells(logs []evm.Log, by evm.Numbering) bool {
	for i := range logs {
		first := logs[i].TxIndex == evm.TxIndex{Known: true}
		if by == evm.NumberingTransaction || by == evm.NumberingUnknown && !first || i > 0 && logs[i].Index <= logs[i-1].Index {
			return false
		}
	}
	return true
}

// unnumbered returns copies of logs without their indices.
func unnumbered(logs []evm.Log) []evm.Log {
	logs = slices.Clone(logs)
	for i := range logs {
		logs[i].Index = 0
	}
	return logs
}

// readFully takes blocks of the answer to a range, and replaces the logs whose
// indices a filter can't tell by the wanted ones of all logs of their block. Once a block has shown
// how the chain numbers its logs, the others may tell them after all.
func (c *Client) readFully(ctx context.Context, e *endpoint, from, to uint64, blocks []evm.Block) error {
	for i := range blocks {
		b := &blocks[i]
		if tells(b.Logs, c.numbering.get()) {
			continue
		}
		asked := blockByNumber(b.Header.Number)
		if err := e.ask(ctx, asked); err != nil {
			return err
		}
		h, err := e.numbered(asked)
		if err != nil {
			return err
		}
		if h.BlockRef != b.Header.BlockRef {
			return inconsistent("%s: logs of block %d %s beside block %s", e.name, b.Header.Number, b.Header.Hash, h.Hash)
		}
		all, err := e.wholeBlock(ctx, h)
		if err != nil {
			return err
		}
		some, want := b.Logs, c.wanted.pick(all)
		b.Header, b.Logs = h.Header, want
		if c.numbering.get() != evm.NumberingBlock {
			some, want = unnumbered(some), unnumbered(want)
		}
		if err := sameLogs(e, evm.Range{From: from, To: to}, h.Number, some, want); err != nil {
			return err
		}
	}
	return nil
}
