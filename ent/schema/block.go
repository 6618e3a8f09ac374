package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"mintburn/internal/evm"
)

// number returns the key of rows whose ids are not generated.
func number(comment string) ent.Field {
	return field.Int64("id").Annotations(entsql.Annotation{Incremental: new(bool)}).Comment(comment)
}

// Block is the header of an indexed block of the canonical chain.
type Block struct {
	ent.Schema
}

// Fields of Block.
func (Block) Fields() []ent.Field {
	return []ent.Field{
		number("Block number."),
		field.Int64("hash_prefix").Comment("Block hash, first 8 bytes."),
		field.Bytes("hash_suffix").Comment("Block hash, last 24 bytes."),
		field.Bytes("parent_hash").Optional().Nillable().GoType(&evm.Hash{}).
			Comment("Hash of the previous block; null if it was never fetched."),
		field.Uint64("time").Comment("Unix seconds, UTC."),
	}
}

// Indexes of Block.
func (Block) Indexes() []ent.Index {
	return []ent.Index{index.Fields("hash_prefix"), index.Fields("time", "id")}
}

// OrphanedBlock is the header of a block that a reorg orphaned. It is kept so that
// queries with the block's hash or cursors get the matching error.
type OrphanedBlock struct {
	ent.Schema
}

// Fields of OrphanedBlock.
func (OrphanedBlock) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("number").Comment("Block number."),
		field.Bytes("hash").GoType(evm.Hash{}).Comment("Block hash."),
		field.Bytes("parent_hash").GoType(evm.Hash{}).Comment("Hash of the previous block."),
	}
}

// Indexes of OrphanedBlock.
func (OrphanedBlock) Indexes() []ent.Index {
	return []ent.Index{index.Fields("hash").Unique(), index.Fields("number")}
}

// Coverage is a range of blocks of one kind. Ranges of a kind neither overlap nor touch.
// The kinds are:
//   - indexed;
//   - verified: proved complete;
//   - queued: their mints are in the queue of token metadata;
//   - final;
//   - linked: all headers are stored with their parent hashes;
//   - digested: their digests are stored, see internal/store/digest.
type Coverage struct {
	ent.Schema
}

// Fields of Coverage.
func (Coverage) Fields() []ent.Field {
	return []ent.Field{
		field.Enum("kind").Values("indexed", "verified", "queued", "final", "linked", "digested").Comment("Kind of the range: indexed, verified, queued, final, linked or digested."),
		field.Int64("from_block").Comment("First block, inclusive."),
		field.Int64("to_block").Comment("Last block, inclusive."),
	}
}

// Indexes of Coverage.
func (Coverage) Indexes() []ent.Index {
	return []ent.Index{index.Fields("kind", "from_block").Unique()}
}

// Annotations of Coverage.
func (Coverage) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "coverage"}}
}

// RejectedLog is a rejected log of a standard event, which is malformed or has too
// many ids. It is stored completely.
type RejectedLog struct {
	ent.Schema
}

// Fields of RejectedLog.
func (RejectedLog) Fields() []ent.Field {
	return []ent.Field{
		number("Block number << 30 | log index."),
		field.Bytes("address").GoType(evm.Address{}).Comment("The contract that emitted the log."),
		field.Bytes("tx_hash").GoType(evm.Hash{}).Comment("Transaction hash."),
		field.Bytes("topics").Comment("The topics, 32 bytes each."),
		field.Bytes("data").Comment("The log's data."),
		field.String("reason").Comment("Why the log was rejected."),
	}
}

// Setting is a named value that concerns the whole database.
type Setting struct {
	ent.Schema
}

// Fields of Setting.
func (Setting) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").Comment("Name of the setting, see internal/store/tables/tables.go."),
		field.String("value").Comment("Value of the setting."),
	}
}
