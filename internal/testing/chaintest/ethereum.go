package chaintest

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
)

// Ethereum converts a block without uncles and its receipts to go-ethereum's types. txs are the
// block's transactions, or nil if Block contains them. Ethereum fails if the result has another
// hash than Block.
func (r *Recorded) Ethereum(txs types.Transactions) (*types.Block, types.Receipts, error) {
	var header types.Header
	var rest struct {
		Hash         common.Hash
		Transactions json.RawMessage
		Withdrawals  types.Withdrawals
	}
	if err := errors.Join(json.Unmarshal(r.Block, &header), json.Unmarshal(r.Block, &rest)); err != nil {
		return nil, nil, err
	}
	if txs == nil {
		if err := json.Unmarshal(rest.Transactions, &txs); err != nil {
			return nil, nil, err
		}
	}
	block := types.NewBlockWithHeader(&header).WithBody(types.Body{Transactions: txs, Withdrawals: rest.Withdrawals})
	if block.Hash() != rest.Hash {
		return nil, nil, fmt.Errorf("got block %s, want %s", block.Hash(), rest.Hash)
	}
	receipts := make(types.Receipts, len(r.Receipts))
	for i := range receipts {
		if err := json.Unmarshal(r.Receipts[i], &receipts[i]); err != nil {
			return nil, nil, fmt.Errorf("receipt %d: %w", i, err)
		}
	}
	return block, receipts, nil
}

// ChainA returns the recorded chain-a as a node returned it, and as go-ethereum's types. See
// [Data].
func ChainA(t testing.TB) (recorded []Recorded, blocks []*types.Block, receipts []types.Receipts) {
	t.Helper()
	raw := map[uint64][]hexutil.Bytes{}
	for _, line := range Values[struct {
		Block uint64
		Raw   []hexutil.Bytes
	}](t, "chain-a/replay.ndjson.gz") {
		raw[line.Block] = line.Raw
	}
	lists := Values[struct{ Receipts []json.RawMessage }](t, "chain-a/receipts.ndjson.gz")
	for i, text := range Values[json.RawMessage](t, "chain-a/blocks.ndjson.gz") {
		r := Recorded{Block: text, Receipts: lists[i].Receipts}
		txs := types.Transactions{}
		for _, data := range raw[uint64(i)] {
			tx := new(types.Transaction)
			if err := tx.UnmarshalBinary(data); err != nil {
				t.Fatal(err)
			}
			txs = append(txs, tx)
		}
		block, list, err := r.Ethereum(txs)
		if err != nil {
			t.Fatalf("block %d: %v", i, err)
		}
		recorded, blocks, receipts = append(recorded, r), append(blocks, block), append(receipts, list)
	}
	return recorded, blocks, receipts
}
