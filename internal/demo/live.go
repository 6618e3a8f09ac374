package demo

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"time"

	"github.com/ethereum/go-ethereum/crypto/keccak"

	"mintburn/internal/evm"
	"mintburn/internal/metadata"
	"mintburn/internal/nft"
	"mintburn/internal/retrying"
)

// Store is the database that [Live] changes, as a follower does.
type Store interface {
	// Extend stores blocks above the indexed ones.
	Extend(ctx context.Context, blocks []nft.Block, indexed evm.Range, proven bool) error
	// ReplaceAbove removes everything above a block and stores blocks instead.
	ReplaceAbove(ctx context.Context, above uint64, blocks []nft.Block, proven bool) error
	// SetFinalized stores the finalized block.
	SetFinalized(ctx context.Context, header evm.Header) error
	// PutMetadata stores documents of tokens.
	PutMetadata(ctx context.Context, items []nft.TokenMetadata) error
}

// The live chain has a block every blockTime. A reorg replaces two or three blocks every
// reorgBlocks blocks, and a block is final finalDepth blocks below the head.
const (
	blockTime   = 2 * time.Second
	reorgBlocks = 30
	finalDepth  = 8
)

// Live adds a block above head every two seconds, and a reorg every minute, until ctx ends. It
// returns the error of ctx or of the store. The blocks contain mints and burns of [Garden], after
// the recorded tokens, with documents. All of it depends on head alone, except for times.
func Live(ctx context.Context, s Store, clock retrying.Clock, head evm.Header) error {
	clock = clock.WithDefaults()
	chain := []nft.Block{{Header: head}}
	for n := 1; ; n++ {
		if err := clock.Sleep(ctx, blockTime); err != nil {
			return err
		}
		orphaned, now := 0, clock.Now()
		if n%reorgBlocks == 0 {
			orphaned = 2 + n/reorgBlocks%2
		}
		kept := len(chain) - orphaned
		chain = chain[:kept:kept]
		for age := orphaned; age >= 0; age-- {
			chain = append(chain, next(chain, orphaned, now.Add(-blockTime*time.Duration(age))))
		}
		if err := store(ctx, s, chain[kept-1].Header.Number, chain[kept:], orphaned > 0); err != nil {
			return err
		}
		if final := len(chain) - 1 - finalDepth; final > 0 {
			chain = chain[final:]
			if err := s.SetFinalized(ctx, chain[0].Header); err != nil {
				return err
			}
		}
	}
}

// store stores blocks above a height, and the documents of their mints.
func store(ctx context.Context, s Store, above uint64, blocks []nft.Block, reorg bool) (err error) {
	if reorg {
		err = s.ReplaceAbove(ctx, above, blocks, false)
	} else {
		err = s.Extend(ctx, blocks, evm.Range{From: above + 1, To: above + uint64(len(blocks))}, false)
	}
	if err != nil {
		return err
	}
	var documents []nft.TokenMetadata
	for _, b := range blocks {
		for _, m := range b.Mints {
			one, err := metadataOf(b.Header, m)
			if err != nil {
				return err
			}
			documents = append(documents, one)
		}
	}
	return s.PutMetadata(ctx, documents)
}

// next returns the block after a chain. The blocks of another fork differ.
func next(chain []nft.Block, fork int, at time.Time) nft.Block {
	last := chain[len(chain)-1]
	hash := keccak256(last.Header.Hash[:], []byte{byte(fork)})
	// A clock may be behind the recorded head.
	seconds := max(uint64(at.Unix()), last.Header.Time)
	b := nft.Block{Header: evm.Header{
		BlockRef: evm.BlockRef{Number: last.Header.Number + 1, Hash: hash}, ParentHash: last.Header.Hash, Time: seconds,
	}}
	random := rand.New(rand.NewPCG(binary.BigEndian.Uint64(hash[:]), 0))
	record := nft.Record{
		Contract: Garden, Type: nft.ERC721, Amount: evm.NewUint256(1), To: account(random.IntN(20)),
		TxHash: keccak256(hash[:], []byte("mint")), TxIndex: evm.TxIndex{Known: true},
	}
	flower := uint64(Flowers)
	if n := len(last.Mints); n > 0 {
		flower, _ = last.Mints[n-1].TokenID.Uint64()
	}
	for i := range 1 + random.Uint64N(3) {
		record.TokenID = evm.NewUint256(flower + 1 + i)
		b.Mints = append(b.Mints, record)
		record.LogIndex++
	}
	b.Transactions = []evm.Transaction{details(record, record.To, 15_000_000_000_000_000*uint64(len(b.Mints)))}
	// An old block's first token: no reorg is as deep.
	if old := len(chain) - finalDepth; old > 0 && random.IntN(2) == 0 {
		burned := chain[old].Mints[0]
		record.Kind, record.TokenID, record.From, record.To = nft.Burn, burned.TokenID, burned.To, evm.Address{}
		record.TxHash, record.TxIndex.N = keccak256(hash[:], []byte("burn")), 1
		b.Burns = []nft.Record{record}
		b.Transactions = append(b.Transactions, details(record, record.From, 0))
	}
	return b
}

// details returns the transaction of a record, with its sender and its value in wei.
func details(r nft.Record, from evm.Address, value uint64) evm.Transaction {
	return evm.Transaction{Hash: r.TxHash, Index: r.TxIndex.N, TransactionDetails: evm.TransactionDetails{
		From: from, To: &r.Contract, Value: evm.NewUint256(value), Fee: new(evm.NewUint256(120_000_000_000_000)),
	}}
}

// metadataOf returns the document of a minted token.
func metadataOf(h evm.Header, m nft.Record) (nft.TokenMetadata, error) {
	id, _ := m.TokenID.Uint64()
	raw := textOf(id)
	normalised, err := metadata.Normalise(raw, m.Type, m.TokenID)
	return nft.TokenMetadata{
		TokenKey: nft.TokenKey{Contract: m.Contract, TokenID: m.TokenID}, Type: m.Type, FetchedAt: h.Time,
		URI: uriOf(id), Raw: raw, Metadata: normalised,
	}, err
}

func keccak256(parts ...[]byte) (hash evm.Hash) {
	hasher := keccak.NewLegacyKeccak256()
	for _, part := range parts {
		hasher.Write(part)
	}
	hasher.Sum(hash[:0])
	return hash
}
