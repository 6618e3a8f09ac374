package wire

import (
	"errors"
	"fmt"
	"math"

	"mintburn/internal/evm"
)

// maxTopics is the most topics that a log can have (LOG4, Yellow Paper, app. H).
const maxTopics = 4

// Logs collects the logs of one text. Reset reuses its memory, but not the memory of
// the slices that [Logs.All] returned.
type Logs struct {
	// Receipts are the receipts read so far. [Logs.All] sets their logs.
	Receipts []Receipt
	// Claim contains the block fields of the logs and receipts.
	Claim Claim

	logs   []evm.Log
	ends   []logEnd
	topics []evm.Hash
	data   []byte
}

// logEnd is the end of a log's topics and data in [Logs]. They begin at the end of the
// log before.
type logEnd struct{ topics, data int }

// keepScratch bounds the memory that Reset keeps: so many logs, four times as many topics,
// and so many kilobytes of data.
const keepScratch = 16 << 10

// Reset removes all logs and receipts.
func (l *Logs) Reset() {
	if cap(l.logs) > keepScratch || cap(l.topics) > 4*keepScratch || cap(l.data) > 1024*keepScratch {
		*l = Logs{}
	}
	*l = Logs{logs: l.logs[:0], ends: l.ends[:0], topics: l.topics[:0], data: l.data[:0], Receipts: l.Receipts[:0]}
}

// ReadLogs reads an array of logs of one block. It fails if their block fields differ.
// Removed logs may be of another block, which this one replaced.
func (l *Logs) ReadLogs(r *Reader) error {
	return r.Array("log", func(int) error {
		claim, err := l.ReadLog(r)
		if err == nil && !l.Last().Removed {
			err = l.Claim.join(claim)
		}
		return err
	})
}

// ReadLog reads a log of any block, and returns its block fields.
func (l *Logs) ReadLog(r *Reader) (claim Claim, err error) {
	log, hasTx := evm.Log{Pending: true}, false
	err = r.Object(Fields{
		Required: []string{"address", "topics", "data"},
		Optional: []string{
			"blockNumber", "transactionHash", "transactionIndex", "blockHash", "logIndex", "removed", "blockTimestamp",
		},
	}, func(name string) error {
		if name == "topics" {
			return l.readTopics(r)
		}
		raw, err := r.Value()
		if err != nil {
			return err
		}
		switch {
		case name == "address":
			return log.Address.UnmarshalJSON(raw)
		case name == "data":
			l.data, err = AppendData(l.data, raw)
			return err
		case IsNull(raw):
			return nil
		}
		var n uint64
		switch name {
		case "transactionHash":
			hasTx = true
			return log.TxHash.UnmarshalJSON(raw)
		case "transactionIndex":
			n, err = Quantity(raw, math.MaxInt32)
			log.TxIndex = evm.TxIndex{N: uint32(n), Known: true}
		case "logIndex":
			n, err = Quantity(raw, math.MaxUint32)
			log.Index, log.Pending = uint32(n), false
		case "removed":
			if log.Removed = raw[0] == 't'; raw[0] != 't' && raw[0] != 'f' {
				err = fmt.Errorf("invalid value %s: want a boolean", excerpt(raw))
			}
		default:
			err = claim.read(name, raw)
		}
		return err
	})
	if err == nil && !hasTx && !log.Pending {
		err = errors.New("no transactionHash")
	}
	if err != nil {
		return claim, err
	}
	l.logs = append(l.logs, log)
	l.ends = append(l.ends, logEnd{len(l.topics), len(l.data)})
	return claim, nil
}

// Last returns the last log that was read, without topics and data.
func (l *Logs) Last() *evm.Log { return &l.logs[len(l.logs)-1] }

func (l *Logs) readTopics(r *Reader) error {
	return r.Array("topic", func(i int) error {
		if i == maxTopics {
			return fmt.Errorf("want at most %d topics", maxTopics)
		}
		raw, err := r.Value()
		if err != nil {
			return err
		}
		var topic evm.Hash
		err = topic.UnmarshalJSON(raw)
		l.topics = append(l.topics, topic)
		return err
	})
}

// All returns the logs in the order of the text. It also sets the logs of each receipt,
// which share the slice.
func (l *Logs) All() []evm.Log {
	logs := append([]evm.Log{}, l.logs...)
	topics, data := append([]evm.Hash{}, l.topics...), append([]byte{}, l.data...)
	var start logEnd
	for i, end := range l.ends {
		logs[i].Topics = topics[start.topics:end.topics:end.topics]
		logs[i].Data = data[start.data:end.data:end.data]
		start = end
	}
	first := 0
	for i := range l.Receipts {
		r := &l.Receipts[i]
		r.Logs = logs[first : first+r.count : first+r.count]
		first += r.count
	}
	return logs
}

// InBlock reports whether a log is part of its block: neither pending nor removed.
func InBlock(log *evm.Log) bool { return !log.Pending && !log.Removed }

// InOrder reports whether the indices of all logs of a block are 0, 1, … through the
// block, and whether they are 0, 1, … in each transaction.
func InOrder(logs []evm.Log) (inBlock, inTx bool) {
	inBlock, inTx = true, true
	first := 0
	for i := range logs {
		if logs[i].TxHash != logs[first].TxHash {
			first = i
		}
		inBlock = inBlock && logs[i].Index == uint32(i)
		inTx = inTx && logs[i].Index == uint32(i-first)
	}
	return inBlock, inTx
}
