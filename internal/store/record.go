package store

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/block"
	"mintburn/ent/burn"
	"mintburn/ent/mint"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/tables"
)

// A mint or burn is an [nft.Record] outside this package and a row of
// [ent.Mint] or [ent.Burn] inside. This file converts between the two; a new
// column is added here, and to ent/schema and the migrations.

// Transfer is a stored mint or burn.
type Transfer struct {
	nft.Record
	Block evm.BlockRef
	// Time is the block's time in Unix seconds, UTC.
	Time uint64
	// pos is the record's primary key.
	pos int64
}

// ID returns the record's opaque global id; see [State.Node].
func (t *Transfer) ID() string { return string(t.AppendID(nil)) }

// AppendID appends the record's opaque global id.
func (t *Transfer) AppendID(text []byte) []byte {
	letter := byte('M')
	if t.Kind == nft.Burn {
		letter = 'B'
	}
	b := binary.BigEndian.AppendUint64(append(make([]byte, 0, 13), letter), uint64(t.pos))
	return cursorText.AppendEncode(text, binary.BigEndian.AppendUint32(b, anchorOf(t.Block.Hash.Prefix())))
}

// recordRow is a row of mints or burns, reused for all rows of a statement.
type recordRow struct {
	kind nft.Kind
	// mint has the columns of both kinds, burn the others.
	mint  ent.Mint
	burn  ent.Burn
	block ent.Block
}

// read reads all columns of a record, or only some.
func (r *recordRow) read(row *database.Row, columns ...string) error {
	if r.kind == nft.Mint {
		return r.mint.ReadRow(row, columns...)
	}
	err := r.burn.ReadRow(row, columns...)
	r.mint = r.burn.Mint()
	return err
}

// joinedColumns are the columns that joinBlock adds to those of a record.
var joinedColumns = []string{block.FieldHashPrefix, block.FieldHashSuffix, block.FieldTime}

// joinBlock adds the block of each record to a statement.
func joinBlock(s *entsql.Selector) {
	b := entsql.Dialect(s.Dialect()).Table(block.Table)
	// A record without its block must fail the read, not vanish from it:
	// hence the left join.
	// Read the column before the join: the statement may get an alias later, and
	// the blocks get theirs from the join.
	id := s.C(mint.FieldID)
	s.LeftJoin(b).OnP(entsql.P(func(p *entsql.Builder) {
		p.WriteString(b.C(block.FieldID)).WriteString(" = ").WriteString(id).WriteString(fmt.Sprintf(" >> %d", tables.SlotBits))
	}))
	s.AppendSelect(b.Columns(joinedColumns...)...)
}

// readJoined reads a row of a statement with joinBlock into a record, without the
// contract's address.
func readJoined(r *recordRow, row *database.Row, to *Transfer) error {
	if err := r.read(row); err != nil {
		return err
	}
	if err := r.block.ReadRow(row, joinedColumns...); err != nil {
		return err
	}
	to.pos, to.Time = r.mint.ID, r.block.Time
	to.Block.Number = tables.BlockOf(r.mint.ID)
	var err error
	if to.Block.Hash, err = evm.JoinHash(r.block.HashPrefix, r.block.HashSuffix); err != nil {
		return err
	}
	return r.record(&to.Record)
}

// record converts the row to a record, without the contract's address.
func (r *recordRow) record(to *nft.Record) error {
	m := &r.mint
	to.Kind, to.Type = r.kind, nft.ERC721
	to.TokenID, to.Amount = m.TokenID, m.Amount
	to.LogIndex, to.SubIndex = m.LogIndex, m.SubIndex
	if m.TxIndex != nil {
		to.TxIndex = evm.TxIndex{N: *m.TxIndex, Known: true}
	}
	if m.Operator != nil {
		to.Type, to.Operator = nft.ERC1155, *m.Operator
	}
	account := &to.To
	if r.kind == nft.Burn {
		account = &to.From
		if r.burn.BurnAddress != nil {
			to.To = *r.burn.BurnAddress
		}
	}
	var err error
	if *account, err = r.account(); err != nil {
		return err
	}
	to.TxHash, err = evm.JoinHash(m.TxPrefix, m.TxSuffix)
	return err
}

// account returns the receiver of a mint or the sender of a burn.
func (r *recordRow) account() (evm.Address, error) {
	return evm.JoinAddress(r.mint.AccountPrefix, r.mint.AccountSuffix)
}

// countedColumns are the columns that [recordRow.counted] and [recordRow.account] require.
var countedColumns = []string{mint.FieldID, mint.FieldContractID, mint.FieldTokenID, mint.FieldAccountPrefix, mint.FieldAccountSuffix}

// counted returns the record as the counters see it.
func (r *recordRow) counted(account evm.Address) counter.Record {
	m := &r.mint
	return counter.Record{Kind: r.kind, Account: account, Contract: m.ContractID, Token: m.TokenID, Block: tables.BlockOf(m.ID), Position: m.ID}
}

// set sets the row to a record at a position. The row shares memory with the record.
func (r *recordRow) set(record *nft.Record, pos, contractID int64) {
	account := &record.To
	if record.Kind == nft.Burn {
		account = &record.From
	}
	r.kind = record.Kind
	r.mint = ent.Mint{
		ID: pos, ContractID: contractID, TokenID: record.TokenID, Amount: record.Amount,
		TxPrefix: record.TxHash.Prefix(), TxSuffix: record.TxHash[8:],
		AccountPrefix: account.Prefix(), AccountSuffix: account[8:],
		LogIndex: record.LogIndex, SubIndex: record.SubIndex,
	}
	if record.TxIndex.Known {
		r.mint.TxIndex = &record.TxIndex.N
	}
	if record.Type == nft.ERC1155 {
		r.mint.Operator = &record.Operator
	}
	if record.Kind == nft.Mint {
		return
	}
	r.burn.SetMint(r.mint)
	r.burn.BurnAddress = nil
	if !record.To.IsZero() {
		r.burn.BurnAddress = &record.To
	}
}

// diff returns the columns in which two rows of the same kind differ.
func (r *recordRow) diff(other *recordRow) []string {
	if r.kind == nft.Mint {
		return r.mint.Diff(&other.mint)
	}
	return r.burn.Diff(&other.burn)
}

// field is a documented field, with the columns that contain it.
type field[T any] struct {
	name    string
	columns []string
	value   func(*T) any
}

// headerFields are the fields of a header.
var headerFields = []field[evm.Header]{
	{"hash", []string{block.FieldHashPrefix, block.FieldHashSuffix}, func(h *evm.Header) any { return h.Hash }},
	{"parent hash", []string{block.FieldParentHash}, func(h *evm.Header) any { return h.ParentHash }},
	{"time", []string{block.FieldTime}, func(h *evm.Header) any { return h.Time }},
}

// recordFields are the fields of a record. A test checks that every column but the key
// belongs to a field.
var recordFields = []field[nft.Record]{
	{"token_address", []string{mint.FieldContractID}, func(r *nft.Record) any { return r.Contract }},
	{"contract_type", []string{mint.FieldOperator}, func(r *nft.Record) any { return r.Type }},
	{"token_id", []string{mint.FieldTokenID}, func(r *nft.Record) any { return r.TokenID }},
	{"amount", []string{mint.FieldAmount}, func(r *nft.Record) any { return r.Amount }},
	{"from", []string{mint.FieldAccountPrefix, mint.FieldAccountSuffix}, func(r *nft.Record) any { return r.From }},
	{"to", []string{mint.FieldAccountPrefix, mint.FieldAccountSuffix, burn.FieldBurnAddress}, func(r *nft.Record) any { return r.To }},
	{"operator", []string{mint.FieldOperator}, func(r *nft.Record) any { return r.Operator }},
	{"transaction_hash", []string{mint.FieldTxPrefix, mint.FieldTxSuffix}, func(r *nft.Record) any { return r.TxHash }},
	{"transaction_index", []string{mint.FieldTxIndex}, func(r *nft.Record) any { return r.TxIndex }},
	{"log_index", []string{mint.FieldLogIndex}, func(r *nft.Record) any { return r.LogIndex }},
	{"sub_index", []string{mint.FieldSubIndex}, func(r *nft.Record) any { return r.SubIndex }},
}

// cursorText is the encoding of cursors and ids.
var cursorText = base64.RawURLEncoding.Strict()

// anchorOf returns the part of a block's hash that a cursor contains.
func anchorOf(hashPrefix int64) uint32 { return uint32(uint64(hashPrefix) >> 32) }
