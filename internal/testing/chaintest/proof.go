package chaintest

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"

	"mintburn/internal/evm"
)

// ProofTopics are the topics of mints and burns in docs/api.md#proofs.
func ProofTopics() (topics []evm.Hash) {
	for _, signature := range []string{"Transfer(address,address,uint256)", "TransferSingle(address,address,address,uint256,uint256)",
		"TransferBatch(address,address,address,uint256[],uint256[])", "ConsecutiveTransfer(uint256,uint256,address,address)"} {
		topics = append(topics, evm.Hash(crypto.Keccak256Hash([]byte(signature))))
	}
	return topics
}

// encodedReceipts are receipts as a proof contains them.
type encodedReceipts []string

// Len implements [types.DerivableList].
func (l encodedReceipts) Len() int { return len(l) }

// EncodeIndex implements [types.DerivableList].
func (l encodedReceipts) EncodeIndex(i int, w *bytes.Buffer) { w.WriteString(l[i]) }

// VerifyProof verifies the proof of a block as a client does that knows only its hash, with go-ethereum, and
// returns its logs: address, topics and data. receipts are nil if the proof has none: it fails unless the header
// excludes the logs with [ProofTopics], and if it has receipts then.
func VerifyProof(hash evm.Hash, header string, receipts []string) (logs []evm.Log, err error) {
	if got := evm.Hash(crypto.Keccak256Hash([]byte(header))); got != hash {
		return nil, fmt.Errorf("the header hashes to %s, want %s", got, hash)
	}
	var fields []rlp.RawValue
	if err := rlp.DecodeBytes([]byte(header), &fields); err != nil {
		return nil, err
	}
	var root evm.Hash
	var bloom []byte
	if err := errors.Join(rlp.DecodeBytes(fields[5], (*[32]byte)(&root)), rlp.DecodeBytes(fields[6], &bloom)); err != nil {
		return nil, err
	}
	excluded := root == evm.Hash(types.EmptyReceiptsHash)
	if filter := types.BytesToBloom(bloom); filter != (types.Bloom{}) {
		excluded = true
		for _, topic := range ProofTopics() {
			excluded = excluded && !filter.Test(topic[:])
		}
	}
	if excluded != (receipts == nil) {
		return nil, fmt.Errorf("the header excludes all mints and burns: %t, but there are %d receipts", excluded, len(receipts))
	}
	if excluded {
		return nil, nil
	}
	if got := evm.Hash(types.DeriveSha(encodedReceipts(receipts), trie.NewStackTrie(nil))); got != root {
		return nil, fmt.Errorf("the receipts' root is %s, the header's %s", got, root)
	}
	for i, text := range receipts {
		data := []byte(text)
		if data[0] < 0xc0 {
			data = data[1:]
		}
		var receipt []rlp.RawValue
		var list []struct {
			Address evm.Address
			Topics  []evm.Hash
			Data    []byte
		}
		if err := rlp.DecodeBytes(data, &receipt); err != nil {
			return nil, fmt.Errorf("receipt %d: %w", i, err)
		}
		if err := rlp.DecodeBytes(receipt[3], &list); err != nil {
			return nil, fmt.Errorf("logs of receipt %d: %w", i, err)
		}
		for _, log := range list {
			logs = append(logs, evm.Log{Address: log.Address, Topics: log.Topics, Data: log.Data, TxIndex: evm.TxIndex{N: uint32(i), Known: true}, Index: uint32(len(logs))})
		}
	}
	return logs, nil
}
