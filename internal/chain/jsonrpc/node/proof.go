package node

import (
	"context"
	"strings"

	"github.com/ethereum/go-ethereum/common/hexutil"

	"mintburn/internal/chain/jsonrpc/endpoint"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// records is the filter of proofs. Who checks one knows no other, so it does not depend on what is indexed.
var records = logFilter{wire.Records()}

// Proof reads the header and the receipts of a block in one batch: by its hash or, if that is zero, by its
// number. The header that the node returned is set also with an error. See [jsonrpc.Client.Proof].
func (n *Node) Proof(ctx context.Context, block evm.BlockRef) (p evm.BlockProof, err error) {
	header, receipts := blockByNumber(block.Number), receiptsOf(hexutil.EncodeUint64(block.Number))
	if !block.Hash.IsZero() {
		header, receipts = blockByHash(block.Hash, false), receiptsOf(block.Hash)
	}
	calls := []*endpoint.Call{header, receipts}
	if n.noBlockReceipts.Load() {
		calls, receipts = calls[:1], nil
	}
	if err := n.Do(ctx, calls...); err != nil {
		return p, err
	}
	h, err := n.headerOf(header)
	switch {
	case err != nil:
		return p, err
	case h.Number != block.Number || !block.Hash.IsZero() && h.Hash != block.Hash:
		return p, rpcerror.Inconsistent("%s: got block %d %s, want block %d %s", n.Name, h.Number, h.Hash, block.Number, block.Hash)
	}
	p.Block = h.Header
	if n.prove(h) != nil {
		// Whether the node lies or the chain differs from Ethereum, the header proves nothing.
		return p, &rpcerror.NotProvableError{Reason: h.unprovable()}
	}
	if wire.HasSeal(h.ethereum) {
		return p, &rpcerror.NotProvableError{Reason: "the header has a seal in its extra data, as on Polygon, where the receipts root does not cover all logs"}
	}
	if !records.excludes(h) {
		found, err := n.receipts(ctx, h, receipts)
		if err != nil {
			return p, err
		}
		if found.unproved != nil {
			_, reason, _ := strings.Cut(found.unproved.Error(), n.Name+": ")
			return p, &rpcerror.NotProvableError{Reason: n.Secrets.Clean(reason)}
		}
		p.Receipts = wire.EncodeReceipts(found.list, h.bloom == nil)
	}
	encoded, err := wire.EncodeHeader(h.ethereum, h.bloom == nil)
	p.Header = evm.Bytes(encoded)
	return p, err
}
