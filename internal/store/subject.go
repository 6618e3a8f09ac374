package store

import (
	"cmp"
	"context"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/burn"
	"mintburn/ent/mint"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
)

// Subject is the token or collection of records.
type Subject struct {
	contractID int64
	// tokenID is nil for a collection.
	tokenID *evm.Uint256
	// counts are the numbers of its records by kind, nil if unknown.
	counts [2]*int64
}

// AsSubject returns the subject of a type that embeds it.
func (of *Subject) AsSubject() *Subject { return of }

// Subjects reads many tokens or collections of a snapshot at once.
type Subjects struct{ snapshot *read.Snapshot }

// Subjects returns a [Subjects] of the snapshot.
func (s *Snapshot) Subjects() Subjects { return Subjects{s.Snapshot} }

// listOf returns tokens or collections as the values of a list.
func listOf(subjects []*Subject) *query.List {
	l := &query.List{Name: "collections"}
	for _, of := range subjects {
		var id []byte
		if of.tokenID != nil {
			l.Name, id = "tokens", of.tokenID.Bytes()
		}
		l.Add(of.contractID, id)
	}
	return l
}

// end selects the last or the first record.
func end(last bool) query.Selection {
	return query.Selection{Hi: tables.MaxPosition, Limit: 1, FromHigh: last, Columns: []string{mint.FieldID}}
}

// latest is the kind and standard of a subject's latest record. counts has a 0 for each kind
// that it has no records of.
type latest struct {
	kind   nft.Kind
	typ    nft.ContractType
	counts [2]*int64
}

// latestOf reads the latest record of each row of a table k(n, b), and calls read for the
// rows that have one. The table contains tokens or collections, depending on the name of l.
// with writes the WITH clause of the table, and args are its arguments.
func latestOf(ctx context.Context, s *read.Snapshot, key query.Key, l *query.List, with func(*entsql.Builder), args []any, read func(n int64, id evm.Uint256, found latest)) error {
	text := s.DB.Statement(key, func(client *ent.Client) entsql.Querier {
		return entsql.ExprFunc(func(b *entsql.Builder) {
			b.SetDialect(s.DB.Database.Dialect())
			with(b)
			writeLatest(b, client, l)
		})
	})
	for _, kind := range [...]nft.Kind{nft.Mint, nft.Burn} {
		args = append(args, l.Records(kind).Args(s.DB.Database.Dialect(), end(true))...)
	}
	none := new(int64)
	err := s.Tx.Run(ctx, text, args, func(row *database.Row) error {
		var id evm.Uint256
		n := row.Int64()
		if l.Name == "tokens" {
			row.Scan(&id)
		} else {
			row.Skip(1)
		}
		var last position
		var found latest
		for _, kind := range [...]nft.Kind{nft.Mint, nft.Burn} {
			if row.Null() {
				row.Skip(3)
				found.counts[kind] = none
				continue
			}
			at := position{tables.BlockOf(row.Int64()), row.Int64(), row.Int64()}
			typ := nft.ERC721
			if row.Bool() {
				typ = nft.ERC1155
			}
			if found.typ == "" || at.compare(last) > 0 {
				last, found.kind, found.typ = at, kind, typ
			}
		}
		if row.Err() == nil && found.typ != "" {
			read(n, id, found)
		}
		return row.Err()
	})
	return database.Wrap(err, "reading the latest records")
}

// position is the position of a record of either kind in chain order.
type position struct {
	block              uint64
	logIndex, subIndex int64
}

func (p position) compare(other position) int {
	return cmp.Or(cmp.Compare(p.block, other.block), cmp.Compare(p.logIndex, other.logIndex), cmp.Compare(p.subIndex, other.subIndex))
}

// writeLatest writes the rest of latestOf's statement, after its table.
func writeLatest(b *entsql.Builder, client *ent.Client, l *query.List) {
	one := func(kind nft.Kind) {
		b.Wrap(func(b *entsql.Builder) { b.Join(l.Records(kind).Selector(client, end(true))) })
	}
	b.WriteString(" SELECT ends.n, ends.b")
	for _, of := range [...]string{"m", "u"} {
		b.WriteString(", " + of + "." + mint.FieldID + ", " + of + "." + mint.FieldLogIndex + ", " + of + "." + mint.FieldSubIndex + ", " + of + "." + mint.FieldOperator + " IS NOT NULL")
	}
	b.WriteString(" FROM (SELECT k.n, k.b, ")
	if b.Dialect() == dialect.Postgres {
		b.WriteString("m.id AS m, u.id AS u FROM k LEFT JOIN LATERAL ")
		one(nft.Mint)
		b.WriteString(" AS m ON TRUE LEFT JOIN LATERAL ")
		one(nft.Burn)
		b.WriteString(" AS u ON TRUE")
	} else {
		one(nft.Mint)
		b.WriteString(" AS m, ")
		one(nft.Burn)
		b.WriteString(" AS u FROM k")
	}
	b.WriteString(") AS ends LEFT JOIN " + mint.Table + " AS m ON m.id = ends.m + 0 LEFT JOIN " + burn.Table + " AS u ON u.id = ends.u + 0")
}

// RecordOf returns the first or the last record of a kind of each token or collection, with
// one statement. The records are the items of one page. at contains the index of the item of
// each subject, or -1 if it has no record.
func (in Subjects) RecordOf(ctx context.Context, kind nft.Kind, last bool, subjects []*Subject) (page *RecordPage, at []int, err error) {
	s := in.snapshot
	l := listOf(subjects)
	q, of := l.Records(kind), end(last)
	text := s.DB.Statement(q.Key("end", of), func(client *ent.Client) entsql.Querier {
		return q.Positioned(client, query.Selection{Joined: true}, func(b *entsql.Builder) { q.EachEnd(b, client, of) })
	})
	args := append(l.Table().Args(s.DB.Database.Dialect()), q.Args(s.DB.Database.Dialect(), of)...)
	items, contracts, err := readTransfers(ctx, s, kind, database.Statement{Text: text, Args: args})
	if err != nil {
		return nil, nil, err
	}
	found := make(map[tables.TokenKey]int, len(items))
	for i, item := range items {
		key := tables.TokenKey{ContractID: contracts[i]}
		if l.Name == "tokens" {
			key.TokenID = item.TokenID
		}
		found[key] = i
	}
	at = make([]int, len(subjects))
	for i, of := range subjects {
		key := tables.TokenKey{ContractID: of.contractID}
		if of.tokenID != nil {
			key.TokenID = *of.tokenID
		}
		var ok bool
		if at[i], ok = found[key]; !ok {
			at[i] = -1
		}
	}
	return pageOf(s, &query.Query{Kind: kind}, items), at, nil
}
