package chain

import (
	"encoding/json"
	"fmt"

	"mintburn/internal/evm"
)

// liveHeader is a header as a node gives it.
type liveHeader struct {
	evm.Header
	bloom bloom
	// hasBloom is false where the node gives none.
	hasBloom bool
	// txs are the hashes of the block's transactions.
	txs []evm.Hash
	// raw is the whole answer.
	raw json.RawMessage
	// receiptsRoot is what a provable header commits to; nil where it was not asked,
	// or its hash is not that of its fields.
	receiptsRoot *evm.Hash
}

// The fields of a block object that are read from a node, besides those of
// [headerField].
const (
	fieldBloom = headerFields + iota
	fieldTransactions
)

func liveField(name []byte) int {
	switch string(name) {
	case "logsBloom":
		return fieldBloom
	case "transactions":
		return fieldTransactions
	default:
		return headerField(name)
	}
}

// parseHeader reads a block object with the hashes of its transactions.
func parseHeader(text json.RawMessage) (*liveHeader, error) {
	r := newReader()
	r.reset(text)
	h := &liveHeader{raw: text}
	var raw rawHeader
	_, err := r.object(liveField, func(field int) error {
		if field == fieldTransactions {
			return within("transactions", r.array(func(int) error {
				value, err := r.value()
				if err != nil {
					return err
				}
				var hash evm.Hash
				err = decodeFixed(hash[:], value)
				h.txs = append(h.txs, hash)
				return err
			}))
		}
		value, err := r.value()
		if err != nil {
			return err
		}
		if field != fieldBloom {
			raw[field] = value
			return nil
		}
		if h.hasBloom = !isNull(value); h.hasBloom {
			return within("logsBloom", decodeFixed(h.bloom[:], value))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := r.end(); err != nil {
		return nil, err
	}
	h.Header, err = raw.decode()
	return h, err
}

// header reads the answer to a call for a block. A null is [ErrLagging] when
// the block was asked for by number or tag, and [ErrGone] when by hash.
func (e *endpoint) header(asked *call) (*liveHeader, error) {
	if asked.null() {
		if asked.method == "eth_getBlockByHash" {
			return nil, fmt.Errorf("%s: block %s: %w", e.name, asked.args[0], ErrGone)
		}
		return nil, fmt.Errorf("%s: block %s: %w", e.name, asked.args[0], ErrLagging)
	}
	h, err := parseHeader(asked.result)
	if err != nil {
		return nil, inconsistent("%s: block %s: %w", e.name, asked.args[0], err)
	}
	return h, nil
}
