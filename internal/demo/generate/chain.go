package main

import (
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/trie"

	"mintburn/internal/demo"
	"mintburn/internal/evm"
)

// chain writes blocks.
type chain struct {
	lines  *json.Encoder
	head   *types.Header // nil before the first block
	nonces map[evm.Address]uint64
}

// transaction is a transaction of the next block.
type transaction struct {
	from evm.Address
	// to is nil if the transaction creates a contract.
	to *evm.Address
	// value is in gwei.
	value int64
	logs  []*types.Log
}

// mine writes a block.
func (c *chain) mine(at int64, transactions []*transaction) error {
	header := &types.Header{
		Number: new(big.Int), Time: uint64(at), Difficulty: new(big.Int), GasLimit: 60_000_000, BaseFee: big.NewInt(1e9),
		UncleHash: types.EmptyUncleHash, Root: types.EmptyRootHash, TxHash: types.EmptyTxsHash, WithdrawalsHash: &types.EmptyWithdrawalsHash,
	}
	if c.head != nil {
		header.ParentHash, header.Number = c.head.Hash(), new(big.Int).Add(c.head.Number, common.Big1)
	}
	var txs types.Transactions
	var receipts types.Receipts
	index := uint(0)
	for i, t := range transactions {
		tx := c.sign(t)
		gas := 50_000 + 30_000*uint64(len(t.logs))
		if t.to == nil {
			gas = 2_400_000
		}
		header.GasUsed += gas
		receipt := &types.Receipt{
			Type: tx.Type(), Status: types.ReceiptStatusSuccessful, CumulativeGasUsed: header.GasUsed, GasUsed: gas, TxHash: tx.Hash(),
			TransactionIndex: uint(i), BlockNumber: header.Number, EffectiveGasPrice: tx.GasFeeCap(), Logs: t.logs,
		}
		if t.to == nil {
			receipt.ContractAddress = crypto.CreateAddress(common.Address(t.from), tx.Nonce())
		}
		for _, log := range t.logs {
			log.BlockNumber, log.BlockTimestamp, log.TxHash, log.TxIndex, log.Index = header.Number.Uint64(), header.Time, tx.Hash(), uint(i), index
			index++
		}
		receipt.Bloom = types.CreateBloom(receipt)
		txs, receipts = append(txs, tx), append(receipts, receipt)
	}
	header.TxHash = types.DeriveSha(txs, trie.NewStackTrie(nil))
	header.ReceiptHash = types.DeriveSha(receipts, trie.NewStackTrie(nil))
	header.Bloom = types.MergeBloom(receipts)
	c.head = header
	return c.write(transactions, txs, receipts)
}

// sign returns a transaction with the sender in the place of the signature, because nobody has the
// keys of the accounts.
func (c *chain) sign(t *transaction) *types.Transaction {
	sender := new(big.Int).SetBytes(t.from[:])
	tx := types.NewTx(&types.DynamicFeeTx{
		ChainID: big.NewInt(demo.ChainID), Nonce: c.nonces[t.from], GasTipCap: big.NewInt(1e8), GasFeeCap: big.NewInt(11e8), Gas: 3_000_000,
		To: (*common.Address)(t.to), Value: new(big.Int).Mul(big.NewInt(t.value), big.NewInt(1e9)), V: new(big.Int), R: sender, S: sender,
	})
	c.nonces[t.from]++
	return tx
}

// write writes the head with its transactions, without their signatures and input.
func (c *chain) write(transactions []*transaction, txs types.Transactions, receipts types.Receipts) error {
	block, err := object(c.head)
	if err != nil {
		return err
	}
	list := []any{}
	for i, tx := range txs {
		list = append(list, map[string]any{
			"hash": tx.Hash(), "type": hexutil.Uint64(tx.Type()), "from": transactions[i].from, "to": tx.To(), "value": (*hexutil.Big)(tx.Value()),
		})
	}
	block["transactions"] = list
	results := []any{}
	for i, receipt := range receipts {
		receipt.BlockHash = c.head.Hash()
		for _, log := range receipt.Logs {
			log.BlockHash = receipt.BlockHash
		}
		result, err := object(receipt)
		if err != nil {
			return err
		}
		// An import computes it from the logs.
		delete(result, "logsBloom")
		delete(result, "root")
		result["from"], result["to"] = transactions[i].from, transactions[i].to
		results = append(results, result)
	}
	if err := c.lines.Encode(map[string]any{"block": block, "receipts": results}); err != nil {
		return fmt.Errorf("block %s: %w", c.head.Number, err)
	}
	return nil
}

// object returns a value as a JSON object, without null fields.
func object(v any) (map[string]any, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	values := map[string]any{}
	for name, value := range fields {
		if string(value) != "null" {
			values[name] = value
		}
	}
	return values, nil
}

// emit adds an event of a contract to the transaction. The first arguments are indexed.
func (t *transaction) emit(contract evm.Address, topic evm.Topic, indexed int, arguments ...common.Hash) {
	log := &types.Log{Address: common.Address(contract), Topics: []common.Hash{common.Hash(topic.Hash())}, Data: []byte{}}
	for i, word := range arguments {
		if i < indexed {
			log.Topics = append(log.Topics, word)
		} else {
			log.Data = append(log.Data, word[:]...)
		}
	}
	t.logs = append(t.logs, log)
}

// account returns an address as an argument of an event.
func account(a evm.Address) common.Hash { return common.BytesToHash(a[:]) }

// number returns a number as an argument of an event.
func number(n uint64) common.Hash { return common.BigToHash(new(big.Int).SetUint64(n)) }
