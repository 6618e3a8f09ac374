package tables

import (
	"context"
	"encoding/json"
	"fmt"

	"mintburn/ent"
	"mintburn/ent/setting"
	"mintburn/internal/database"
	"mintburn/internal/evm"
)

// The names of settings. Each value is JSON, unless said otherwise.
const (
	// ChainID is the EIP-155 chain id.
	ChainID = "chain_id"
	// Finalized is the last block that the chain called final, an [evm.Header].
	Finalized = "finalized"
	// Contracts are the collections that alone are indexed; absent when all are.
	Contracts = "contracts"
	// Decoding are the options of the decoder, Redecoding is an unfinished change
	// of them.
	Decoding   = "decoding"
	Redecoding = "redecoding"
	// Endpoints are the reports on the nodes.
	Endpoints = "endpoints"
	// LeavesOut are the URLs of the nodes that were caught leaving logs out.
	LeavesOut = "leaves_out_logs"
	// Spotted are the ranges of blocks of which a spot was proved.
	Spotted = "spotted"
	// Generation is a random text, see generation.go of package store.
	Generation = "generation"
	// PendingIndexes are the statements that a load has left to do.
	PendingIndexes = "pending_indexes"
	// Numbering is how the chain numbers its logs, a text; absent until a block
	// has shown it.
	Numbering = "log_numbering"
	// Gaps are the blocks that were given up, an array of [evm.Gap] in order.
	// Those that are indexed since are no gaps any more; the next change of the
	// setting drops them.
	Gaps = "gaps"
	// Unprovable are the blocks that can't be proved, in order.
	Unprovable = "unprovable"
)

// Setting returns the text of a setting, and false if there is none.
func Setting(ctx context.Context, client *ent.Client, name string) (string, bool, error) {
	row, found, err := Found(client.Setting.Get(ctx, name))
	if err != nil {
		return "", false, fmt.Errorf("reading %s: %w", name, err)
	}
	if !found {
		return "", false, nil
	}
	return row.Value, true, nil
}

// Get reads a setting that is JSON. It returns false, and leaves the value as it
// is, if there is none.
func Get(ctx context.Context, client *ent.Client, name string, to any) (bool, error) {
	text, found, err := Setting(ctx, client, name)
	if err != nil || !found {
		return false, err
	}
	return true, parse(name, text, to)
}

// parse reads a setting's text.
func parse(name, text string, to any) error {
	if err := json.Unmarshal([]byte(text), to); err != nil {
		return fmt.Errorf("reading %s: %w", name, err)
	}
	return nil
}

// All reads the given settings that are stored, each into the value of its name.
func All(ctx context.Context, client *ent.Client, read map[string]any) error {
	rows, err := client.Setting.Query().All(ctx)
	if err != nil {
		return fmt.Errorf("reading settings: %w", err)
	}
	for _, row := range rows {
		if to, known := read[row.ID]; known {
			if err := parse(row.ID, row.Value, to); err != nil {
				return err
			}
		}
	}
	return nil
}

// Set stores a setting as JSON.
func Set(ctx context.Context, client *ent.Client, name string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encoding %s: %w", name, err)
	}
	return SetText(ctx, client, name, string(text))
}

// SetText stores a setting.
func SetText(ctx context.Context, client *ent.Client, name, text string) error {
	n, err := client.Setting.Update().Where(setting.ID(name)).SetValue(text).Save(ctx)
	if err == nil && n == 0 {
		err = client.Setting.Create().SetID(name).SetValue(text).Exec(ctx)
	}
	return database.Wrap(err, "storing %s", name)
}

// Remove removes a setting.
func Remove(ctx context.Context, client *ent.Client, name string) error {
	if _, err := client.Setting.Delete().Where(setting.ID(name)).Exec(ctx); err != nil {
		return fmt.Errorf("removing %s: %w", name, err)
	}
	return nil
}

// FinalizedBlock returns the last block that the chain called final, and false
// while no node has said.
func FinalizedBlock(ctx context.Context, client *ent.Client) (header evm.Header, known bool, err error) {
	known, err = Get(ctx, client, Finalized, &header)
	return header, known, err
}
