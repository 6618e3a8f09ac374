package chain

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"mintburn/internal/evm"
)

// The fields of a log that are read.
const (
	fieldAddress = iota
	fieldTopics
	fieldData
	fieldTxHash
	fieldTxIndex
	fieldLogIndex
	fieldRemoved
	fieldLogBlockHash
	fieldLogBlockNumber
)

func logField(name []byte) int {
	switch string(name) {
	case "address":
		return fieldAddress
	case "topics":
		return fieldTopics
	case "data":
		return fieldData
	case "transactionHash":
		return fieldTxHash
	case "transactionIndex":
		return fieldTxIndex
	case "logIndex":
		return fieldLogIndex
	case "removed":
		return fieldRemoved
	case "blockHash":
		return fieldLogBlockHash
	case "blockNumber":
		return fieldLogBlockNumber
	default:
		return unknown
	}
}

// maxTopics is the most topics that a log can have (LOG4, Yellow Paper, app. H).
const maxTopics = 4

// logList collects the logs of a line. Its slices are used again for the next
// line, and those of the result are made to measure.
type logList struct {
	logs   []evm.Log
	ends   []logEnd
	topics []evm.Hash
	data   []byte
	// receipts are those of a line that has them.
	receipts []recordedReceipt
	claim    blockClaim
}

// logEnd is where a log's topics and data end in a [logList]; they begin where
// those of the log before end.
type logEnd struct{ topics, data int }

// keepScratch bounds, in logs, topics and kilobytes of data, what a logList
// keeps for the next line.
const keepScratch = 16 << 10

func (l *logList) reset() {
	if cap(l.logs) > keepScratch || cap(l.topics) > 4*keepScratch || cap(l.data) > 1024*keepScratch {
		*l = logList{}
	}
	*l = logList{logs: l.logs[:0], ends: l.ends[:0], topics: l.topics[:0], data: l.data[:0], receipts: l.receipts[:0]}
}

// read reads one log object of the line's block.
func (l *logList) read(r *reader) error {
	claim, removed, err := l.readAny(r, logField)
	// A removed log may be of a block that this one replaced.
	if err == nil && !removed {
		err = l.claim.join(claim)
	}
	return err
}

// readAny reads one log object of any block. lookup is logField or liveLogField.
func (l *logList) readAny(r *reader, lookup func(name []byte) int) (claim blockClaim, removed bool, err error) {
	var log evm.Log
	log.Pending = true // until there is an index
	hasTx := false
	seen, err := r.object(lookup, func(field int) (err error) {
		if field == fieldTopics {
			return l.readTopics(r)
		}
		raw, err := r.value()
		if err != nil {
			return err
		}
		switch field {
		case fieldAddress:
			err = within("address", decodeFixed(log.Address[:], raw))
		case fieldData:
			l.data, err = appendData(l.data, raw)
			err = within("data", err)
		case fieldTxHash:
			if hasTx = !isNull(raw); hasTx {
				err = within("transactionHash", decodeFixed(log.TxHash[:], raw))
			}
		case fieldTxIndex:
			if !isNull(raw) {
				var index uint64
				index, err = quantity(raw, math.MaxInt32)
				err = within("transactionIndex", err)
				log.TxIndex = evm.TxIndex{N: uint32(index), Known: true}
			}
		case fieldLogIndex:
			if !isNull(raw) {
				var index uint64
				index, err = quantity(raw, math.MaxUint32)
				err = within("logIndex", err)
				log.Index, log.Pending = uint32(index), false
			}
		case fieldRemoved:
			log.Removed = raw[0] == 't'
			if raw[0] != 't' && raw[0] != 'f' && raw[0] != 'n' {
				err = fmt.Errorf("removed: invalid value %s: want a boolean", excerpt(raw))
			}
		default:
			err = claim.read(field, raw)
		}
		return err
	})
	switch {
	case err != nil:
	case !seen.has(fieldAddress):
		err = errors.New("no address")
	case !seen.has(fieldTopics):
		err = errors.New("no topics")
	case !seen.has(fieldData):
		err = errors.New("no data")
	case !hasTx && !log.Pending:
		err = errors.New("no transactionHash")
	}
	if err != nil {
		return claim, false, err
	}
	l.logs = append(l.logs, log)
	l.ends = append(l.ends, logEnd{len(l.topics), len(l.data)})
	return claim, log.Removed, nil
}

func (l *logList) readTopics(r *reader) error {
	err := r.array(func(i int) error {
		if i == maxTopics {
			return fmt.Errorf("more than %d", maxTopics)
		}
		raw, err := r.value()
		if err != nil {
			return err
		}
		var topic evm.Hash
		if err := decodeFixed(topic[:], raw); err != nil {
			return fmt.Errorf("topic %d: %w", i, err)
		}
		l.topics = append(l.topics, topic)
		return nil
	})
	return within("topics", err)
}

// slice gives the logs their topics and data, made to measure.
func (l *logList) slice() {
	topics, data := append([]evm.Hash{}, l.topics...), append([]byte{}, l.data...)
	var start logEnd
	for i, end := range l.ends {
		l.logs[i].Topics = topics[start.topics:end.topics:end.topics]
		l.logs[i].Data = data[start.data:end.data:end.data]
		start = end
	}
}

// build returns the logs in the order that [evm.Block] promises, and what they
// show. Receipts hold all logs of a block, each transaction's in chain order; a
// list of logs may lack some, so that their indices must grow.
func (l *logList) build(receipts bool) ([]evm.Log, evm.Numbering, error) {
	l.slice()
	logs := append([]evm.Log{}, l.logs...)
	compare := compareIndices
	if receipts && !slices.ContainsFunc(logs, func(log evm.Log) bool { return !log.TxIndex.Known }) {
		compare = compareTransactions
	}
	if !slices.IsSortedFunc(logs, compare) {
		slices.SortStableFunc(logs, compare)
	}
	some := logs
	for len(some) > 0 && !inBlock(&some[len(some)-1]) {
		some = some[:len(some)-1]
	}
	if receipts {
		return logs, evm.NumberLogs(some), nil
	}
	for i := 1; i < len(some); i++ {
		if some[i].Index == some[i-1].Index {
			return nil, "", fmt.Errorf("two logs with index %d: where log indices are not those of the block, want its receipts", some[i].Index)
		}
	}
	return logs, evm.NumberingUnknown, nil
}

// compareIndices puts the logs of a block first, by their indices.
func compareIndices(a, b evm.Log) int {
	return cmp.Or(compareInBlock(&a, &b), cmp.Compare(a.Index, b.Index))
}

// compareTransactions puts the logs of a block first, by their transactions.
func compareTransactions(a, b evm.Log) int {
	return cmp.Or(compareInBlock(&a, &b), cmp.Compare(a.TxIndex.N, b.TxIndex.N))
}

func compareInBlock(a, b *evm.Log) int {
	switch in := inBlock(a); {
	case in == inBlock(b):
		return 0
	case in:
		return -1
	default:
		return 1
	}
}

// inBlock reports whether a log is one of its block's.
func inBlock(log *evm.Log) bool { return !log.Pending && !log.Removed }

// within says in which field an error is.
func within(field string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", field, err)
}
