package chain

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"mintburn/internal/evm"
)

// fieldLogBlockTime is a field of a log that some nodes give; recorded logs
// have a header beside them, and it is not read there.
const fieldLogBlockTime = fieldLogBlockNumber + 1

func liveLogField(name []byte) int {
	if string(name) == "blockTimestamp" {
		return fieldLogBlockTime
	}
	return logField(name)
}

// liveLog is a log of a range.
type liveLog struct {
	evm.Log
	claim blockClaim
}

// parseLogs reads the answer to eth_getLogs. Each log must name its block and
// its place in it, and must not be removed: else the answer is inconsistent.
func (e *endpoint) parseLogs(answer json.RawMessage) ([]liveLog, error) {
	if len(answer) == 0 || isNull(answer) {
		return nil, inconsistent("%s: null in place of logs", e.name)
	}
	r, l := newReader(), new(logList)
	r.reset(answer)
	var claims []blockClaim
	err := r.array(func(i int) error {
		claim, _, err := l.readAny(&r, liveLogField)
		if err == nil {
			err = complete(&l.logs[len(l.logs)-1], claim)
		}
		if err != nil {
			return fmt.Errorf("log %d: %w", i, err)
		}
		claims = append(claims, claim)
		return nil
	})
	if err == nil {
		err = r.end()
	}
	if err != nil {
		return nil, inconsistent("%s: %w", e.name, err)
	}
	l.slice()
	logs := make([]liveLog, len(l.logs))
	for i := range logs {
		logs[i] = liveLog{l.logs[i], claims[i]}
	}
	return logs, nil
}

// complete checks that a log says all that a log of a mined block does.
func complete(log *evm.Log, claim blockClaim) error {
	switch {
	case log.Removed:
		return fmt.Errorf("removed: true")
	case log.Pending:
		return fmt.Errorf("no logIndex")
	case !claim.hasHash:
		return fmt.Errorf("no blockHash")
	case !claim.hasNumber:
		return fmt.Errorf("no blockNumber")
	}
	return nil
}

// liveBlock is a block of which the logs of a range tell.
type liveBlock struct {
	ref     evm.BlockRef
	time    uint64
	hasTime bool
	logs    []evm.Log
}

// group sorts logs, drops those that are given twice, and gathers them by
// block. It fails where two logs contradict each other: on a chain whose log
// indices grow through each block, two logs with one index do.
func group(logs []liveLog, by evm.Numbering) ([]*liveBlock, error) {
	slices.SortStableFunc(logs, func(a, b liveLog) int {
		return cmp.Or(cmp.Compare(a.claim.number, b.claim.number), cmp.Compare(a.TxIndex.N, b.TxIndex.N), cmp.Compare(a.Index, b.Index))
	})
	var blocks []*liveBlock
	var block *liveBlock
	for i := range logs {
		log, claim := &logs[i], &logs[i].claim
		if block == nil || block.ref.Number != claim.number {
			block = &liveBlock{ref: evm.BlockRef{Number: claim.number, Hash: claim.hash}}
			blocks = append(blocks, block)
		}
		if claim.hash != block.ref.Hash {
			return nil, fmt.Errorf("block %d has the hashes %s and %s", claim.number, block.ref.Hash, claim.hash)
		}
		if claim.hasTime {
			if block.hasTime && block.time != claim.time {
				return nil, fmt.Errorf("block %d has the times %d and %d", claim.number, block.time, claim.time)
			}
			block.time, block.hasTime = claim.time, true
		}
		if n := len(block.logs); n > 0 && block.logs[n-1].Index >= log.Index {
			if equalLogs(&block.logs[n-1], &log.Log) {
				continue
			}
			if by == evm.NumberingBlock {
				return nil, fmt.Errorf("block %d has the log index %d after the index %d", claim.number, log.Index, block.logs[n-1].Index)
			}
		}
		block.logs = append(block.logs, log.Log)
	}
	return blocks, nil
}

func equalLogs(a, b *evm.Log) bool {
	return a.Address == b.Address && a.TxHash == b.TxHash && a.Index == b.Index &&
		slices.Equal(a.Topics, b.Topics) && slices.Equal(a.Data, b.Data)
}

// equalLogLists reports whether two lists hold the same logs in the same order.
func equalLogLists(a, b []evm.Log) bool {
	return slices.EqualFunc(a, b, func(a, b evm.Log) bool { return equalLogs(&a, &b) })
}
