package node

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// foundLog is a log of a range, with the block fields that the node returned for it.
type foundLog struct {
	evm.Log
	claim wire.Claim
	// answer is the place of the answer among those that are grouped.
	answer int
}

// parseLogs parses the result of eth_getLogs; null is no logs. It fails with
// [rpcerror.ErrInconsistent] unless each log names its block, has a log index, and is not removed.
func (n *blockReader) parseLogs(result []byte) ([]foundLog, error) {
	if wire.IsNull(result) {
		return nil, nil
	}
	r, l := wire.NewReader(), new(wire.Logs)
	r.Reset(result)
	var claims []wire.Claim
	err := r.Array("log", func(int) error {
		claim, err := l.ReadLog(r)
		claims = append(claims, claim)
		if err == nil {
			err = complete(l.Last(), claim)
		}
		return err
	})
	if err == nil {
		err = r.End()
	}
	if err != nil {
		return nil, rpcerror.Inconsistent("%s: %w", n.Name, err)
	}
	logs := make([]foundLog, len(claims))
	for i, log := range l.All() {
		logs[i] = foundLog{log, claims[i], 0}
	}
	return logs, nil
}

// complete checks that a log is mined: not removed, with log index, block hash and
// block number.
func complete(log *evm.Log, claim wire.Claim) error {
	switch {
	case log.Removed:
		return errors.New("removed: true")
	case log.Pending:
		return errors.New("no logIndex")
	case !claim.HasHash:
		return errors.New("no blockHash")
	case !claim.HasNumber:
		return errors.New("no blockNumber")
	}
	return nil
}

// foundBlock is a block with its logs in a range, and the fields known from these.
type foundBlock struct {
	ref     evm.BlockRef
	time    uint64
	hasTime bool
	answer  int // of the first log
	logs    []evm.Log
}

// groupByBlock groups logs by block, sorted by transaction. If merged, they come from several
// answers: it sorts them by index too, and drops repeated ones. It fails if logs of one block
// have different block hashes or times.
func groupByBlock(logs []foundLog, merged bool) ([]*foundBlock, error) {
	slices.SortStableFunc(logs, func(a, b foundLog) int {
		order := cmp.Or(cmp.Compare(a.claim.Number, b.claim.Number), cmp.Compare(a.TxIndex.N, b.TxIndex.N))
		if order == 0 && merged {
			order = cmp.Compare(a.Index, b.Index)
		}
		return order
	})
	var blocks []*foundBlock
	var block *foundBlock
	for i := range logs {
		log, claim := &logs[i], &logs[i].claim
		if block == nil || block.ref.Number != claim.Number {
			block = &foundBlock{ref: evm.BlockRef{Number: claim.Number, Hash: claim.Hash}, answer: log.answer}
			blocks = append(blocks, block)
		}
		if claim.Hash != block.ref.Hash {
			if log.answer != block.answer {
				return nil, rpcerror.Branches("block %d has the hashes %s and %s", claim.Number, block.ref.Hash, claim.Hash)
			}
			return nil, fmt.Errorf("block %d has the hashes %s and %s", claim.Number, block.ref.Hash, claim.Hash)
		}
		if claim.HasTime {
			if block.hasTime && block.time != claim.Time {
				return nil, fmt.Errorf("block %d has the times %d and %d", claim.Number, block.time, claim.Time)
			}
			block.time, block.hasTime = claim.Time, true
		}
		if n := len(block.logs); merged && n > 0 && wire.EqualLogs(block.logs[n-1], log.Log) {
			continue
		}
		block.logs = append(block.logs, log.Log)
	}
	return blocks, nil
}

// checkHeader checks the block fields of logs against the header.
func (n *blockReader) checkHeader(b *foundBlock, h *evm.Header) error {
	if h.BlockRef != b.ref {
		return rpcerror.Branches("%s: logs name block %d %s, the header is of block %d %s", n.Name, b.ref.Number, b.ref.Hash, h.Number, h.Hash)
	}
	if b.hasTime && b.time != h.Time {
		return rpcerror.Inconsistent("%s: logs of block %d have the time %d, its header has %d", n.Name, h.Number, b.time, h.Time)
	}
	return nil
}
