package store

import (
	"context"
	"fmt"
	"slices"

	"mintburn/ent/contract"
	"mintburn/internal/evm"
	"mintburn/internal/store/tables"
)

// contractID returns the number of a contract, and false for one that no
// record or document named yet.
func contractID(ctx context.Context, s *Snapshot, address evm.Address) (int64, bool, error) {
	if id, ok := s.store.contracts.Load(address); ok {
		return id.(int64), true, nil
	}
	id, found, err := tables.Found(s.client().Contract.Query().Where(contract.Address(address)).OnlyID(ctx))
	if err != nil {
		return 0, false, fmt.Errorf("looking up contract %s: %w", address, err)
	}
	if found {
		s.store.remember(id, address)
	}
	return id, found, nil
}

// contractAddresses is the inverse of contractID for many contracts, in their
// order: those that are not cached take one statement.
func contractAddresses(ctx context.Context, s *Snapshot, ids []int64) ([]evm.Address, error) {
	addresses, missing, err := knownAddresses(ctx, s, ids)
	if err == nil && missing > 0 {
		err = fmt.Errorf("internal error: %d of %d contracts have no address", missing, len(ids))
	}
	return addresses, err
}

// knownAddresses is contractAddresses that returns the zero address for contracts
// that are not there, and their number.
func knownAddresses(ctx context.Context, s *Snapshot, ids []int64) (addresses []evm.Address, unknown int, err error) {
	addresses = make([]evm.Address, len(ids))
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
		return addresses, 0, nil
	}
	found := map[int64]evm.Address{}
	for part := range slices.Chunk(missing, maxArgs) {
		rows, err := s.client().Contract.Query().Where(contract.IDIn(part...)).All(ctx)
		if err != nil {
			return nil, 0, fmt.Errorf("looking up contracts: %w", err)
		}
		for _, row := range rows {
			found[row.ID] = row.Address
			s.store.remember(row.ID, row.Address)
		}
	}
	for i, id := range ids {
		if isMissing[id] {
			addresses[i] = found[id]
		}
	}
	return addresses, len(missing) - len(found), nil
}
