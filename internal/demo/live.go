package demo

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strconv"
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
// returns the error of ctx or of the store. The blocks contain mints and burns of one
// ERC-721 collection that has no recorded token, and its tokens get documents. All of it depends on
// head alone, except for times.
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
			document, err := document(b.Header, m)
			if err != nil {
				return err
			}
			documents = append(documents, document)
		}
	}
	return s.PutMetadata(ctx, documents)
}

// next returns the block after a chain. The blocks of another fork differ.
func next(chain []nft.Block, fork int, at time.Time) nft.Block {
	parent := chain[len(chain)-1].Header
	hash := keccak256(parent.Hash[:], []byte{byte(fork)})
	b := nft.Block{Header: evm.Header{
		BlockRef: evm.BlockRef{Number: parent.Number + 1, Hash: hash}, ParentHash: parent.Hash, Time: uint64(at.Unix()),
	}}
	random := randomOf(hash)
	record := nft.Record{
		Contract: address("live"), Type: nft.ERC721, Amount: evm.NewUint256(1),
		TxHash: keccak256(hash[:], []byte("mint")), TxIndex: evm.TxIndex{Known: true},
	}
	for i := range 1 + random.Uint64N(3) {
		record.TokenID, record.To = evm.NewUint256(10*b.Header.Number+i), address(strconv.Itoa(random.IntN(20)))
		b.Mints = append(b.Mints, record)
		record.LogIndex++
	}
	// An old block's first token: no reorg is as deep.
	if old := len(chain) - finalDepth; old > 0 && random.IntN(2) == 0 {
		burned := chain[old].Mints[0]
		record.Kind, record.TokenID, record.From, record.To = nft.Burn, burned.TokenID, burned.To, evm.Address{}
		record.TxHash, record.TxIndex.N = keccak256(hash[:], []byte("burn")), 1
		b.Burns = []nft.Record{record}
	}
	return b
}

// document returns the document of a minted token.
func document(h evm.Header, m nft.Record) (nft.TokenMetadata, error) {
	colours := [...]string{"crimson", "gold", "olive", "orchid", "salmon", "sienna", "teal", "tomato"}
	random := randomOf(keccak256(m.TxHash[:], []byte(m.TokenID.String())))
	square, disc := colours[random.IntN(len(colours))], colours[random.IntN(len(colours))]
	raw := fmt.Sprintf(`{"name":"Live %s","description":"Minted in block %d by mintburn demo --live.",`+
		`"image":"data:image/svg+xml,%%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 4 4'%%3E%%3Cpath fill='%s' d='M0 0h4v4H0'/%%3E%%3Ccircle fill='%s' cx='2' cy='2' r='1'/%%3E%%3C/svg%%3E",`+
		`"attributes":[{"trait_type":"Square","value":"%s"},{"trait_type":"Disc","value":"%s"}]}`, m.TokenID, h.Number, square, disc, square, disc)
	normalised, err := metadata.Normalise(raw, m.Type, m.TokenID)
	return nft.TokenMetadata{
		TokenKey: nft.TokenKey{Contract: m.Contract, TokenID: m.TokenID}, Type: m.Type, FetchedAt: h.Time,
		URI: "https://example.com/live/" + m.TokenID.String(), Raw: raw, Metadata: normalised,
	}, err
}

// randomOf returns random numbers that depend on a hash alone.
func randomOf(h evm.Hash) *rand.Rand {
	return rand.New(rand.NewPCG(binary.BigEndian.Uint64(h[:]), binary.BigEndian.Uint64(h[8:])))
}

// address returns the address of a contract or account that exists only here.
func address(name string) (a evm.Address) {
	hash := keccak256([]byte(name))
	copy(a[:], hash[12:])
	return a
}

func keccak256(parts ...[]byte) (hash evm.Hash) {
	hasher := keccak.NewLegacyKeccak256()
	for _, part := range parts {
		hasher.Write(part)
	}
	hasher.Sum(hash[:0])
	return hash
}
