package store_test

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// A generated chain is skewed on purpose, so that some scopes have counter trees: half of
// the records are of collection 0, half of account 0, and most of collection 0 is token 7.
// Pairs of accounts, and of transactions, share their first 8 bytes, because an index
// contains only these.

// unknown is the number of a collection or account that occurs in no chain.
const unknown = 250

func collection(i int) evm.Address { return evm.Address(hashed("collection", uint64(i))[:20]) }

func account(i int) evm.Address {
	a := evm.Address(hashed("account", uint64(i))[:20])
	copy(a[:8], hashed("accounts", uint64(i/2)))
	return a
}

func txHash(salt, block uint64, i int) evm.Hash {
	h := evm.Hash(hashed("tx", salt, block, uint64(i)))
	copy(h[:8], hashed("txs", salt, block, uint64(i/2)))
	return h
}

func blockHash(salt, number uint64) evm.Hash { return evm.Hash(hashed("block", salt, number)) }

func hashed(what string, numbers ...uint64) []byte {
	b := []byte(what)
	for _, n := range numbers {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	sum := sha256.Sum256(b)
	return sum[:]
}

// bigIDs returns token ids around the limits of the number formats that they pass through.
func bigIDs() []evm.Uint256 {
	var ids []evm.Uint256
	for _, text := range []string{
		"0", "1", "255", "256", "9007199254740993", "18446744073709551616",
		"57896044618658097711785492504343953926634992332820282019728792003956564819968",
		"115792089237316195423570985008687907853269984665640564039457584007913129639935",
	} {
		id, err := evm.ParseUint256(text)
		if err != nil {
			panic(err)
		}
		ids = append(ids, id)
	}
	return ids
}

// branch generates linked blocks with the numbers first, first+1, … on top of a parent.
// size returns the number of records of the i-th block. Branches with different salts have
// no hash in common.
func branch(seed, salt, first uint64, parent evm.Hash, count int, size func(rng *rand.Rand, i int) int) []nft.Block {
	rng := rand.New(rand.NewPCG(seed, salt^first))
	blocks := make([]nft.Block, count)
	for i := range blocks {
		b := &blocks[i]
		b.Header = evm.Header{
			BlockRef:   evm.BlockRef{Number: first + uint64(i), Hash: blockHash(salt, first+uint64(i))},
			ParentHash: parent,
			Time:       1_600_000_000 + 12*(first+uint64(i)) + salt,
		}
		parent = b.Header.Hash
		fill(rng, salt, b, size(rng, i))
	}
	return blocks
}

// fill adds n records to a block, and sometimes a rejected log.
func fill(rng *rand.Rand, salt uint64, b *nft.Block, n int) {
	index, tx, inTx := uint32(rng.IntN(3)), 0, 0
	for n > 0 {
		batch := 1
		r := event(rng)
		if r.Type == nft.ERC1155 && rng.IntN(4) == 0 {
			batch = min(n, 1+rng.IntN(5))
		}
		r.TxHash, r.LogIndex = txHash(salt, b.Header.Number, tx), index
		for sub := range batch {
			r.SubIndex = uint32(sub)
			if r.Kind == nft.Mint {
				b.Mints = append(b.Mints, r)
			} else {
				b.Burns = append(b.Burns, r)
			}
			r.TokenID = tokenID(rng, r.Contract)
			r.Amount = evm.NewUint256(uint64(rng.IntN(3)))
		}
		n -= batch
		index += 1 + uint32(rng.IntN(3))
		if inTx++; rng.IntN(6) < inTx {
			tx, inTx = tx+1, 0
		}
	}
	if rng.IntN(5) == 0 {
		b.Rejected = append(b.Rejected, nft.Rejected{
			Log:    evm.Log{Address: collection(0), Topics: []evm.Hash{{1}, {2}}, Data: []byte{3}, TxHash: txHash(salt, b.Header.Number, tx), Index: index},
			Reason: nft.ReasonTopics,
		})
	}
}

// event returns a random record; three in four are mints.
func event(rng *rand.Rand) nft.Record {
	c, a := 1+rng.IntN(11), 1+rng.IntN(29)
	if rng.IntN(2) == 0 {
		c = 0
	}
	if rng.IntN(2) == 0 {
		a = 0
	}
	r := nft.Record{Contract: collection(c), Type: nft.ERC721, Amount: evm.NewUint256(1), TokenID: tokenID(rng, collection(c))}
	if c%2 == 0 || c == 5 && rng.IntN(2) == 0 {
		r.Type, r.Operator = nft.ERC1155, account(rng.IntN(30))
		r.Amount = bigIDs()[rng.IntN(len(bigIDs()))]
	}
	if rng.IntN(4) > 0 {
		r.To = account(a)
		return r
	}
	r.Kind, r.From = nft.Burn, account(a)
	if rng.IntN(5) == 0 {
		r.To = evm.Address{18: 0xde, 19: 0xad}
	}
	return r
}

func tokenID(rng *rand.Rand, contract evm.Address) evm.Uint256 {
	switch {
	case contract == collection(0) && rng.IntN(10) < 7:
		return evm.NewUint256(7)
	case rng.IntN(10) == 0:
		return bigIDs()[rng.IntN(len(bigIDs()))]
	default:
		return evm.NewUint256(uint64(rng.IntN(300)))
	}
}

// between returns a size function for branch: 0 to most records, and large records in
// every hundredth block.
func between(most, large int) func(*rand.Rand, int) int {
	return func(rng *rand.Rand, i int) int {
		if i%100 == 50 {
			return large
		}
		return rng.IntN(most + 1)
	}
}
