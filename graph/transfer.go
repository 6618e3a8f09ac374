package graph

import (
	"context"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// Node is the GraphQL interface of everything that has a global id.
type Node interface{ IsNode() }

// Transfer is the GraphQL interface of mints and burns.
type Transfer interface{ IsTransfer() }

// Mint is the GraphQL type of a mint.
type Mint struct{ transfer }

// Burn is the GraphQL type of a burn.
type Burn struct{ transfer }

// transfer has the fields that Mint and Burn share; schema.graphqls describes
// them.
type transfer struct {
	*store.Transfer
	page *store.Page
}

func transferAt(page *store.Page, i int) transfer { return transfer{&page.Items[i], page} }

// IsNode marks a Node.
func (transfer) IsNode() {}

// IsTransfer marks a Transfer.
func (transfer) IsTransfer() {}

func (t transfer) ID() RecordID                   { return RecordID{t.Transfer} }
func (t transfer) TokenAddress() evm.Address      { return t.Contract }
func (t transfer) ContractType() nft.ContractType { return t.Type }
func (t transfer) TokenId() evm.Uint256           { return t.TokenID }
func (t transfer) BlockHash() evm.Hash            { return t.Block.Hash }
func (t transfer) BlockNumber() evm.Long          { return evm.Long(t.Block.Number) }
func (t transfer) TransactionHash() evm.Hash      { return t.TxHash }
func (t transfer) TransactionIndex() *int         { return index(t.TxIndex) }
func (t transfer) LogIndex() int                  { return int(t.Transfer.LogIndex) }
func (t transfer) SubIndex() int                  { return int(t.Transfer.SubIndex) }
func (t transfer) Timestamp() evm.Long            { return evm.Long(t.Time) }
func (t transfer) BlockTime() evm.Long            { return evm.Long(t.Time) }

// index returns the place of a transaction, or nil where it is unknown.
func index(i evm.TxIndex) *int {
	if !i.Known {
		return nil
	}
	n := int(i.N)
	return &n
}

func (t transfer) Operator() *evm.Address {
	if t.Type != nft.ERC1155 {
		return nil
	}
	return &t.Transfer.Operator
}

func (t transfer) Metadata(ctx context.Context) (*TokenMetadata, error) {
	found, err := t.page.Metadata(ctx, selectedTexts)
	if err != nil {
		return nil, err
	}
	m := found[nft.TokenKey{Contract: t.Contract, TokenID: t.TokenID}]
	if m == nil {
		return nil, nil
	}
	return &TokenMetadata{m}, nil
}
