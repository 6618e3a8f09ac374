package nft_test

import (
	"slices"

	"github.com/ethereum/go-ethereum/crypto"

	"mintburn/internal/evm"
)

// Addresses, hashes and words for test logs.
var (
	zero       = evm.Address{}
	alice      = evm.Address{0: 0xa1, 19: 0x01}
	bob        = evm.Address{0: 0xb0, 19: 0x02}
	carol      = evm.Address{0: 0xca, 19: 0x03}
	dead       = evm.Address{18: 0xde, 19: 0xad}
	collection = evm.Address{0: 0xc0, 19: 0xff}
	txHash     = evm.Hash{0: 0x7a, 31: 0x01}
	header     = evm.Header{BlockRef: evm.BlockRef{Number: 7, Hash: evm.Hash{1}}, ParentHash: evm.Hash{2}, Time: 99}
	twoTo64    = evm.Hash{23: 1}
	maxWord    = evm.Hash(slices.Repeat([]byte{0xff}, 32))
)

// The event topics, computed from their signatures.
var (
	sigTransfer    = sig("Transfer(address,address,uint256)")
	sigSingle      = sig("TransferSingle(address,address,address,uint256,uint256)")
	sigBatch       = sig("TransferBatch(address,address,address,uint256[],uint256[])")
	sigConsecutive = sig("ConsecutiveTransfer(uint256,uint256,address,address)")
)

func sig(signature string) evm.Hash { return evm.Hash(crypto.Keccak256([]byte(signature))) }

// word returns a small number as an ABI word.
func word(n uint64) evm.Hash { return evm.NewUint256(n).Word() }

// pad returns an address as an ABI word.
func pad(a evm.Address) evm.Hash {
	var h evm.Hash
	copy(h[12:], a[:])
	return h
}

// dirty returns an address word with a bit set in byte i, outside the address.
func dirty(a evm.Address, i int) evm.Hash {
	h := pad(a)
	h[i] |= 1
	return h
}

// data concatenates words.
func data(words ...evm.Hash) []byte {
	b := []byte{}
	for _, w := range words {
		b = append(b, w[:]...)
	}
	return b
}

// numbers concatenates small numbers as ABI words.
func numbers(ns ...uint64) []byte {
	b := []byte{}
	for _, n := range ns {
		w := word(n)
		b = append(b, w[:]...)
	}
	return b
}

// txIndex differs from the log index.
var txIndex = evm.TxIndex{N: 3, Known: true}

// newLog returns a log of collection with index 5.
func newLog(data []byte, topics ...evm.Hash) evm.Log {
	return evm.Log{Address: collection, Topics: topics, Data: data, TxHash: txHash, TxIndex: txIndex, Index: 5}
}

func transfer721(from, to evm.Address, id uint64) evm.Log {
	return newLog(nil, sigTransfer, pad(from), pad(to), word(id))
}

func single(from, to evm.Address, data []byte) evm.Log {
	return newLog(data, sigSingle, pad(carol), pad(from), pad(to))
}

func batch(from, to evm.Address, data []byte) evm.Log {
	return newLog(data, sigBatch, pad(carol), pad(from), pad(to))
}

func consecutive(from, to evm.Address, first, last evm.Hash) evm.Log {
	return newLog(last[:], sigConsecutive, first, pad(from), pad(to))
}
