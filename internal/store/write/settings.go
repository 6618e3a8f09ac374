package write

import (
	"context"
	"fmt"
	"slices"

	"mintburn/ent/burn"
	"mintburn/ent/mint"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
)

// Settings reads and stores the chain, collections and numbering of a database, and the
// follower's reports on its nodes.
type Settings struct {
	store *DB
	// unstored is that of [Settings.Unstored].
	unstored bool
}

// Settings returns the settings of the database.
func (s *DB) Settings() Settings { return Settings{store: s} }

// Unstored returns settings whose methods check, return the same, and store nothing: for commands that
// only read, and until a node has answered.
func (s Settings) Unstored() Settings { return Settings{s.store, true} }

// set stores a setting as JSON, unless s is unstored.
func (s Settings) set(ctx context.Context, w *Tx, name string, value any) error {
	if s.unstored {
		return nil
	}
	return tables.Set(ctx, w.client, name, value)
}

// BindChain stores the chain that the database belongs to (EIP-155 chain id). It
// returns an error if the database belongs to another one.
func (s Settings) BindChain(ctx context.Context, id uint64) error {
	return s.store.WriteWithoutLease(ctx, func(ctx context.Context, w *Tx) error {
		var bound uint64
		found, err := tables.Get(ctx, w.client, tables.ChainID, &bound)
		switch {
		case err != nil:
			return err
		case !found:
			return s.set(ctx, w, tables.ChainID, id)
		case bound != id:
			return fmt.Errorf("the database holds chain %d, not chain %d: use another database", bound, id)
		}
		return nil
	})
}

// ChainID returns the id of the chain that the database belongs to, or nil if it
// belongs to none yet.
func (s Settings) ChainID(ctx context.Context) (*uint64, error) {
	return settingOf[*uint64](ctx, s.store, tables.ChainID)
}

// BindContracts restricts the database to collections, and returns those that it is
// restricted to; none means all. Without addresses it changes nothing. It returns an
// error if the database contains all collections, or is restricted to others: the
// missing collections would look empty.
func (s Settings) BindContracts(ctx context.Context, contracts []evm.Address) (bound []evm.Address, err error) {
	contracts = nft.AddressSet(contracts)
	err = s.store.WriteWithoutLease(ctx, func(ctx context.Context, w *Tx) error {
		_, err := tables.Get(ctx, w.client, tables.Contracts, &bound)
		switch {
		case err != nil || len(contracts) == 0:
			return err
		case bound == nil:
		case !slices.Equal(contracts, bound):
			return fmt.Errorf("the database holds the collections %v only, asked for are %v: use another database", bound, contracts)
		default:
			return nil
		}
		begun, err := w.client.Coverage.Query().Exist(ctx)
		if err != nil {
			return fmt.Errorf("reading coverage: %w", err)
		}
		if begun {
			return fmt.Errorf("the database holds all collections, asked for are %v alone: use another database", contracts)
		}
		bound = contracts
		return s.set(ctx, w, tables.Contracts, contracts)
	})
	return bound, err
}

// BindTransactions stores whether the details of the transactions of later records are stored, unless
// wanted is nil, and returns it.
func (s Settings) BindTransactions(ctx context.Context, wanted *bool) (bound bool, err error) {
	err = s.store.WriteWithoutLease(ctx, func(ctx context.Context, w *Tx) error {
		if _, err := tables.Get(ctx, w.client, tables.Transactions, &bound); err != nil || wanted == nil || *wanted == bound {
			return err
		}
		bound = *wanted
		return s.set(ctx, w, tables.Transactions, bound)
	})
	return bound, err
}

// Numbering returns how the chain numbers its logs.
func (s Settings) Numbering(ctx context.Context) (n evm.Numbering, err error) {
	snapshot := s.store.Snapshot()
	defer snapshot.End(&err)
	text, _, err := tables.Setting(ctx, snapshot.Client(), tables.Numbering)
	return evm.Numbering(text), err
}

// BindNumbering stores how the chain numbers its logs, unless that is stored already, and
// returns the stored numbering. Only a block whose indices restart changes it later.
func (s Settings) BindNumbering(ctx context.Context, n evm.Numbering) (bound evm.Numbering, err error) {
	err = s.store.WriteWithoutLease(ctx, func(ctx context.Context, w *Tx) error {
		text, found, err := tables.Setting(ctx, w.client, tables.Numbering)
		if bound = evm.Numbering(text); err != nil || found && n != evm.NumberingTransaction || bound == n {
			return err
		}
		bound = n
		return tables.SetText(ctx, w.client, tables.Numbering, string(n))
	})
	return bound, err
}

// SetDeployment declares that the blocks before block have no mints or burns, so that the
// indexed blocks from it on are complete. It returns an error if a stored one has.
func (s Settings) SetDeployment(ctx context.Context, block uint64) error {
	return s.store.WriteWithoutLease(ctx, func(ctx context.Context, w *Tx) error {
		first := tables.FirstIn(min(block, tables.MaxBlock))
		minted, err := w.client.Mint.Query().Where(mint.IDLT(first)).Exist(ctx)
		if err != nil {
			return fmt.Errorf("reading mints: %w", err)
		}
		burned, err := w.client.Burn.Query().Where(burn.IDLT(first)).Exist(ctx)
		switch {
		case err != nil:
			return fmt.Errorf("reading burns: %w", err)
		case minted || burned:
			return fmt.Errorf("the database has mints or burns before block %d: want the block of the deployment, or an earlier one", block)
		}
		return s.set(ctx, w, tables.Deployment, block)
	})
}

// SetEndpoints stores the reports on the nodes.
func (s Settings) SetEndpoints(ctx context.Context, endpoints []read.Endpoint) error {
	return s.store.WriteWithoutLease(ctx, func(ctx context.Context, w *Tx) error {
		return tables.Set(ctx, w.client, tables.Endpoints, endpoints)
	})
}

// MarkLeavesOut permanently marks a node, by its [read.Endpoint.URL], as leaving out logs.
func (s Settings) MarkLeavesOut(ctx context.Context, url string) error {
	return s.store.WriteWithoutLease(ctx, func(ctx context.Context, w *Tx) error {
		var marked []string
		if _, err := tables.Get(ctx, w.client, tables.LeavesOut, &marked); err != nil || slices.Contains(marked, url) {
			return err
		}
		return tables.Set(ctx, w.client, tables.LeavesOut, append(marked, url))
	})
}

// LeavesOut returns the URLs marked by [Settings.MarkLeavesOut].
func (s Settings) LeavesOut(ctx context.Context) (urls []string, err error) {
	return settingOf[[]string](ctx, s.store, tables.LeavesOut)
}

// settingOf returns a JSON setting, or the zero value if there is none.
func settingOf[T any](ctx context.Context, s *DB, name string) (value T, err error) {
	snapshot := s.Snapshot()
	defer snapshot.End(&err)
	_, err = tables.Get(ctx, snapshot.Client(), name, &value)
	return value, err
}
