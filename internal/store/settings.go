package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/burn"
	"mintburn/ent/mint"
	"mintburn/ent/setting"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/query"
	"mintburn/internal/store/tables"
)

// Settings reads and stores the chain, collections and numbering of a database, and the
// follower's reports on its nodes.
type Settings struct{ store *Store }

// Settings returns the settings of the database.
func (s *Store) Settings() Settings { return Settings{s} }

// BindChain stores the chain that the database belongs to (EIP-155 chain id). It
// returns an error if the database belongs to another one.
func (s Settings) BindChain(ctx context.Context, id uint64) error {
	return s.store.writeWithoutLease(ctx, func(ctx context.Context, w *writer) error {
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

// BindContracts restricts the database to collections, and returns those that it is
// restricted to; none means all. Without addresses it changes nothing. It returns an
// error if the database contains all collections, or is restricted to others: the
// missing collections would look empty.
func (s Settings) BindContracts(ctx context.Context, contracts []evm.Address) (bound []evm.Address, err error) {
	contracts = addressSet(contracts)
	err = s.store.writeWithoutLease(ctx, func(ctx context.Context, w *writer) error {
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

// BindNumbering stores how the chain numbers its logs, unless that is stored already, and
// returns the stored numbering. Only a block whose indices restart changes it later.
func (s Settings) BindNumbering(ctx context.Context, n evm.Numbering) (bound evm.Numbering, err error) {
	err = s.store.writeWithoutLease(ctx, func(ctx context.Context, w *writer) error {
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
	return s.store.writeWithoutLease(ctx, func(ctx context.Context, w *writer) error {
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
		return tables.Set(ctx, w.client, tables.Deployment, block)
	})
}

// Endpoint is the follower's report on one of its nodes.
type Endpoint struct {
	// URL is the scheme and host, without credentials.
	URL string `json:"url"`
	// Healthy is false while the follower does not use the node because it failed.
	Healthy bool `json:"healthy"`
	// Head is the highest block that the node has reported, 0 before the first.
	Head uint64 `json:"head"`
	// FirstBlock is the first block that the node has, 0 while unknown or if it has all.
	FirstBlock uint64 `json:"first_block,omitempty"`
	// Contradicts is true while the follower does not use the node because it serves
	// another chain, or blocks that differ from the final ones stored here.
	Contradicts bool `json:"contradicts"`
	// LastError is the class of the node's latest failure, such as "timeout"; empty if
	// there was none. Clients see it, so it must not contain the node's own text.
	LastError string `json:"last_error"`
	// LeavesOut means that the node has left logs out of a range: its ranges are read
	// from receipts.
	LeavesOut bool `json:"leaves_out_logs,omitempty"`
	// WrongChain means that the node serves another chain and is not used.
	WrongChain bool `json:"wrong_chain,omitempty"`
	// LatencyMS is a moving average of the node's response times, in milliseconds.
	LatencyMS uint64 `json:"latency_ms"`
	// SeenAt is the time of this report, in Unix seconds, UTC.
	SeenAt uint64 `json:"seen_at"`
}

// endpointAge is the age from which a report says nothing about its node: a follower stores
// one every ten seconds.
const endpointAge = 30 * time.Second

// Current reports whether the report is at most 30 s old. A report of the future was stored
// before the clock was set back.
func (e Endpoint) Current(now time.Time) bool {
	return now.Sub(time.Unix(int64(e.SeenAt), 0)).Abs() <= endpointAge
}

// SetEndpoints stores the reports on the nodes.
func (s Settings) SetEndpoints(ctx context.Context, endpoints []Endpoint) error {
	return s.store.writeWithoutLease(ctx, func(ctx context.Context, w *writer) error {
		return tables.Set(ctx, w.client, tables.Endpoints, endpoints)
	})
}

// MarkLeavesOut permanently marks a node, by its [Endpoint.URL], as leaving out logs.
func (s Settings) MarkLeavesOut(ctx context.Context, url string) error {
	return s.store.writeWithoutLease(ctx, func(ctx context.Context, w *writer) error {
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
func settingOf[T any](ctx context.Context, s *Store, name string) (value T, err error) {
	snapshot := s.Snapshot()
	defer snapshot.end(&err)
	_, err = tables.Get(ctx, snapshot.client(), name, &value)
	return value, err
}

// selectSetting returns the cached text of the statement for a setting, and its
// arguments.
func (s *Reader) selectSetting(name string) (text string, args []any) {
	return s.statement(query.Key{Name: "setting"}, func(client *ent.Client) entsql.Querier {
		return client.Setting.Query().Where(setting.ID(name)).Selector()
	}), []any{name}
}

// settingText returns the text of a setting, or "" if there is none.
func settingText(ctx context.Context, s *State, name string) (string, error) {
	text, args := s.store.selectSetting(name)
	var row ent.Setting
	err := s.db.Run(ctx, text, args, func(r *database.Row) error { return row.ReadRow(r) })
	return row.Value, err
}

// getSetting reads a JSON setting, and returns false if there is none.
func getSetting(ctx context.Context, s *State, name string, to any) (found bool, err error) {
	text, err := settingText(ctx, s, name)
	if err == nil && text != "" {
		found, err = true, json.Unmarshal([]byte(text), to)
	}
	return found, database.Wrap(err, "reading %s", name)
}

// requireContract returns an error with the code NOT_FOUND if only some collections are
// indexed, and one of the addresses is not among them.
func requireContract(ctx context.Context, s *State, addresses ...evm.Address) error {
	known := s.contracts.Load()
	if known == nil {
		// Once per snapshot: a list of keys calls this for each key without a record.
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
