package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/burn"
	"mintburn/ent/mint"
	"mintburn/ent/setting"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/tables"
)

// Settings are what a database is bound to, and what the follower reports of its
// nodes.
type Settings struct{ store *Store }

// Settings returns the settings of the database.
func (s *Store) Settings() Settings { return Settings{s} }

// BindChain notes the chain that the database belongs to (EIP-155 chain id),
// and refuses any other from then on.
func (s Settings) BindChain(ctx context.Context, id uint64) error {
	return s.store.writeBeside(ctx, func(ctx context.Context, w *writer) error {
		var bound uint64
		found, err := tables.Get(ctx, w.client, tables.ChainID, &bound)
		switch {
		case err != nil:
			return err
		case !found:
			return tables.Set(ctx, w.client, tables.ChainID, id)
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

// BindContracts notes the collections that alone are indexed, and returns those
// that the database is bound to: none means all. It refuses to restrict a
// database that holds all collections, and to change the restriction of one:
// missing collections would look empty. No addresses leave it as it is.
func (s Settings) BindContracts(ctx context.Context, contracts []evm.Address) (bound []evm.Address, err error) {
	contracts = addressSet(contracts)
	err = s.store.writeBeside(ctx, func(ctx context.Context, w *writer) error {
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
		return tables.Set(ctx, w.client, tables.Contracts, contracts)
	})
	return bound, err
}

// Numbering returns how the chain numbers its logs.
func (s Settings) Numbering(ctx context.Context) (n evm.Numbering, err error) {
	snapshot := s.store.Snapshot()
	defer snapshot.end(&err)
	text, _, err := tables.Setting(ctx, snapshot.client(), tables.Numbering)
	return evm.Numbering(text), err
}

// BindNumbering notes how the chain numbers its logs, unless that is noted
// already, and returns the noted numbering: nothing changes it.
func (s Settings) BindNumbering(ctx context.Context, n evm.Numbering) (bound evm.Numbering, err error) {
	err = s.store.writeBeside(ctx, func(ctx context.Context, w *writer) error {
		text, found, err := tables.Setting(ctx, w.client, tables.Numbering)
		if bound = evm.Numbering(text); err != nil || found {
			return err
		}
		bound = n
		return tables.SetText(ctx, w.client, tables.Numbering, string(n))
	})
	return bound, err
}

// SetDeployment notes that no block before one has a mint or burn, so that what is indexed
// from it on is complete. It refuses to if a stored one has.
func (s Settings) SetDeployment(ctx context.Context, block uint64) error {
	return s.store.writeBeside(ctx, func(ctx context.Context, w *writer) error {
		first := tables.FirstIn(min(block, MaxBlock))
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
		return tables.Set(ctx, w.client, tables.Deployment, block)
	})
}

// Endpoint is what the follower knows of a node that it asks.
type Endpoint struct {
	// URL is scheme and host, without credentials.
	URL string `json:"url"`
	// Healthy is false while the node is not asked because it failed.
	Healthy bool `json:"healthy"`
	// Head is the highest block that it has shown, 0 before the first.
	Head uint64 `json:"head"`
	// Contradicts is true while the node is not asked because it serves another
	// chain, or other blocks than those that are final here.
	Contradicts bool `json:"contradicts"`
	// LastError is the class of its latest failure, such as "timeout"; empty when
	// there was none. Clients see it: it must not repeat the node's words.
	LastError string `json:"last_error"`
	// LeavesOut says that the node was caught leaving logs out of a range: its
	// ranges are read from receipts.
	LeavesOut bool `json:"leaves_out_logs,omitempty"`
	// WrongChain says that the node serves another chain, and is not asked.
	WrongChain bool `json:"wrong_chain,omitempty"`
	// LatencyMS is a moving average over its answers, in milliseconds.
	LatencyMS uint64 `json:"latency_ms"`
	// SeenAt is the time of this report, in Unix seconds, UTC.
	SeenAt uint64 `json:"seen_at"`
}

// SetEndpoints stores the reports on the nodes.
func (s Settings) SetEndpoints(ctx context.Context, endpoints []Endpoint) error {
	return s.store.writeBeside(ctx, func(ctx context.Context, w *writer) error {
		return tables.Set(ctx, w.client, tables.Endpoints, endpoints)
	})
}

// MarkLeavesOut notes that a node, by its [Endpoint.URL], leaves logs out. The mark
// stays for ever.
func (s Settings) MarkLeavesOut(ctx context.Context, url string) error {
	return s.store.writeBeside(ctx, func(ctx context.Context, w *writer) error {
		var marked []string
		if _, err := tables.Get(ctx, w.client, tables.LeavesOut, &marked); err != nil || slices.Contains(marked, url) {
			return err
		}
		return tables.Set(ctx, w.client, tables.LeavesOut, append(marked, url))
	})
}

// LeavesOut returns the nodes that [Settings.MarkLeavesOut] noted.
func (s Settings) LeavesOut(ctx context.Context) (urls []string, err error) {
	return settingOf[[]string](ctx, s.store, tables.LeavesOut)
}

// settingOf reads a setting that is JSON, the zero value if there is none.
func settingOf[T any](ctx context.Context, s *Store, name string) (value T, err error) {
	snapshot := s.Snapshot()
	defer snapshot.end(&err)
	_, err = tables.Get(ctx, snapshot.client(), name, &value)
	return value, err
}

// selectSetting returns the cached text of the statement for a setting, and its
// arguments.
func (s *Store) selectSetting(name string) (text string, args []any) {
	return s.statement(statementKey{name: "setting"}, func(client *ent.Client) entsql.Querier {
		return client.Setting.Query().Where(setting.ID(name)).Selector()
	}), []any{name}
}

// settingText returns the text of a setting, or "" if there is none.
func settingText(ctx context.Context, s *Snapshot, name string) (string, error) {
	text, args := s.store.selectSetting(name)
	var row ent.Setting
	err := s.db.Run(ctx, text, args, func(r *database.Row) error { return row.ReadRow(r) })
	return row.Value, err
}

// getSetting reads a setting that is JSON, and returns false if there is none.
func getSetting(ctx context.Context, s *Snapshot, name string, to any) (found bool, err error) {
	text, err := settingText(ctx, s, name)
	if err == nil && text != "" {
		found, err = true, json.Unmarshal([]byte(text), to)
	}
	return found, database.Wrap(err, "reading %s", name)
}

// requireContract refuses a collection that is not indexed where only some are.
func requireContract(ctx context.Context, s *Snapshot, addresses ...evm.Address) error {
	known := s.contracts.Load()
	if known == nil {
		// Once for a snapshot: a list of keys asks for each that has no record.
		known = new([]evm.Address)
		if _, err := getSetting(ctx, s, tables.Contracts, known); err != nil {
			return err
		}
		s.contracts.Store(known)
	}
	contracts := *known
	if len(contracts) == 0 {
		return nil
	}
	for _, address := range addresses {
		if !slices.Contains(contracts, address) {
			e := nft.Errorf(nft.NotFound, "collection %s is not indexed: only some collections are, see contracts of chain", address)
			e.Details = map[string]any{"contracts": contracts[:min(len(contracts), 100)]}
			return e
		}
	}
	return nil
}
