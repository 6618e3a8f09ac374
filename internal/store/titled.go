package store

import (
	"context"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/contract"
	"mintburn/ent/contractmetadata"
	"mintburn/ent/coverage"
	"mintburn/ent/token"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
)

// Titled is what a collection and a token of it are called.
type Titled struct {
	// Collection and Token are their names, nil if they have none.
	Collection, Token *string
	// Mints and Burns are the numbers of the collection's records, nil during a load.
	Mints, Burns *int64
}

// TitleOf returns what a known contract and a token, which may have no record, are called, with one
// statement. It is nil for another address.
func TitleOf(ctx context.Context, s *Snapshot, key nft.TokenKey) (titled *Titled, err error) {
	builder := s.Tx.Builder()
	c, m, t := builder.Table(contract.Table).As("c"), builder.Table(contractmetadata.Table).As("m"), builder.Table(token.Table).As("t")
	query := builder.Select(c.C(contract.FieldID), c.C(contract.FieldMintCount), c.C(contract.FieldBurnCount), m.C(contractmetadata.FieldName)).
		AppendSelectExpr(entsql.Raw("substr("+t.C(token.FieldName)+", 1, 256)")).From(c).
		LeftJoin(m).On(m.C(contractmetadata.FieldContractID), c.C(contract.FieldID)).
		LeftJoin(t).OnP(entsql.And(entsql.ColumnsEQ(t.C(token.FieldContractID), c.C(contract.FieldID)), entsql.EQ(t.C(token.FieldTokenID), key.TokenID.Bytes()))).
		Where(entsql.EQ(c.C(contract.FieldAddress), key.Contract[:]))
	err = s.Tx.Query(ctx, query, func(row *database.Row) error {
		titled = &Titled{}
		id := row.Int64()
		for _, n := range []**int64{&titled.Mints, &titled.Burns} {
			if !row.Null() {
				*n = new(row.Int64())
			}
		}
		for _, name := range []**string{&titled.Collection, &titled.Token} {
			if !row.Null() {
				*name = new(row.Text())
			}
		}
		read.Remember(s.Snapshot, id, key.Contract)
		return row.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("reading what %s is called: %w", key.Contract, err)
	}
	return titled, nil
}

// HasBlock reports whether a block is indexed.
func HasBlock(ctx context.Context, s *Snapshot, number uint64) (bool, error) {
	_, found, err := tables.RangeContaining(ctx, s.Client(), coverage.KindIndexed, number)
	return found, err
}

// TaggedBlock returns the number of the block that a tag names, or an [apierror.Error] with the code
// BLOCK_NOT_INDEXED if there is none yet.
func TaggedBlock(ctx context.Context, s *Snapshot, tag string) (evm.Long, error) {
	return taggedBlock(ctx, s.Snapshot, tag)
}
