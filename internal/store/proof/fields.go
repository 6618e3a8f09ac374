package proof

import (
	"mintburn/ent/block"
	"mintburn/ent/burn"
	"mintburn/ent/mint"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

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
