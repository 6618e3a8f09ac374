package listing

import (
	"context"
	"fmt"
	"math"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/internal/apierror"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
)

// Collection is a collection with a record, as the view v_collections shows it.
type Collection struct {
	Address               evm.Address
	Type                  nft.ContractType
	Name, Symbol          *string
	Minted, Burned        uint64
	FirstBlock, LastBlock uint64
	position              int64
}

// Collections is [Listings.Headers] for the collections whose first record is in a range, by that
// record. During a load it returns an [apierror.Error] with the code UNAVAILABLE.
func (l Listings) Collections(ctx context.Context, r BlockRange, after *string, limit int) (*Rows[*Collection], error) {
	w, err := newRowWalk(ctx, l.s, "collections", r, after, limit)
	if err != nil {
		return nil, err
	}
	rows := &Rows[*Collection]{Cursor: after, Indexed: w.indexed}
	_, err = l.s.Cached(ctx, query.Key{Name: "listed collections", Limit: limit}, func(*ent.Client) entsql.Querier {
		view := l.s.Tx.Builder().Table("v_collections")
		return l.s.Tx.Builder().Select("position", "address", "contract_type", "minted_items", "burned_items", "first_block", "last_block", "name", "symbol").
			From(view).Where(entsql.And(entsql.GTE("position", w.lo), entsql.LTE("position", w.hi))).OrderBy("position").Limit(limit)
	}, []any{w.lo, w.hi}, func(row *database.Row) error {
		c := &Collection{position: row.Int64()}
		if err := c.Address.UnmarshalText([]byte(row.Text())); err != nil {
			return err
		}
		if c.Type = nft.ContractType(row.Text()); row.Null() {
			return apierror.Errorf(apierror.Unavailable, "the database is being loaded: its records are not counted yet")
		}
		for _, n := range []*uint64{&c.Minted, &c.Burned, &c.FirstBlock, &c.LastBlock} {
			*n = row.Unsigned(math.MaxInt64)
		}
		for _, text := range []**string{&c.Name, &c.Symbol} {
			if !row.Null() {
				*text = new(row.Text())
			}
		}
		rows.Items = append(rows.Items, c)
		return row.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("reading collections: %w", err)
	}
	if n := len(rows.Items); n > 0 {
		last := rows.Items[n-1].position
		header, _, err := read.Header(ctx, l.s, tables.BlockOf(last))
		if err != nil {
			return nil, err
		}
		rows.More, rows.Cursor = n == limit, w.cursor(last, header.Hash)
	}
	return rows, nil
}
