package chaintest

import (
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// transaction generates the logs of one transaction with this many records.
func (g *generator) transaction(index uint32, records int) {
	hash := g.hash('t', g.block.Header.Number, uint64(index))
	for records > 0 {
		if g.random.Float64() < g.o.NoiseShare {
			g.noise(index, hash)
			continue
		}
		c := g.pick()
		mint := g.random.Float64() < g.o.MintShare || c.burned == c.minted
		size := 1
		if c.erc1155 && g.random.IntN(4) == 0 {
			size = min(records, 2+g.random.IntN(4))
		}
		if !mint {
			size = int(min(uint64(size), c.minted-c.burned))
		}
		g.event(c, mint, size, index, hash)
		records -= size
	}
}

// event generates size records and the log that contains them.
func (g *generator) event(c *collection, mint bool, size int, tx uint32, txHash evm.Hash) {
	first := c.burned + 1
	if mint {
		first = c.minted + 1
	}
	owner := g.owner(c, first)
	record := nft.Record{
		Kind: nft.Burn, Contract: c.address, Type: nft.ERC721, Amount: evm.NewUint256(1),
		From: owner, TxHash: txHash, TxIndex: evm.TxIndex{N: tx, Known: true}, LogIndex: uint32(len(g.block.Logs)),
	}
	to := &g.block.Burns
	if mint {
		c.minted += uint64(size)
		record.Kind, record.From, record.To, to = nft.Mint, evm.Address{}, owner, &g.block.Mints
	} else {
		c.burned += uint64(size)
	}
	if c.erc1155 {
		record.Type, record.Operator = nft.ERC1155, owner
	}
	for i := range uint64(size) {
		record.TokenID, record.SubIndex = evm.NewUint256(first+i), uint32(i)
		if c.erc1155 {
			record.Amount = evm.NewUint256(1 + (first+i)%10)
		}
		*to = append(*to, record)
	}
	g.log(c, (*to)[len(*to)-size:])
}

// log generates the log that contains records.
func (g *generator) log(c *collection, records []nft.Record) {
	r, topics, data := &records[0], len(g.topics), len(g.data)
	switch {
	case !c.erc1155:
		g.topics = append(g.topics, evm.TopicTransfer.Hash(), word(r.From), word(r.To), r.TokenID.Word())
	case len(records) == 1:
		g.topics = append(g.topics, evm.TopicTransferSingle.Hash(), word(r.Operator), word(r.From), word(r.To))
		g.word(r.TokenID)
		g.word(r.Amount)
	default:
		g.topics = append(g.topics, evm.TopicTransferBatch.Hash(), word(r.Operator), word(r.From), word(r.To))
		n := uint64(len(records))
		g.word(evm.NewUint256(64))
		g.word(evm.NewUint256(96 + 32*n))
		g.word(evm.NewUint256(n))
		for _, r := range records {
			g.word(r.TokenID)
		}
		g.word(evm.NewUint256(n))
		for _, r := range records {
			g.word(r.Amount)
		}
	}
	g.append(c.address, topics, data, r.TxIndex.N, r.TxHash)
}

// noise generates an ERC-20 transfer.
func (g *generator) noise(tx uint32, txHash evm.Hash) {
	topics, data := len(g.topics), len(g.data)
	n := g.random.Uint64N(50)
	c := &collection{address: g.address('e', n)}
	g.topics = append(g.topics, evm.TopicTransfer.Hash(), word(g.owner(c, n)), word(g.owner(c, g.random.Uint64())))
	g.word(evm.NewUint256(g.random.Uint64()))
	g.append(c.address, topics, data, tx, txHash)
}

// append adds a log. Its topics and data begin at these indexes of g.topics and g.data.
func (g *generator) append(contract evm.Address, topics, data int, tx uint32, txHash evm.Hash) {
	b := &g.block
	b.Logs = append(b.Logs, evm.Log{
		Address: contract,
		Topics:  g.topics[topics:len(g.topics):len(g.topics)],
		Data:    g.data[data:len(g.data):len(g.data)],
		TxHash:  txHash,
		TxIndex: evm.TxIndex{N: tx, Known: true},
		Index:   uint32(len(b.Logs)),
	})
}

// word appends a number to the data of the current log.
func (g *generator) word(u evm.Uint256) {
	word := u.Word()
	g.data = append(g.data, word[:]...)
}

// word returns an address as a topic.
func word(a evm.Address) (topic evm.Hash) {
	copy(topic[12:], a[:])
	return topic
}
