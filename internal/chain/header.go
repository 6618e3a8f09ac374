package chain

import (
	"errors"
	"fmt"

	"mintburn/internal/evm"
)

// The fields of a line and, the first four, of a block object.
const (
	fieldNumber = iota
	fieldHash
	fieldParentHash
	fieldTimestamp
	headerFields

	fieldLogs = iota - 1
	fieldReceipts
	fieldBlock
	fieldMetadata
)

func headerField(name []byte) int {
	switch string(name) {
	case "number":
		return fieldNumber
	case "hash":
		return fieldHash
	case "parentHash":
		return fieldParentHash
	case "timestamp":
		return fieldTimestamp
	default:
		return unknown
	}
}

func lineField(name []byte) int {
	switch string(name) {
	case "logs":
		return fieldLogs
	case "receipts":
		return fieldReceipts
	case "block":
		return fieldBlock
	case "metadata":
		return fieldMetadata
	default:
		return recordedField(name)
	}
}

// recordedField is headerField for the block object of a recording.
func recordedField(name []byte) int {
	if field := headerField(name); field != unknown {
		return field
	}
	return proofField(name)
}

// rawHeader holds the fields of a block object as they stand in the line, nil
// where they are absent: which object is the block is known only at its end.
type rawHeader [headerFields][]byte

// decode returns the header.
func (h *rawHeader) decode() (header evm.Header, err error) {
	for field, name := range []string{"number", "hash", "parentHash", "timestamp"} {
		if isNull(h[field]) {
			return header, errors.New("block without " + name)
		}
	}
	if header.Number, err = quantity(h[fieldNumber], MaxBlockNumber); err != nil {
		return header, fmt.Errorf("number: %w", err)
	}
	if err := decodeFixed(header.Hash[:], h[fieldHash]); err != nil {
		return header, fmt.Errorf("hash: %w", err)
	}
	if err := decodeFixed(header.ParentHash[:], h[fieldParentHash]); err != nil {
		return header, fmt.Errorf("parentHash: %w", err)
	}
	if header.Time, err = quantity(h[fieldTimestamp], evm.MaxLong); err != nil {
		return header, fmt.Errorf("timestamp: %w", err)
	}
	return header, nil
}

// isNull reports whether a value is absent or null.
func isNull(raw []byte) bool { return raw == nil || raw[0] == 'n' }
