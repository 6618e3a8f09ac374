package store

import (
	"encoding/binary"

	"mintburn/ent/block"
	"mintburn/ent/burn"
	"mintburn/ent/mint"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/cursor"
	"mintburn/internal/store/tables"
)

// Transfer is a stored mint or burn.
type Transfer struct {
	nft.Record
	Block evm.BlockRef
	// Time is the block's time in Unix seconds, UTC.
	Time uint64
	// pos is the record's primary key.
	pos int64
}

// ID returns the record's opaque global id; see [read.Snapshot.Node].
func (t *Transfer) ID() string { return string(t.AppendID(nil)) }

// AppendID appends the record's opaque global id.
func (t *Transfer) AppendID(text []byte) []byte {
	letter := byte('M')
	if t.Kind == nft.Burn {
		letter = 'B'
	}
	b := binary.BigEndian.AppendUint64(append(make([]byte, 0, 13), letter), uint64(t.pos))
	return cursor.Encoding.AppendEncode(text, binary.BigEndian.AppendUint32(b, cursor.AnchorOf(t.Block.Hash.Prefix())))
}

// readJoined reads a row of a statement with JoinBlock into a record, without the
// contract's address.
func readJoined(r *tables.RecordRow, row *database.Row, to *Transfer) error {
	if err := r.Read(row); err != nil {
		return err
	}
	if err := r.Block.ReadRow(row, tables.JoinedColumns...); err != nil {
		return err
	}
	to.pos, to.Time = r.Mint.ID, r.Block.Time
	to.Block.Number = tables.BlockOf(r.Mint.ID)
	var err error
	if to.Block.Hash, err = evm.JoinHash(r.Block.HashPrefix, r.Block.HashSuffix); err != nil {
		return err
	}
	return r.Record(&to.Record)
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
