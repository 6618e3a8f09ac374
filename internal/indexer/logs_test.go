package indexer_test

import (
	"encoding/binary"
	"math/rand/v2"

	"github.com/ethereum/go-ethereum/crypto"

	"mintburn/internal/evm"
)

func topic(signature string) evm.Hash { return evm.Hash(crypto.Keccak256Hash([]byte(signature))) }

func word(n uint64) (w evm.Hash) {
	binary.BigEndian.PutUint64(w[24:], n)
	return w
}

func words(numbers ...uint64) (data []byte) {
	for _, n := range numbers {
		w := word(n)
		data = append(data, w[:]...)
	}
	return data
}

// collection returns the address of one of a few contracts.
func collection(i uint64) (a evm.Address) {
	a[0], a[19] = 0xc0, byte(i)
	return a
}

// mint returns the log of an ERC-721 mint.
func mint(id uint64) evm.Log {
	return evm.Log{Address: collection(0), Topics: []evm.Hash{topic("Transfer(address,address,uint256)"), {}, word(7), word(id)}}
}

// randomTxs returns up to 3 transactions with mints, burns, ERC-1155 batches, malformed
// logs and ERC-20 transfers.
func randomTxs(r *rand.Rand) [][]evm.Log {
	var txs [][]evm.Log
	for range r.IntN(4) {
		logs := []evm.Log{}
		for range r.IntN(4) {
			logs = append(logs, randomLog(r))
		}
		txs = append(txs, logs)
	}
	return txs
}

func randomLog(r *rand.Rand) evm.Log {
	from, to := word(0), word(1+r.Uint64N(4))
	if r.IntN(3) == 0 {
		from, to = to, from
	}
	log := evm.Log{Address: collection(r.Uint64N(3))}
	id := r.Uint64N(20)
	switch r.IntN(7) {
	case 0:
		log.Topics, log.Data = []evm.Hash{topic("Transfer(address,address,uint256)"), from, to}, words(id)
	case 1:
		log.Topics, log.Data = []evm.Hash{topic("TransferSingle(address,address,address,uint256,uint256)"), word(9), from, to}, words(id, 1+id)
	case 2:
		log.Topics = []evm.Hash{topic("TransferBatch(address,address,address,uint256[],uint256[])"), word(9), from, to}
		log.Data = words(64, 160, 2, id, id+1, 2, 5, 0)
	case 3:
		// An array that is longer than the data.
		log.Topics, log.Data = []evm.Hash{topic("TransferBatch(address,address,address,uint256[],uint256[])"), word(9), from, to}, words(64, 160, 1<<40, id)
	default:
		log.Topics = []evm.Hash{topic("Transfer(address,address,uint256)"), from, to, word(id)}
	}
	return log
}

// randomBlocks returns the transactions of n blocks.
func randomBlocks(r *rand.Rand, n int) (blocks [][][]evm.Log) {
	for range n {
		blocks = append(blocks, randomTxs(r))
	}
	return blocks
}
