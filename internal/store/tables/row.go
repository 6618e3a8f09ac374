package tables

import (
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/block"
	"mintburn/ent/mint"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/counter"
)

// RecordRow is a row of mints or burns, reused for all rows of a statement.
type RecordRow struct {
	Kind nft.Kind
	// Mint has the columns of both kinds, burn the others.
	Mint  ent.Mint
	Burn  ent.Burn
	Block ent.Block
}

// Read reads all columns of a record, or only some.
func (r *RecordRow) Read(row *database.Row, columns ...string) error {
	if r.Kind == nft.Mint {
		return r.Mint.ReadRow(row, columns...)
	}
	err := r.Burn.ReadRow(row, columns...)
	r.Mint = r.Burn.Mint()
	return err
}

// JoinedColumns are the columns that JoinBlock adds to those of a record.
var JoinedColumns = []string{block.FieldHashPrefix, block.FieldHashSuffix, block.FieldTime}

// JoinBlock adds the block of each record to a statement.
func JoinBlock(s *entsql.Selector) {
	b := entsql.Dialect(s.Dialect()).Table(block.Table)
	// A record without its block must fail the read, not vanish from it:
	// hence the left join.
	// Read the column before the join: the statement may get an alias later, and
	// the blocks get theirs from the join.
	id := s.C(mint.FieldID)
	s.LeftJoin(b).OnP(entsql.P(func(p *entsql.Builder) {
		p.WriteString(b.C(block.FieldID)).WriteString(" = ").WriteString(id).WriteString(fmt.Sprintf(" >> %d", SlotBits))
	}))
	s.AppendSelect(b.Columns(JoinedColumns...)...)
}

// Record converts the row to a record, without the contract's address.
func (r *RecordRow) Record(to *nft.Record) error {
	m := &r.Mint
	to.Kind, to.Type = r.Kind, nft.ERC721
	to.TokenID, to.Amount = m.TokenID, m.Amount
	to.LogIndex, to.SubIndex = m.LogIndex, m.SubIndex
	if m.TxIndex != nil {
		to.TxIndex = evm.TxIndex{N: *m.TxIndex, Known: true}
	}
	if m.Operator != nil {
		to.Type, to.Operator = nft.ERC1155, *m.Operator
	}
	account := &to.To
	if r.Kind == nft.Burn {
		account = &to.From
		if r.Burn.BurnAddress != nil {
			to.To = *r.Burn.BurnAddress
		}
	}
	var err error
	if *account, err = r.Account(); err != nil {
		return err
	}
	to.TxHash, err = evm.JoinHash(m.TxPrefix, m.TxSuffix)
	return err
}

// ReadJoined reads a row of a statement with JoinBlock into a record, without the contract's address,
// and its block. It returns the block's time.
func (r *RecordRow) ReadJoined(row *database.Row, to *nft.Record, in *evm.BlockRef) (time uint64, err error) {
	if err := r.Read(row); err != nil {
		return 0, err
	}
	if err := r.Block.ReadRow(row, JoinedColumns...); err != nil {
		return 0, err
	}
	in.Number = BlockOf(r.Mint.ID)
	if in.Hash, err = evm.JoinHash(r.Block.HashPrefix, r.Block.HashSuffix); err != nil {
		return 0, err
	}
	return r.Block.Time, r.Record(to)
}

// Account returns the receiver of a mint or the sender of a burn.
func (r *RecordRow) Account() (evm.Address, error) {
	return evm.JoinAddress(r.Mint.AccountPrefix, r.Mint.AccountSuffix)
}

// CountedColumns are the columns that [RecordRow.Counted] and [RecordRow.Account] require.
var CountedColumns = []string{mint.FieldID, mint.FieldContractID, mint.FieldTokenID, mint.FieldAccountPrefix, mint.FieldAccountSuffix}

// Counted returns the record as the counters see it.
func (r *RecordRow) Counted(account evm.Address) counter.Record {
	m := &r.Mint
	return counter.Record{Kind: r.Kind, Account: account, Contract: m.ContractID, Token: m.TokenID, Block: BlockOf(m.ID), Position: m.ID}
}

// Set sets the row to a record at a position. The row shares memory with the record.
func (r *RecordRow) Set(record *nft.Record, pos, contractID int64) {
	account := &record.To
	if record.Kind == nft.Burn {
		account = &record.From
	}
	r.Kind = record.Kind
	r.Mint = ent.Mint{
		ID: pos, ContractID: contractID, TokenID: record.TokenID, Amount: record.Amount,
		TxPrefix: record.TxHash.Prefix(), TxSuffix: record.TxHash[8:],
		AccountPrefix: account.Prefix(), AccountSuffix: account[8:],
		LogIndex: record.LogIndex, SubIndex: record.SubIndex,
	}
	if record.TxIndex.Known {
		r.Mint.TxIndex = &record.TxIndex.N
	}
	if record.Type == nft.ERC1155 {
		r.Mint.Operator = &record.Operator
	}
	if record.Kind == nft.Mint {
		return
	}
	r.Burn.SetMint(r.Mint)
	r.Burn.BurnAddress = nil
	if !record.To.IsZero() {
		r.Burn.BurnAddress = &record.To
	}
}

// Diff returns the columns in which two rows of the same kind differ.
func (r *RecordRow) Diff(other *RecordRow) []string {
	if r.Kind == nft.Mint {
		return r.Mint.Diff(&other.Mint)
	}
	return r.Burn.Diff(&other.Burn)
}
