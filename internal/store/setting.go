package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/setting"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// The names of settings.
const (
	// settingChainID is the EIP-155 chain id, decimal.
	settingChainID = "chain_id"
	// settingFinalized is the last block that the chain called final, as JSON;
	// see finality.go.
	settingFinalized = "finalized"
	// settingContracts are the collections that alone are indexed, as a JSON
	// array; absent when all are.
	settingContracts = "contracts"
	// settingDecoding are the options of the decoder, settingRedecoding is an
	// unfinished change of them, as JSON; see decoding.go.
	settingDecoding   = "decoding"
	settingRedecoding = "redecoding"
	// settingEndpoints is what is known of the nodes, as JSON.
	settingEndpoints = "endpoints"
	// settingLeavesOut are the nodes that were caught leaving logs out, as a JSON
	// array of the URLs of endpoints.
	settingLeavesOut = "leaves_out_logs"
	// settingSpotted are the ranges of blocks that spots were taken from, as JSON;
	// see spot.go.
	settingSpotted = "spotted"
	// settingGeneration is a name, see generation.go.
	settingGeneration = "generation"
	// settingPostponed is what is left of a load, see load.go.
	settingPostponed = "postponed"
)

// BindChain notes the chain that the database belongs to (EIP-155 chain id),
// and refuses any other from then on.
func (s *Store) BindChain(ctx context.Context, id uint64) error {
	_, err := s.write(ctx, func(ctx context.Context, w *writer) error {
		row, err := w.store.client(w.tx).Setting.Get(ctx, settingChainID)
		switch {
		case ent.IsNotFound(err):
			return w.set(ctx, settingChainID, strconv.FormatUint(id, 10))
		case err != nil:
			return fmt.Errorf("reading the chain id: %w", err)
		case row.Value != strconv.FormatUint(id, 10):
			return fmt.Errorf("the database holds chain %s, not chain %d: use another database", row.Value, id)
		}
		return nil
	})
	return err
}

// ChainID returns the id of the chain that the database belongs to, or nil if it
// belongs to none yet.
func (s *Store) ChainID(ctx context.Context) (id *uint64, err error) {
	snapshot := s.Snapshot()
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	var c Chain
	err = snapshot.settings(ctx, &c)
	return c.ID, err
}

// BindContracts notes the collections that alone are indexed, and returns those
// that the database is bound to: none means all. It refuses to restrict a
// database that holds all collections, and to change the restriction of one:
// what is missing would look empty. No addresses leave it as it is.
func (s *Store) BindContracts(ctx context.Context, contracts []evm.Address) (bound []evm.Address, err error) {
	contracts = slices.Clone(contracts)
	slices.SortFunc(contracts, func(a, b evm.Address) int { return bytes.Compare(a[:], b[:]) })
	contracts = slices.Compact(contracts)
	_, err = s.write(ctx, func(ctx context.Context, w *writer) error {
		err := w.get(ctx, map[string]any{settingContracts: &bound})
		switch {
		case err != nil || len(contracts) == 0:
			return err
		case bound == nil:
		case !slices.Equal(contracts, bound):
			return fmt.Errorf("the database holds the collections %v only, asked for are %v: use another database", bound, contracts)
		default:
			return nil
		}
		begun, err := w.store.client(w.tx).Coverage.Query().Exist(ctx)
		if err != nil {
			return fmt.Errorf("reading coverage: %w", err)
		}
		if begun {
			return fmt.Errorf("the database holds all collections, asked for are %v alone: use another database", contracts)
		}
		bound = contracts
		return w.setJSON(ctx, settingContracts, contracts)
	})
	return bound, err
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

// SetEndpoints notes what is known of the nodes.
func (s *Store) SetEndpoints(ctx context.Context, endpoints []Endpoint) error {
	_, err := s.write(ctx, func(ctx context.Context, w *writer) error {
		return w.setJSON(ctx, settingEndpoints, endpoints)
	})
	return err
}

// MarkLeavesOut notes that a node, by its [Endpoint.URL], leaves logs out. Nothing
// takes that back.
func (s *Store) MarkLeavesOut(ctx context.Context, url string) error {
	_, err := s.write(ctx, func(ctx context.Context, w *writer) error {
		var marked []string
		if err := w.get(ctx, map[string]any{settingLeavesOut: &marked}); err != nil || slices.Contains(marked, url) {
			return err
		}
		return w.setJSON(ctx, settingLeavesOut, append(marked, url))
	})
	return err
}

// LeavesOut returns the nodes that [Store.MarkLeavesOut] noted.
func (s *Store) LeavesOut(ctx context.Context) (urls []string, err error) {
	snapshot := s.Snapshot()
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	_, err = snapshot.get(ctx, settingLeavesOut, &urls)
	return urls, err
}

// get reads settings that are JSON into what the values of read point to, by name.
// Those that are not stored leave it as it is.
func (w *writer) get(ctx context.Context, read map[string]any) error {
	names := slices.Collect(maps.Keys(read))
	rows, err := w.store.client(w.tx).Setting.Query().Where(setting.IDIn(names...)).All(ctx)
	if err != nil {
		return fmt.Errorf("reading settings: %w", err)
	}
	for _, row := range rows {
		if err := json.Unmarshal([]byte(row.Value), read[row.ID]); err != nil {
			return fmt.Errorf("reading %s: %w", row.ID, err)
		}
	}
	return nil
}

// setJSON is set of a value as JSON.
func (w *writer) setJSON(ctx context.Context, name string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encoding %s: %w", name, err)
	}
	return w.set(ctx, name, string(text))
}

func (w *writer) set(ctx context.Context, name, value string) error {
	_, err := w.exec(ctx, w.store.builder().Insert(setting.Table).Columns(setting.FieldID, setting.FieldValue).Values(name, value).
		OnConflict(entsql.ConflictColumns(setting.FieldID), entsql.ResolveWithNewValues()))
	if err != nil {
		return fmt.Errorf("storing %s: %w", name, err)
	}
	return nil
}

// selectSetting returns the cached text of the statement for a setting, and its
// arguments.
func (s *Store) selectSetting(name string) (text string, args []any) {
	text = s.statements.Get(statementKey{name: "setting"}, func() string {
		text, _ := s.queries.Setting.Query().Where(setting.ID(name)).Selector().Query()
		return text
	})
	return text, []any{name}
}

// setting returns the value of a setting, or "" if there is none.
func (s *Snapshot) setting(ctx context.Context, name string) (string, error) {
	text, args := s.store.selectSetting(name)
	var row ent.Setting
	err := s.run(ctx, text, args, func(r *database.Row) error { return row.ReadRow(r) })
	return row.Value, err
}

// get reads a setting that is JSON, and returns false if there is none.
func (s *Snapshot) get(ctx context.Context, name string, to any) (found bool, err error) {
	value, err := s.setting(ctx, name)
	if err == nil && value != "" {
		found, err = true, json.Unmarshal([]byte(value), to)
	}
	if err != nil {
		return false, fmt.Errorf("reading %s: %w", name, err)
	}
	return found, nil
}

// settings fills in what the settings know of the chain.
func (s *Snapshot) settings(ctx context.Context, c *Chain) error {
	read := map[string]any{settingChainID: &c.ID, settingFinalized: &c.Finalized, settingContracts: &c.Contracts, settingEndpoints: &c.Endpoints,
		settingGaps: &c.Gaps, settingUnprovable: &c.Unprovable}
	rows, err := s.client().Setting.Query().All(ctx)
	if err != nil {
		return fmt.Errorf("reading settings: %w", err)
	}
	for _, row := range rows {
		to, known := read[row.ID]
		if !known {
			continue
		}
		// Each value is JSON; a chain id in decimal is, too.
		if err := json.Unmarshal([]byte(row.Value), to); err != nil {
			return fmt.Errorf("reading settings: %s: %w", row.ID, err)
		}
	}
	return nil
}

// requireContract refuses a collection that is not indexed where only some are.
func (s *Snapshot) requireContract(ctx context.Context, address evm.Address) error {
	var c Chain
	if err := s.settings(ctx, &c); err != nil || len(c.Contracts) == 0 || slices.Contains(c.Contracts, address) {
		return err
	}
	e := nft.Errorf(nft.NotFound, "collection %s is not indexed: only some collections are, see contracts of chain", address)
	e.Details = map[string]any{"contracts": c.Contracts[:min(len(c.Contracts), 100)]}
	return e
}
