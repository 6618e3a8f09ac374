package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"

	"mintburn/internal/evm"
)

// Transaction holds the details of a transaction with mints or burns. It is stored only
// with --transactions.
type Transaction struct {
	ent.Schema
}

// Fields of Transaction.
func (Transaction) Fields() []ent.Field {
	return []ent.Field{
		number("Block number << 30 | transaction index."),
		field.Bytes("sender").GoType(evm.Address{}).Comment("Address that sent the transaction."),
		field.Bytes("receiver").Optional().Nillable().GoType(&evm.Address{}).Comment("Address that received it; null for a creation."),
		field.Bytes("value").GoType(evm.Uint256{}).Comment("Value in wei: a length byte and the significant bytes, big-endian."),
		field.Bytes("fee").Optional().Nillable().GoType(&evm.Uint256{}).
			Comment("Fee in wei, stored as value is; null unless the receipt shows all of it in wei."),
	}
}
