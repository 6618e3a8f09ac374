package node

import (
	"slices"

	"github.com/ethereum/go-ethereum/core/types"

	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// Header is a header as a node returned it.
type Header struct {
	evm.Header
	// bloom is the bloom filter, nil if the node returns none.
	bloom *types.Bloom
	// txs are the block's transactions, nil if the node returns none.
	txs []wire.Transaction
	// object is the complete block object, which is large; nil once it is not needed.
	object *wire.Header
	// ethereum is the decoded header if it is provable: its hash is the hash of its
	// fields. It is nil for other headers, and before [node.prove].
	ethereum *types.Header
}

// parseHeader parses a block object. It fails if a required field is missing or
// malformed.
func parseHeader(text []byte) (*Header, error) {
	r := wire.NewReader()
	r.Reset(text)
	h := &Header{object: new(wire.Header)}
	err := h.object.Read(r)
	if err == nil {
		err = r.End()
	}
	if err == nil {
		h.Header, err = h.object.Decode()
	}
	if err == nil {
		h.bloom = h.object.Bloom()
		h.txs, err = h.object.Transactions()
	}
	return h, err
}

// hasNoBloom reports whether the bloom filter is empty or missing.
func (h *Header) hasNoBloom() bool { return h.bloom == nil || *h.bloom == types.Bloom{} }

// stateSync reports whether the block lists a transaction that neither its receipts root nor
// its bloom filter covers, see [wire.StateSync].
func (h *Header) stateSync() bool {
	if len(h.txs) == 0 {
		return false
	}
	hash := wire.StateSync(h.BlockRef)
	return slices.ContainsFunc(h.txs, func(tx wire.Transaction) bool { return tx.Hash == hash })
}

// explains reports whether the header is consistent with logs being all logs of the
// block: their indices have no gap, and the bloom filter matches those that it covers. Only
// the receipts root can show that the last log is missing if an earlier log has the same
// address and topics.
func (h *Header) explains(logs []evm.Log) bool {
	if h.bloom == nil || !wire.InOrder(logs) {
		return false
	}
	// Without a seal in its extra data, an Ethereum header has no state sync.
	if h.stateSync() && (h.ethereum == nil || wire.HasSeal(h.ethereum)) {
		hash, before := wire.StateSync(h.BlockRef), len(logs)
		logs = slices.DeleteFunc(slices.Clone(logs), func(log evm.Log) bool { return log.TxHash == hash })
		if len(logs) == before {
			return false
		}
	}
	return wire.Bloom(logs) == *h.bloom
}

// lacksNone reports whether the bloom filter contains nothing but logs.
func (h *Header) lacksNone(logs []evm.Log) bool {
	if h.bloom == nil {
		return true
	}
	all := wire.Bloom(logs)
	for i := range h.bloom {
		if h.bloom[i]&^all[i] != 0 {
			return false
		}
	}
	return true
}

// fieldsHash returns the hash of the header's Ethereum fields, or zero if one is
// missing.
func (h *Header) fieldsHash() evm.Hash {
	_, hash, err := h.object.Ethereum()
	if err != nil {
		return evm.Hash{}
	}
	return hash
}
