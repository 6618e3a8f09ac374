package chain

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/core/types"

	"mintburn/internal/evm"
)

// proofFields are the fields of a block object that its hash covers beside those of
// [rawHeader], and the transactions. The proof of a recorded block needs them.
var proofFields = [...]string{
	"transactions", "sha3Uncles", "miner", "stateRoot", "transactionsRoot", "receiptsRoot", "logsBloom", "difficulty", "gasLimit",
	"gasUsed", "extraData", "mixHash", "nonce", "baseFeePerGas", "withdrawalsRoot", "blobGasUsed", "excessBlobGas",
	"parentBeaconBlockRoot", "requestsHash", "blockAccessListHash", "slotNumber",
}

// The numbers of proofFields follow those of a line's fields.
const (
	firstProofField   = fieldMetadata + 1
	fieldProofTxs     = firstProofField
	proofFieldsNumber = len(proofFields)
)

func proofField(name []byte) int {
	for i := range proofFields {
		if string(name) == proofFields[i] {
			return firstProofField + i
		}
	}
	return unknown
}

// recordedHeader is a block object as it stands in a line.
type recordedHeader struct {
	rawHeader
	proof [proofFieldsNumber][]byte
}

// set keeps the value of a field.
func (h *recordedHeader) set(field int, raw []byte) {
	if field < headerFields {
		h.rawHeader[field] = raw
	} else {
		h.proof[field-firstProofField] = raw
	}
}

// ethereum returns the header if it is whole, which its hash shows, and nil if it
// is not, or has another form than Ethereum's.
func (h *recordedHeader) ethereum(hash evm.Hash) *types.Header {
	text := []byte{'{'}
	add := func(name string, raw []byte) {
		if raw != nil {
			text = append(append(append(append(text, '"'), name...), `":`...), raw...)
			text = append(text, ',')
		}
	}
	for i, name := range proofFields[1:] {
		add(name, h.proof[i+1])
	}
	add("number", h.rawHeader[fieldNumber])
	add("parentHash", h.rawHeader[fieldParentHash])
	add("timestamp", h.rawHeader[fieldTimestamp])
	text[len(text)-1] = '}'
	header := new(types.Header)
	if err := json.Unmarshal(text, header); err != nil || evm.Hash(header.Hash()) != hash {
		return nil
	}
	return header
}

// transactions returns the hashes of a block's transactions, which are listed by
// hash or whole, and false where they are not.
func (h *recordedHeader) transactions() (hashes []evm.Hash, ok bool) {
	raw := h.proof[fieldProofTxs-firstProofField]
	if isNull(raw) {
		return nil, false
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, false
	}
	for _, element := range list {
		var whole struct{ Hash json.RawMessage }
		if element[0] == '{' && json.Unmarshal(element, &whole) == nil {
			element = whole.Hash
		}
		var hash evm.Hash
		if isNull(element) || decodeFixed(hash[:], element) != nil {
			return nil, false
		}
		hashes = append(hashes, hash)
	}
	return hashes, true
}

// complete checks that there is a receipt of each transaction, in order, where the
// line names these.
func (d *decoder) complete(h *recordedHeader) error {
	hashes, ok := h.transactions()
	if !ok {
		return nil
	}
	receipts := d.logs.receipts
	if len(hashes) != len(receipts) {
		return fmt.Errorf("receipts of %d of %d transactions", len(receipts), len(hashes))
	}
	for i := range receipts {
		if receipts[i].txHash != hashes[i] {
			return fmt.Errorf("receipt %d is of transaction %s, the block has %s", i, receipts[i].txHash, hashes[i])
		}
	}
	return nil
}

// prove reports whether a line proves its block complete, in the way of
// [Client.Proven]: the header is whole and its receipts root that of the receipts.
// A line that lacks a part of either proves nothing, which is no error; receipts
// that are not those of a whole header are one.
func (d *decoder) prove(h *recordedHeader, hash evm.Hash) (bool, error) {
	receipts := d.logs.receipts
	for i := range receipts {
		if !receipts[i].whole {
			return false, nil
		}
	}
	header := h.ethereum(hash)
	if header == nil {
		return false, nil
	}
	if err := d.complete(h); err != nil {
		return false, err
	}
	logs, list := d.logs.logs, make([]liveReceipt, len(receipts))
	if !inOrder(logs) && !inOrderEach(logs) {
		return false, errors.New("the logs of the receipts are not in order")
	}
	for i := range receipts {
		list[i] = receipts[i].liveReceipt
		list[i].logs, logs = logs[:receipts[i].count], logs[receipts[i].count:]
	}
	root, known := rootOf(list)
	switch {
	case root == header.ReceiptHash:
	case hasSystemReceipt(list, header.ReceiptHash):
		return false, nil
	case known:
		return false, fmt.Errorf("the root of the receipts is %s, the header has %s", evm.Hash(root), evm.Hash(header.ReceiptHash))
	default:
		return false, nil
	}
	var built bloom
	built.add(d.logs.logs)
	if header.Bloom != (types.Bloom{}) && types.Bloom(built) != header.Bloom {
		return false, errors.New("the bloom filter of the header is not that of the logs")
	}
	return true, nil
}
