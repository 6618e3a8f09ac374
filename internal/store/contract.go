package store

import (
	"context"
	"fmt"
	"slices"

	"mintburn/ent"
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
	id, err := s.client().Contract.Query().Where(contract.Address(address)).OnlyID(ctx)
	if ent.IsNotFound(err) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("looking up contract %s: %w", address, err)
	}
	s.store.remember(id, address)
	return id, true, nil
}

// contractAddresses is the inverse of contractID for many contracts, in their
// order: those that are not cached take one statement.
func (s *Snapshot) contractAddresses(ctx context.Context, ids []int64) ([]evm.Address, error) {
	addresses := make([]evm.Address, len(ids))
	var missing []int64
	isMissing := map[int64]bool{}
	for i, id := range ids {
		if i > 0 && id == ids[i-1] {
			addresses[i] = addresses[i-1]
		} else if cached, ok := s.store.contracts.Load(id); ok {
			addresses[i] = cached.(evm.Address)
		} else if !isMissing[id] {
			missing, isMissing[id] = append(missing, id), true
		}
	}
	if len(missing) == 0 {
		return addresses, nil
	}
	found := map[int64]evm.Address{}
	for part := range slices.Chunk(missing, maxArgs) {
		rows, err := s.client().Contract.Query().Where(contract.IDIn(part...)).All(ctx)
		if err != nil {
			return nil, fmt.Errorf("looking up contracts: %w", err)
		}
		for _, row := range rows {
			found[row.ID] = row.Address
			s.store.remember(row.ID, row.Address)
		}
	}
	if len(found) < len(missing) {
		return nil, fmt.Errorf("internal error: %d of %d contracts have no address", len(missing)-len(found), len(missing))
	}
	for i, id := range ids {
		if isMissing[id] {
			addresses[i] = found[id]
		}
	}
	return addresses, nil
}

// remember caches a committed row of contracts.
func (s *Store) remember(id int64, address evm.Address) {
	s.contracts.Store(id, address)
	s.contracts.Store(address, id)
}

// typeOf names the standard of a collection whose records had these shapes.
// A contract that emits both is called ERC-721; one without records, whose
// documents came first, is judged by the {id} that only an ERC-1155 URI has.
func typeOf(shapes int8, uriHasID bool) nft.ContractType {
	if shapes == shape1155 || shapes == 0 && uriHasID {
		return nft.ERC1155
	}
	return nft.ERC721
}
