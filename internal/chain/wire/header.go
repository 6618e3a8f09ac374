package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"

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
func (h *Header) Bloom() *types.Bloom { return decodeBloom(h.get("logsBloom")) }

// Transaction is an element of a block's list of transactions.
type Transaction struct {
	Hash evm.Hash
	// Type is the EIP-2718 type, 0 for a transaction before it. HasType is false if the list
	// contains only hashes.
	Type    uint8
	HasType bool
}

// Transactions returns the transactions, or nil if there is no list. The list may contain
// hashes or transaction objects.
func (h *Header) Transactions() ([]Transaction, error) {
	raw := h.get("transactions")
	if IsNull(raw) {
		return nil, nil
	}
	list := []Transaction{}
	r := NewReader()
	r.Reset(raw)
	err := r.Array("transaction", func(int) error {
		value, err := r.Value()
		if err != nil {
			return err
		}
		var tx Transaction
		if value[0] == '{' {
			var object struct{ Hash, Type json.RawMessage }
			if err := json.Unmarshal(value, &object); err != nil {
				return err
			}
			value, tx.HasType = object.Hash, true
			if !IsNull(object.Type) {
				n, err := Quantity(object.Type, math.MaxUint8)
				tx.Type, tx.HasType = uint8(n), err == nil
			}
		}
		err = tx.Hash.UnmarshalJSON(value)
		list = append(list, tx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("transactions: %w", err)
	}
	return list, nil
}

// Ethereum returns the object as an Ethereum header, and the hash of its fields. In a header
// without a bloom filter, an empty string takes its place (EIP-7668). It fails if another
// field that all Ethereum headers have is missing or malformed.
func (h *Header) Ethereum() (header *types.Header, hash evm.Hash, err error) {
	noBloom := h.Bloom() == nil
	text := []byte{'{'}
	for _, m := range h.members {
		if m.value[0] != '[' && !(noBloom && m.name == "logsBloom") {
			text = fmt.Appendf(text, "%q:%s,", m.name, m.value)
		}
	}
	if noBloom {
		text = fmt.Appendf(text, `"logsBloom":"%#x",`, types.Bloom{})
	}
	header = new(types.Header)
	// An ignored last member follows the trailing comma.
	if err := json.Unmarshal(append(text, `"":0}`...), header); err != nil {
		return nil, hash, err
	}
	if !noBloom {
		return header, evm.Hash(header.Hash()), nil
	}
	encoded, err := EncodeHeader(header, true)
	return header, evm.Hash(crypto.Keccak256Hash(encoded)), err
}

// EncodeHeader returns the RLP of a header, which its hash covers. If noBloom, an empty string takes
// the place of the bloom filter (EIP-7668).
func EncodeHeader(header *types.Header, noBloom bool) ([]byte, error) {
	encoded, err := rlp.EncodeToBytes(header)
	if err != nil || !noBloom {
		return encoded, err
	}
	// A valid header always encodes as a list with the bloom filter at index 6.
	var fields []rlp.RawValue
	if err := rlp.DecodeBytes(encoded, &fields); err != nil {
		return nil, err
	}
	fields[6] = rlp.EmptyString
	return rlp.EncodeToBytes(fields)
}
