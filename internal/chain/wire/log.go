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
	// Costs says that receipts are read with what [Details] needs.
	Costs bool

	logs   []evm.Log
	ends   []logEnd
	topics []evm.Hash
	data   []byte
	// inReceipt is set while a receipt is read, whose transaction is that of its logs.
	inReceipt bool
}

// logEnd is the end of a log's topics and data in [Logs], which begin at the end of the log
// before, and the first odd value of the log: one that is missing or malformed.
type logEnd struct {
	topics, data int
	odd          error
	field        string // of odd
}

// note records an odd value of a field.
func (end *logEnd) note(field string, odd error) {
	if end.odd == nil && odd != nil {
		end.odd, end.field = odd, field
	}
}

// keepScratch bounds the memory that Reset keeps: so many logs, four times as many topics,
// and so many kilobytes of data.
const keepScratch = 16 << 10

// Reset removes all logs and receipts.
func (l *Logs) Reset() {
	if cap(l.logs) > keepScratch || cap(l.topics) > 4*keepScratch || cap(l.data) > 1024*keepScratch {
		*l = Logs{Costs: l.Costs}
	}
	*l = Logs{Costs: l.Costs, logs: l.logs[:0], ends: l.ends[:0], topics: l.topics[:0], data: l.data[:0], Receipts: l.Receipts[:0]}
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

// ReadLog reads a log of any block, and returns its block fields. It fails for a missing or
// malformed value only if the log is a decoded event, see [evm.IsDecoded], whose records
// contain the value. In other logs the value is zero.
func (l *Logs) ReadLog(r *Reader) (claim Claim, err error) {
	log, end, first := evm.Log{Pending: true}, logEnd{}, len(l.topics)
	hasAddress, hasTopics, hasTx, data := false, false, l.inReceipt, errMissing
	err = r.Object(Fields{
		Optional: []string{
			"address", "topics", "data", "blockNumber", "transactionHash", "transactionIndex", "blockHash", "logIndex", "removed", "blockTimestamp",
		},
	}, func(name string) error {
		if hasTopics = hasTopics || name == "topics" && r.json.PeekKind() == '['; hasTopics && name == "topics" {
			return l.readTopics(r, &end)
		}
		raw, err := r.Value()
		switch {
		case err != nil || IsNull(raw):
			return err
		case name == "address":
			hasAddress = true
			end.note(name, log.Address.UnmarshalJSON(raw))
		case name == "data":
			l.data, data = AppendData(l.data, raw)
		case name == "topics":
			end.note(name, fmt.Errorf("invalid value %s: want an array", excerpt(raw)))
		default:
			hasTx = hasTx || name == "transactionHash"
			end.note(name, readPlace(&log, &claim, name, raw))
		}
		return nil
	})
	if err != nil {
		return claim, err
	}
	topics := l.topics[first:]
	decoded := evm.IsDecoded(topics)
	if !hasAddress {
		end.note("address", errMissing)
	}
	if !hasTopics {
		end.note("topics", errMissing)
	}
	// ERC-721 events have no data.
	if !decoded || len(topics) != maxTopics || evm.Topic(topics[0][:]) != evm.TopicTransfer {
		end.note("data", data)
	}
	if !hasTx && !log.Pending {
		end.note("transactionHash", errMissing)
	}
	if decoded && end.odd != nil {
		return claim, fmt.Errorf("%s: %w", end.field, end.odd)
	}
	// The index of a log that is not decoded is in no record.
	log.Pending = log.Pending && (decoded || !l.inReceipt)
	end.note("data", data)
	end.topics, end.data = len(l.topics), len(l.data)
	l.logs, l.ends = append(l.logs, log), append(l.ends, end)
	return claim, nil
}

var errMissing = errors.New("missing")

// readPlace reads a field that says where the log is in the chain.
func readPlace(log *evm.Log, claim *Claim, name string, raw []byte) error {
	switch name {
	case "transactionHash":
		return log.TxHash.UnmarshalJSON(raw)
	case "transactionIndex":
		// Without it, the log's place among the receipts decides.
		n, err := Quantity(raw, math.MaxInt32)
		log.TxIndex = evm.TxIndex{N: uint32(n), Known: err == nil}
		return nil
	case "logIndex":
		n, err := Quantity(raw, math.MaxUint32)
		log.Index, log.Pending = uint32(n), err != nil
		return err
	case "removed":
		if log.Removed = raw[0] == 't'; raw[0] != 't' && raw[0] != 'f' {
			return fmt.Errorf("invalid value %s: want a boolean", excerpt(raw))
		}
		return nil
	default:
		return claim.read(name, raw)
	}
}

// Last returns the last log that was read, without topics and data.
func (l *Logs) Last() *evm.Log { return &l.logs[len(l.logs)-1] }

// readTopics reads an array of topics. A malformed topic is zero, so that the number of
// topics stays the same.
func (l *Logs) readTopics(r *Reader, end *logEnd) error {
	return r.Array("topic", func(i int) error {
		raw, err := r.Value()
		switch {
		case err != nil:
			return err
		case i == maxTopics:
			end.note("topics", fmt.Errorf("want at most %d", maxTopics))
		case i < maxTopics:
			var topic evm.Hash
			if err := topic.UnmarshalJSON(raw); err != nil {
				end.note("topics", fmt.Errorf("topic %d: %w", i, err))
			}
			l.topics = append(l.topics, topic)
		}
		return nil
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
// block.
func InOrder(logs []evm.Log) bool {
	for i := range logs {
		if logs[i].Index != uint32(i) {
			return false
		}
	}
	return true
}
