package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math/big"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"mintburn/internal/demo"
)

// firstLive is the number of the first block that appears while the node runs.
const firstLive = 601

// object is a JSON object. The recording has numbers as hex strings, so nothing is lost.
type object = map[string]any

// line is a line of the recording.
type line struct {
	Block    object   `json:"block"`
	Receipts []object `json:"receipts"`
	// Metadata is the document of a token, Collection that of a collection.
	Metadata   *document `json:"metadata"`
	Collection *document `json:"collection"`
}

type document struct {
	Address  common.Address `json:"address"`
	TokenID  uint64         `json:"tokenId"`
	Document string         `json:"document"`
}

// block is a block as the node returns it.
type block struct {
	header   *types.Header
	hash     common.Hash
	fields   object
	receipts []object
	// logs are those of the receipts: decoded, for filters.
	logs []*types.Log
}

// chain is the recorded chain, up to now.
type chain struct {
	// documents are the last ones of the tokens, by contract and id, collections those of the
	// contracts.
	documents   map[common.Address]map[uint64]string
	collections map[common.Address]string

	mu     sync.Mutex // guards what follows
	blocks []*block
	byHash map[common.Hash]*block
	// next are the recorded blocks that are not mined yet.
	next []line
}

// open returns the chain up to the block before [firstLive], whose time is now.
func open(now time.Time) (*chain, error) {
	c := &chain{documents: map[common.Address]map[uint64]string{}, collections: map[common.Address]string{}, byHash: map[common.Hash]*block{}}
	unpacked, err := gzip.NewReader(demo.Open())
	if err != nil {
		return nil, err
	}
	scanner := bufio.NewScanner(unpacked)
	scanner.Buffer(nil, 16<<20)
	for scanner.Scan() {
		var l line
		if err := json.Unmarshal(scanner.Bytes(), &l); err != nil {
			return nil, err
		}
		if l.Block != nil {
			c.next = append(c.next, l)
		}
		if m := l.Metadata; m != nil {
			if c.documents[m.Address] == nil {
				c.documents[m.Address] = map[uint64]string{}
			}
			c.documents[m.Address][m.TokenID] = m.Document
		}
		if m := l.Collection; m != nil {
			c.collections[m.Address] = m.Document
		}
	}
	if err := scanner.Err(); err != nil {
		return nil, err
	}
	headers := make([]*types.Header, firstLive)
	for i := range headers {
		if headers[i], err = headerOf(c.next[i].Block); err != nil {
			return nil, err
		}
	}
	later := uint64(now.Unix()) - headers[firstLive-1].Time
	for _, h := range headers {
		if err := c.mine(time.Unix(int64(h.Time+later), 0)); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// mine adds the next recorded block, or an empty one if there is none, with a time.
func (c *chain) mine(at time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	l, empty := line{}, len(c.next) == 0
	if empty {
		// As the one before it, but without transactions.
		l.Block = c.blocks[len(c.blocks)-1].fields
	} else {
		l, c.next = c.next[0], c.next[1:]
	}
	h, err := headerOf(l.Block)
	if err != nil {
		return err
	}
	if empty {
		h.TxHash, h.ReceiptHash, h.Bloom, h.GasUsed = types.EmptyTxsHash, types.EmptyReceiptsHash, types.Bloom{}, 0
	}
	h.Number = big.NewInt(int64(len(c.blocks)))
	h.Time = uint64(at.Unix())
	if len(c.blocks) > 0 {
		last := c.blocks[len(c.blocks)-1]
		h.ParentHash, h.Time = last.hash, max(h.Time, last.header.Time)
	}
	b := &block{header: h, hash: h.Hash(), receipts: l.Receipts}
	if err := remake(h, &b.fields); err != nil {
		return err
	}
	b.fields["transactions"] = []any{}
	if transactions, ok := l.Block["transactions"]; ok && !empty {
		b.fields["transactions"] = transactions
	}
	for _, receipt := range b.receipts {
		receipt["blockHash"] = b.hash
		logs, _ := receipt["logs"].([]any)
		for _, log := range logs {
			fields := log.(object)
			fields["blockHash"], fields["blockTimestamp"] = b.hash, hexutil.Uint64(h.Time)
			decoded := new(types.Log)
			if err := remake(fields, decoded); err != nil {
				return err
			}
			b.logs = append(b.logs, decoded)
		}
	}
	c.blocks, c.byHash[b.hash] = append(c.blocks, b), b
	return nil
}

// headerOf returns the header of a block object.
func headerOf(fields object) (*types.Header, error) {
	h := new(types.Header)
	return h, remake(fields, h)
}

// remake converts a value by its JSON.
func remake(from, to any) error {
	text, err := json.Marshal(from)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, to); err != nil {
		return fmt.Errorf("%w in %.200s", err, text)
	}
	return nil
}
