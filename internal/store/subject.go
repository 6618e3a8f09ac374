package store

import (
	"context"
	"slices"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
)

// Subject is the token or collection of records.
type Subject struct {
	contractID int64
	// tokenID is nil for a collection.
	tokenID *evm.Uint256
	// known are the tallies of its records by kind.
	known [2]known
}

// known is the tally of all records of a kind, if it is known without reading them. It is
// also that as of each block from a block on.
type known struct {
	counter.Tally
	known bool
	from  uint64
}

// AsSubject returns the subject of a type that embeds it.
func (of *Subject) AsSubject() *Subject { return of }

// Subjects reads many tokens, or many collections, of a snapshot at once.
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

// latest is the kind and standard of a subject's latest record; last are its block, log index and sub
// index. The tallies of kinds with few records may be known.
type latest struct {
	last  [3]int64
	kind  nft.Kind
	typ   nft.ContractType
	known [2]known
}

// read reads the position and the standard of a record of a kind, and returns its block.
func (l *latest) read(row *database.Row, kind nft.Kind) (block uint64) {
	block = tables.BlockOf(row.Int64())
	at := [...]int64{int64(block), row.Int64(), row.Int64()}
	typ := nft.ERC721
	if row.Bool() {
		typ = nft.ERC1155
	}
	if l.typ == "" || slices.Compare(at[:], l.last[:]) > 0 {
		l.last, l.kind, l.typ = at, kind, typ
	}
	return block
}

// latestOf reads the latest record of each row of a table k(n, b), and calls read for the
// rows that have one. The table contains tokens or collections, depending on the name of l.
// with writes the WITH clause of the table, and args are its arguments. No tallies are known.
func latestOf(ctx context.Context, s *read.Snapshot, key query.Key, l *query.List, with func(*entsql.Builder), args []any, read func(n int64, id evm.Uint256, found *latest)) error {
	text := s.DB.Statement(key, func(client *ent.Client) entsql.Querier {
		return entsql.ExprFunc(func(b *entsql.Builder) {
			b.SetDialect(s.DB.Database.Dialect())
			with(b)
			l.WriteLatest(b, client)
		})
	})
	err := s.Tx.Run(ctx, text, append(args, l.LatestArgs(s.DB.Database.Dialect())...), func(row *database.Row) error {
		var id evm.Uint256
		n := row.Int64()
		if l.Name == "tokens" {
			row.Scan(&id)
		} else {
			row.Skip(1)
		}
		var found latest
		for _, kind := range [...]nft.Kind{nft.Mint, nft.Burn} {
			if row.Null() {
				row.Skip(3)
			} else {
				found.read(row, kind)
			}
		}
		if row.Err() == nil && found.typ != "" {
			read(n, id, &found)
		}
		return row.Err()
	})
	return database.Wrap(err, "reading the latest records")
}

// fewEach is how many records of a token SQLite reads on average before it looks up the latest alone.
const fewEach = 2 * query.Few

// tokensIn is [latestOf] for a table of at most so many tokens. The tallies of tokens with few
// records are known.
func tokensIn(ctx context.Context, s *read.Snapshot, key query.Key, tokens int, with func(*entsql.Builder), args []any, read func(n int64, id evm.Uint256, found *latest)) error {
	few, most, given := key, fewEach*tokens, slices.Clip(args)
	few.Name = "few of " + key.Name
	text := s.DB.Statement(few, func(*ent.Client) entsql.Querier {
		return entsql.ExprFunc(func(b *entsql.Builder) {
			b.SetDialect(s.DB.Database.Dialect())
			with(b)
			query.WriteFew(b, most)
		})
	})
	postgres := s.DB.Database.Dialect() == dialect.Postgres
	if !postgres {
		given = append(given, most)
	}
	rows, found := 0, make(map[tables.TokenKey]*latest, tokens)
	err := s.Tx.Run(ctx, text, given, func(row *database.Row) error {
		var at tables.TokenKey
		at.ContractID = row.Int64()
		row.Scan(&at.TokenID)
		one := found[at]
		if one == nil {
			one = &latest{known: [2]known{{known: true}, {known: true}}}
			found[at] = one
		}
		var amount evm.Uint256
		kind := nft.Kind(row.Unsigned(uint64(nft.Burn)))
		block := one.read(row, kind)
		row.Scan(&amount)
		of := &one.known[kind]
		of.Tally, of.from = of.Plus(counter.Tally{N: 1, Amount: counter.AmountOf(amount)}), max(of.from, block)
		of.known = !postgres || of.N < query.Few
		rows++
		return row.Err()
	})
	switch {
	case err != nil:
		return database.Wrap(err, "reading the records of tokens")
	case !postgres && rows == most:
		return latestOf(ctx, s, key, &query.List{Name: "tokens"}, with, args, read)
	}
	for at, one := range found {
		read(at.ContractID, at.TokenID, one)
	}
	return nil
}

// RecordOf returns the first or the last record of a kind of each token or collection, with
// one statement. The records are the items of one page. at contains the index of the item of
// each subject, or -1 if it has no record.
func (in Subjects) RecordOf(ctx context.Context, kind nft.Kind, last bool, subjects []*Subject) (page *RecordPage, at []int, err error) {
	s := in.snapshot
	l := listOf(subjects)
	q, of := l.Records(kind), query.End(last)
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
