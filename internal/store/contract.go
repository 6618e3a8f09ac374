package store

import (
	"context"
	"database/sql"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/contract"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// The bits of a contract's shapes.
const (
	shape721  = 1
	shape1155 = 2
)

// contractID returns the number of a contract, and false for one that no
// record or document named yet.
func (s *Snapshot) contractID(ctx context.Context, address evm.Address) (int64, bool, error) {
	if id, ok := s.store.contracts.Load(address); ok {
		return id.(int64), true, nil
	}
	t := s.builder().Table(contract.Table)
	statement := s.builder().Select(t.C(contract.FieldID)).From(t).
		Where(entsql.EQ(t.C(contract.FieldAddress), address))
	var id int64
	found, err := s.row(ctx, statement, &id)
	if err != nil {
		return 0, false, fmt.Errorf("looking up contract %s: %w", address, err)
	}
	if found {
		s.store.remember(id, address)
	}
	return id, found, nil
}

// contractAddress is the inverse of contractID.
func (s *Snapshot) contractAddress(ctx context.Context, id int64) (evm.Address, error) {
	if address, ok := s.store.contracts.Load(id); ok {
		return address.(evm.Address), nil
	}
	t := s.builder().Table(contract.Table)
	statement := s.builder().Select(t.C(contract.FieldAddress)).From(t).
		Where(entsql.EQ(t.C(contract.FieldID), id))
	var address evm.Address
	found, err := s.row(ctx, statement, &address)
	if err == nil && !found {
		err = sql.ErrNoRows
	}
	if err != nil {
		return address, fmt.Errorf("looking up contract %d: %w", id, err)
	}
	s.store.remember(id, address)
	return address, nil
}

// remember caches a committed row of contracts.
func (s *Store) remember(id int64, address evm.Address) {
	s.contracts.Store(id, address)
	s.contracts.Store(address, id)
}

// typeOf names the standard of a collection whose records had these shapes.
// A contract that emits both is called ERC-721; one without records, whose
// documents came first, is judged by the {id} that only an ERC-1155 URI has.
func typeOf(shapes int64, uriHasID bool) nft.ContractType {
	if shapes == shape1155 || shapes == 0 && uriHasID {
		return nft.ERC1155
	}
	return nft.ERC721
}
