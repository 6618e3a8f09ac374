package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/core/types"

	"mintburn/internal/evm"
)

// MaxBlockNumber is the largest accepted block number, 2^33-1, because record ids in the
// database have 63 bits: block number times 2^30, plus the position in the block.
const MaxBlockNumber = 1<<33 - 1

// HeaderFields returns the names of the fields of a block object that a [Header] keeps:
// the Ethereum header fields, and the transactions.
func HeaderFields() []string {
	return []string{
		"number", "hash", "parentHash", "timestamp", "transactions", "sha3Uncles", "miner", "stateRoot", "transactionsRoot",
		"receiptsRoot", "logsBloom", "difficulty", "gasLimit", "gasUsed", "extraData", "mixHash", "nonce", "baseFeePerGas",
		"withdrawalsRoot", "blobGasUsed", "excessBlobGas", "parentBeaconBlockRoot", "requestsHash", "blockAccessListHash", "slotNumber",
	}
}

// Header is a block object that is not decoded yet. Decoding waits because only the end
// of a recorded line shows which object is the block.
type Header struct {
	members []member
	// Unknown are the names of fields that Ethereum block objects lack.
	Unknown []string
}

type member struct {
	name  string
	value []byte
}

// Reset removes all fields.
func (h *Header) Reset() { h.members, h.Unknown = h.members[:0], nil }

// Read reads a block object.
func (h *Header) Read(r *Reader) error {
	fields := Fields{Optional: HeaderFields(), Unknown: func(name []byte) {
		if !slices.Contains([]string{"size", "totalDifficulty", "uncles", "withdrawals"}, string(name)) {
			h.Unknown = append(h.Unknown, string(name))
		}
	}}
	return r.Object(fields, func(name string) error { return h.ReadField(r, name) })
}

// ReadField reads the value of one of [HeaderFields].
func (h *Header) ReadField(r *Reader, name string) error {
	value, err := r.Value()
	h.members = append(h.members, member{name, value})
	return err
}

// get returns the value of a field, or nil.
func (h *Header) get(name string) []byte {
	for _, m := range h.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// Decode returns number, hash, parent hash and time. It fails if one is missing or
// malformed.
func (h *Header) Decode() (header evm.Header, err error) {
	read := func(name string, decode func(raw []byte) error) {
		raw := h.get(name)
		switch {
		case err != nil:
		case IsNull(raw):
			err = errors.New("block without " + name)
		default:
			if err = decode(raw); err != nil {
				err = fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	read("number", func(raw []byte) (err error) { header.Number, err = Quantity(raw, MaxBlockNumber); return })
	read("hash", header.Hash.UnmarshalJSON)
	read("parentHash", header.ParentHash.UnmarshalJSON)
	read("timestamp", func(raw []byte) (err error) { header.Time, err = Quantity(raw, evm.MaxLong); return })
	return header, err
}

// Bloom returns the bloom filter, or nil if there is none.
func (h *Header) Bloom() (*types.Bloom, error) {
	raw := h.get("logsBloom")
	if IsNull(raw) {
		return nil, nil
	}
	bloom := new(types.Bloom)
	if err := decodeBloom(bloom, raw); err != nil {
		return nil, fmt.Errorf("logsBloom: %w", err)
	}
	return bloom, nil
}

// Transactions returns the hashes of the transactions, or nil if there is no list. The
// list may contain hashes or transaction objects.
func (h *Header) Transactions() ([]evm.Hash, error) {
	raw := h.get("transactions")
	if IsNull(raw) {
		return nil, nil
	}
	hashes := []evm.Hash{}
	r := NewReader()
	r.Reset(raw)
	err := r.Array("transaction", func(int) error {
		value, err := r.Value()
		if err != nil {
			return err
		}
		var hash evm.Hash
		if value[0] == '{' {
			var tx struct{ Hash json.RawMessage }
			if err := json.Unmarshal(value, &tx); err != nil {
				return err
			}
			value = tx.Hash
		}
		err = hash.UnmarshalJSON(value)
		hashes = append(hashes, hash)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("transactions: %w", err)
	}
	return hashes, nil
}

// Ethereum returns the object as an Ethereum header. It fails if a field that all
// Ethereum headers have is missing or malformed. It does not check the hash.
func (h *Header) Ethereum() (*types.Header, error) {
	text := []byte{'{'}
	for _, m := range h.members {
		if m.value[0] != '[' {
			text = fmt.Appendf(text, "%q:%s,", m.name, m.value)
		}
	}
	header := new(types.Header)
	// An ignored last member follows the trailing comma.
	return header, json.Unmarshal(append(text, `"":0}`...), header)
}
