package store

import (
	"context"
	"encoding/binary"
	"strings"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/contract"
	"mintburn/internal/apierror"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/cursor"
	"mintburn/internal/store/document"
	"mintburn/internal/store/page"
	"mintburn/internal/store/query"
	"mintburn/internal/store/tables"
)

// An id is base64url of a letter for the type and a key. The letters are 'M' (mint), 'B'
// (burn), 'T' (metadata of a token), 'N' (token) and 'C' (collection). The key of a record
// is its position and the first 4 bytes of its block's hash, so that the id of an orphaned
// record never identifies another one. The other keys are the contract's address, followed
// by the token id except for a collection.

// Node is the object with an id. One of the fields is set.
type Node struct {
	// Page contains the record as its only item.
	Page *RecordPage
	// Token and Collection have a record.
	Token      *Token
	Collection *Collection
	// Metadata is a token's metadata.
	Metadata *document.TokenMetadata
}

// Node returns the object with an id, or nil if it does not exist or no longer exists.
// Metadata has the selected texts. If that saves round trips, Node also reads the selected
// metadata of a record. An id that this API never returned is an error with the code
// BAD_USER_INPUT.
func (s *Snapshot) Node(ctx context.Context, id string, also page.Selected) (*Node, error) {
	invalid := apierror.Errorf(apierror.BadUserInput, "invalid id: want one that this API returned")
	if len(id) > cursor.MaxLength || strings.ContainsAny(id, "\r\n") {
		return nil, invalid
	}
	b, err := cursor.Encoding.DecodeString(id)
	if err != nil || len(b) == 0 {
		return nil, invalid
	}
	letter, b := b[0], b[1:]
	switch {
	case letter == 'C' && len(b) == 20:
		found, err := s.Subjects().CollectionsOf(ctx, []evm.Address{evm.Address(b)})
		if err != nil || found[0] == nil {
			return nil, err
		}
		return &Node{Collection: found[0]}, nil
	case (letter == 'T' || letter == 'N') && len(b) > 20:
		key := nft.TokenKey{Contract: evm.Address(b[:20])}
		if err := key.TokenID.Scan(b[20:]); err != nil {
			return nil, invalid
		}
		if letter == 'N' {
			found, err := s.Subjects().TokensOf(ctx, []nft.TokenKey{key})
			if err != nil || found[0] == nil {
				return nil, err
			}
			return &Node{Token: found[0]}, nil
		}
		found, err := s.MetadataOf(ctx, []nft.TokenKey{key}, also.Texts)
		if err != nil || found[key] == nil {
			return nil, err
		}
		return &Node{Metadata: found[key]}, nil
	case (letter == 'M' || letter == 'B') && len(b) == 12:
		kind := nft.Mint
		if letter == 'B' {
			kind = nft.Burn
		}
		pos := int64(binary.BigEndian.Uint64(b))
		if pos < 0 || pos > tables.MaxPosition {
			return nil, invalid
		}
		q := &query.Query{Kind: kind, Lo: pos, Hi: pos}
		items, _, err := transfers(ctx, s.Snapshot, q, pos, pos, 1, false, false)
		if err != nil || len(items) == 0 || cursor.AnchorOf(items[0].Block.Hash.Prefix()) != binary.BigEndian.Uint32(b[8:]) {
			return nil, err
		}
		p := pageOf(s.Snapshot, q, items)
		if also.Metadata && s.Tx.Gathers() {
			err = p.prefetchMetadata(also.Texts)(ctx)
		}
		return &Node{Page: p}, err
	default:
		return nil, invalid
	}
}

// TokenNodeID returns the token's opaque global id.
func TokenNodeID(key nft.TokenKey) string { return tokenNodeID('N', key) }

// MetadataNodeID returns the opaque global id of a token's metadata.
func MetadataNodeID(key nft.TokenKey) string { return tokenNodeID('T', key) }

func tokenNodeID(letter byte, key nft.TokenKey) string {
	b := append([]byte{letter}, key.Contract[:]...)
	return cursor.Encoding.EncodeToString(append(b, key.TokenID.Bytes()...))
}

// CollectionNodeID returns the collection's opaque global id.
func CollectionNodeID(address evm.Address) string {
	return cursor.Encoding.EncodeToString(append([]byte{'C'}, address[:]...))
}

// Examples are existing records for example queries; nil if there is none.
type Examples struct {
	// Mint and Burn are the newest records of their kind.
	Mint, Burn *Transfer
	// Collection has token metadata.
	Collection *evm.Address
}

// Examples returns existing records.
func (s *Snapshot) Examples(ctx context.Context) (*Examples, error) {
	examples := &Examples{}
	for kind, newest := range map[nft.Kind]**Transfer{nft.Mint: &examples.Mint, nft.Burn: &examples.Burn} {
		items, _, err := transfers(ctx, s.Snapshot, &query.Query{Kind: kind}, 0, tables.MaxPosition, 1, true, false)
		if err != nil {
			return nil, err
		}
		if len(items) > 0 {
			*newest = &items[0]
		}
	}
	row, found, err := tables.Found(s.Client().Contract.Query().Where(contract.TokensGT(0)).
		Order(contract.ByTokens(entsql.OrderDesc()), contract.ByID()).First(ctx))
	if found {
		examples.Collection = &row.Address
	}
	return examples, database.Wrap(err, "looking for a collection with metadata")
}
