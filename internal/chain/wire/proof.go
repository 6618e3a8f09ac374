package wire

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"

	"mintburn/internal/evm"
)

// maxHeader is the most bytes of a header in a proof. Ethereum's have less than 1,000.
const maxHeader = 64 << 10

// Proof is a server's answer that proves the mints and burns of a block (docs/api.md#proofs).
type Proof struct {
	BlockNumber uint64   `json:"block_number"`
	BlockHash   evm.Hash `json:"block_hash"`
	Proof       *struct {
		Header hexutil.Bytes `json:"header"`
		// Receipts are all of the block, or nil.
		Receipts typedList `json:"receipts"`
	} `json:"proof"`
}

// Check returns the block with all logs that may be mints or burns, if p proves them of the block
// with the hash that it names. They lack the hashes of their transactions, which receipts don't
// contain. The error is the first step that fails.
func (p *Proof) Check() (*evm.Block, error) {
	if p.Proof == nil {
		return nil, errors.New("got null: the server gave none")
	}
	header, receipts := p.Proof.Header, p.Proof.Receipts
	if len(header) > maxHeader || len(receipts) > maxTransactions {
		return nil, fmt.Errorf("got a header of %d bytes and %d receipts, want at most %d and %d", len(header), len(receipts), maxHeader, maxTransactions)
	}
	if hash := evm.Hash(crypto.Keccak256Hash(header)); hash != p.BlockHash {
		return nil, fmt.Errorf("the header's hash is %s, the block's %s", hash, p.BlockHash)
	}
	var h rlpHeader
	if err := rlp.DecodeBytes(header, &h); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	records := Records()
	switch root := evm.Hash(types.DeriveSha(receipts, trie.NewStackTrie(nil))); {
	case h.Number != p.BlockNumber:
		return nil, fmt.Errorf("the header's number is %d, the block's %d", h.Number, p.BlockNumber)
	case len(h.Extra) > maxExtraData:
		return nil, errors.New("the header has a seal in its extra data, as on Polygon, where logs may lie outside the receipts' root")
	case receipts == nil && !records.Excludes(common.Hash(h.ReceiptsRoot), h.bloom()):
		return nil, errors.New("there are no receipts, but the header's bloom filter does not exclude mints and burns")
	case receipts != nil && root != h.ReceiptsRoot:
		return nil, fmt.Errorf("the receipts' root is %s, the header's %s", root, h.ReceiptsRoot)
	}
	// The trie leaves out empty receipts, but decoding fails for them.
	_, logs, err := receipts.decode(false)
	if err != nil {
		return nil, err
	}
	ref := evm.BlockRef{Number: h.Number, Hash: p.BlockHash}
	return &evm.Block{Header: evm.Header{BlockRef: ref, ParentHash: h.ParentHash, Time: h.Time}, Logs: logs}, nil
}
