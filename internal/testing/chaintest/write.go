package chaintest

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
)

// WriteRecording writes the chain that [Blocks] generates as an import file. The file is
// NDJSON with one {"block": header, "logs": […]} per line, in the form that
// eth_getBlockByNumber and eth_getLogs return, with only the header fields that an import
// reads. WriteRecording fails if writing to w fails; the Stats then cover the blocks that were
// written.
func WriteRecording(w io.Writer, o Options) (Stats, error) {
	var stats Stats
	out := bufio.NewWriterSize(w, 1<<20)
	var line []byte
	for b := range Blocks(o) {
		line = append(b.AppendLine(line[:0]), '\n')
		if _, err := out.Write(line); err != nil {
			return stats, fmt.Errorf("writing block %d: %w", b.Header.Number, err)
		}
		stats.Blocks++
		stats.Logs += len(b.Logs)
		stats.Mints += len(b.Mints)
		stats.Burns += len(b.Burns)
		stats.Bytes += int64(len(line))
	}
	if err := out.Flush(); err != nil {
		return stats, fmt.Errorf("writing recording: %w", err)
	}
	return stats, nil
}

// AppendLine appends the block as a line of an import file, without the line end.
func (b *Block) AppendLine(dst []byte) []byte {
	dst = append(dst, `{"block":{`...)
	dst = appendQuantity(dst, `"number":`, b.Header.Number)
	dst = appendHex(dst, `,"hash":`, b.Header.Hash[:])
	dst = appendHex(dst, `,"parentHash":`, b.Header.ParentHash[:])
	dst = appendQuantity(dst, `,"timestamp":`, b.Header.Time)
	dst = append(dst, `},"logs":[`...)
	for i := range b.Logs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = b.appendLog(dst, i)
	}
	return append(dst, "]}"...)
}

func (b *Block) appendLog(dst []byte, i int) []byte {
	log := &b.Logs[i]
	dst = appendHex(append(dst, '{'), `"address":`, log.Address[:])
	dst = append(dst, `,"topics":[`...)
	for j := range log.Topics {
		comma := ","
		if j == 0 {
			comma = ""
		}
		dst = appendHex(dst, comma, log.Topics[j][:])
	}
	dst = appendHex(dst, `],"data":`, log.Data)
	dst = appendQuantity(dst, `,"blockNumber":`, b.Header.Number)
	dst = appendHex(dst, `,"transactionHash":`, log.TxHash[:])
	dst = appendQuantity(dst, `,"transactionIndex":`, uint64(log.TxIndex.N))
	dst = appendHex(dst, `,"blockHash":`, b.Header.Hash[:])
	dst = appendQuantity(dst, `,"logIndex":`, uint64(log.Index))
	return append(dst, `,"removed":false}`...)
}

func appendHex(dst []byte, name string, value []byte) []byte {
	dst = append(append(dst, name...), `"0x`...)
	return append(hex.AppendEncode(dst, value), '"')
}

func appendQuantity(dst []byte, name string, value uint64) []byte {
	dst = append(append(dst, name...), `"0x`...)
	return append(strconv.AppendUint(dst, value, 16), '"')
}
