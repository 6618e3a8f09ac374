package read

import (
	"context"
	"encoding/json"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/setting"
	"mintburn/internal/apierror"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store/query"
	"mintburn/internal/store/tables"
)

// selectSetting returns the cached text of the statement for a setting, and its
// arguments.
func selectSetting(s *DB, name string) (text string, args []any) {
	return s.Statement(query.Key{Name: "setting"}, func(client *ent.Client) entsql.Querier {
		return client.Setting.Query().Where(setting.ID(name)).Selector()
	}), []any{name}
}

// settingText returns the text of a setting, or "" if there is none.
func settingText(ctx context.Context, s *Snapshot, name string) (string, error) {
	text, args := selectSetting(s.DB, name)
	var row ent.Setting
	err := s.Tx.Run(ctx, text, args, func(r *database.Row) error { return row.ReadRow(r) })
	return row.Value, err
}

// GetSetting reads a JSON setting, and returns false if there is none.
func GetSetting(ctx context.Context, s *Snapshot, name string, to any) (found bool, err error) {
	text, err := settingText(ctx, s, name)
	if err == nil && text != "" {
		found, err = true, json.Unmarshal([]byte(text), to)
	}
	return found, database.Wrap(err, "reading %s", name)
}

// RequireContract returns an error with the code NOT_FOUND if only some collections are
// indexed, and one of the addresses is not among them.
func RequireContract(ctx context.Context, s *Snapshot, addresses ...evm.Address) error {
	// Once per snapshot: a list of keys calls this for each key without a record.
	contracts, err := database.Shared(ctx, s.Tx, tables.Contracts, func(ctx context.Context) (known []evm.Address, err error) {
		_, err = GetSetting(ctx, s, tables.Contracts, &known)
		return known, err
	})
	if err != nil {
		return err
	}
	if len(contracts) == 0 {
		return nil
	}
	for _, address := range addresses {
		if !slices.Contains(contracts, address) {
			e := apierror.Errorf(apierror.NotFound, "collection %s is not indexed: only some collections are, see contracts of chain", address)
			e.Details = map[string]any{"contracts": contracts[:min(len(contracts), 100)]}
			return e
		}
	}
	return nil
}
