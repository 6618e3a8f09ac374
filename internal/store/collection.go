package store

import (
	"cmp"
	"context"
	"fmt"
	"math"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/block"
	"mintburn/ent/contract"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/cursor"
	"mintburn/internal/store/document"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
	"mintburn/internal/store/total"
)

// Collection is a collection with a mint or burn.
type Collection struct {
	// Address is the address of its contract.
	Address evm.Address
	Subject

	// firstLog is the position of the log of its first record, anchor the first bytes of
	// that block's hash.
	firstLog int64
	anchor   uint32
	// standards are those of its records, and perhaps of records that are gone.
	standards int8
}

// CollectionsOf returns the collection of each address, with one statement. A collection
// without a mint or burn is nil.
func (in Subjects) CollectionsOf(ctx context.Context, addresses []evm.Address) ([]*Collection, error) {
	s := in.snapshot
	found := make(map[evm.Address]*Collection, len(addresses))
	err := eachCollection(ctx, s, addresses, func(c *Collection) { found[c.Address] = c })
	collections := make([]*Collection, len(addresses))
	for i, address := range addresses {
		collections[i] = found[address]
	}
	return collections, err
}

// eachCollection calls read for each of the addresses whose collection has a record.
func eachCollection(ctx context.Context, s *read.Snapshot, addresses []evm.Address, read func(*Collection)) error {
	if len(addresses) == 0 {
		return nil
	}
	named := &query.List{}
	for _, address := range addresses {
		named.Add(0, address[:])
	}
	table, name := named.Table(), s.DB.Database.Dialect()
	text := s.DB.Statement(query.Key{Name: "collections of a list"}, func(client *ent.Client) entsql.Querier {
		return selectCollections(client, func(c *entsql.Selector) {
			builder := entsql.Dialect(c.Dialect())
			k := builder.Select("b").From(builder.Table("k")).Prefix(entsql.ExprFunc(func(b *entsql.Builder) {
				b.WriteString("WITH k(n, b) AS ").Wrap(table.Write)
			})).As("named")
			c.Join(k).On(c.C(contract.FieldAddress), k.C("b")).Where(entsql.NotNull(c.C(contract.FieldFirstLog)))
		})
	})
	return readCollections(ctx, s, text, table.Args(name), read)
}

// subjectColumns are the columns of contracts that readCollections reads. The hash prefix
// of the block comes after them.
var subjectColumns = []string{contract.FieldID, contract.FieldAddress, contract.FieldFirstLog, contract.FieldStandards,
	contract.FieldMintCount, contract.FieldMintExcess, contract.FieldBurnCount, contract.FieldBurnExcess}

// selectCollections selects the columns that readCollections reads.
func selectCollections(client *ent.Client, more func(*entsql.Selector)) *entsql.Selector {
	collections := client.Contract.Query()
	collections.Modify(func(c *entsql.Selector) {
		b := entsql.Dialect(c.Dialect()).Table(block.Table)
		first := c.C(contract.FieldFirstLog)
		c.LeftJoin(b).OnP(entsql.P(func(p *entsql.Builder) {
			p.WriteString(b.C(block.FieldID)).WriteString(" = ").WriteString(first).WriteString(fmt.Sprintf(" >> %d", tables.SlotBits))
		}))
		c.Select(c.Columns(subjectColumns...)...).AppendSelect(b.C(block.FieldHashPrefix))
	}, more)
	return collections.Selector()
}

// readCollections runs a statement built by selectCollections.
func readCollections(ctx context.Context, s *read.Snapshot, text string, args []any, each func(*Collection)) error {
	err := s.Tx.Run(ctx, text, args, func(row *database.Row) error {
		row.Begin(contract.Table, subjectColumns)
		c := &Collection{}
		c.contractID = row.Int64()
		row.Scan(&c.Address)
		c.firstLog, c.standards = row.Int64(), int8(row.Signed(math.MaxInt8))
		for kind := range c.known {
			of := &c.known[kind]
			if of.Tally, of.known = tables.CollectionTally(row); of.N > 0 {
				of.from = counter.LastBlock
			}
		}
		if c.anchor = cursor.AnchorOf(row.Int64()); row.Err() == nil {
			read.Remember(s, c.contractID, c.Address)
			each(c)
		}
		return row.Err()
	})
	return database.Wrap(err, "reading collections")
}

// TypesOf returns the standard of each collection, which is that of its latest record.
func (in Subjects) TypesOf(ctx context.Context, collections []*Collection) ([]nft.ContractType, error) {
	s := in.snapshot
	l, types := &query.List{Name: "collections"}, make([]nft.ContractType, len(collections))
	for i, c := range collections {
		if c.standards == tables.ERC721 || c.standards == tables.ERC1155 {
			types[i] = tables.TypeOf(c.standards, false)
		} else {
			l.Add(c.contractID, nil)
		}
	}
	if len(l.N) == 0 {
		return types, nil
	}
	found := make(map[int64]nft.ContractType, len(l.N))
	err := latestOf(ctx, s, query.Key{Name: "latest of collections"}, l, func(b *entsql.Builder) {
		l.Table().As(b.WriteString("WITH k(n, b)"))
	}, l.Table().Args(s.DB.Database.Dialect()), func(n int64, _ evm.Uint256, latest *latest) { found[n] = latest.typ })
	for i, c := range collections {
		types[i] = cmp.Or(types[i], found[c.contractID])
	}
	return types, err
}

// RequireCollection explains why a collection was not found: nil means that it has no
// record, otherwise the error has the code BLOCK_NOT_INDEXED or NOT_FOUND.
func (in Subjects) RequireCollection(ctx context.Context, address evm.Address) error {
	return read.RequireWhole(ctx, in.snapshot, "collection "+address.String(), address)
}

// Names are the name and symbol of a collection.
type Names = document.Names

// CollectionMetadata is the contract-level metadata of a collection.
type CollectionMetadata = document.CollectionMetadata

// NamesOf returns the names of each collection.
func (in Subjects) NamesOf(ctx context.Context, collections []*Collection) ([]Names, error) {
	found, err := document.NamesOf(ctx, in.snapshot, numbersOf(collections))
	return ofEach(collections, found), err
}

// CollectionMetadataOf returns the metadata of each collection, with these texts; nil if it was
// never fetched. Its errors are those of [document.CollectionsOf].
func (in Subjects) CollectionMetadataOf(ctx context.Context, collections []*Collection, texts read.Texts) ([]*CollectionMetadata, error) {
	found, err := document.CollectionsOf(ctx, in.snapshot, numbersOf(collections), texts)
	return ofEach(collections, found), err
}

// numbersOf returns the numbers of collections.
func numbersOf(collections []*Collection) []int64 {
	ids := make([]int64, len(collections))
	for i, c := range collections {
		ids[i] = c.contractID
	}
	return ids
}

// ofEach returns what was found for each collection.
func ofEach[V any](collections []*Collection, found map[int64]V) []V {
	values := make([]V, len(collections))
	for i, c := range collections {
		values[i] = found[c.contractID]
	}
	return values
}

// DocumentCounts are the numbers of a collection's tokens by fetch state.
type DocumentCounts = total.DocumentCounts

// DocumentCountsOf returns the number of tokens of each collection by fetch state.
func (in Subjects) DocumentCountsOf(ctx context.Context, collections []*Collection) ([]*DocumentCounts, error) {
	found, err := total.Documents(ctx, in.snapshot, numbersOf(collections))
	return ofEach(collections, found), err
}
