package store_test

import (
	"fmt"
	"testing"
)

// reverts are the statements that revert migrations, the last one first.
var reverts = []struct {
	version    int
	statements []string
}{
	{20, []string{"DROP INDEX contracts_text"}},
	{19, []string{"DROP INDEX tokens_changed"}},
	{18, []string{"DROP TABLE changes", "DROP TABLE change_events", "ALTER TABLE tokens DROP COLUMN changed"}},
	{17, []string{"DROP TABLE transactions"}},
	{16, []string{"DROP VIEW v_collections", "DROP TABLE contract_metadata"}},
	{15, []string{
		"DROP TABLE trait_tokens", "DROP INDEX traits_name", "DROP INDEX trait_values_tokens", "ALTER TABLE contracts DROP COLUMN traits",
		"ALTER TABLE traits DROP COLUMN name", "ALTER TABLE traits DROP COLUMN tokens", "ALTER TABLE tokens DROP COLUMN display_types",
		"ALTER TABLE trait_values DROP COLUMN text", "ALTER TABLE trait_values DROP COLUMN tokens",
		"DELETE FROM settings WHERE id = 'traits_counted'",
	}},
	{14, []string{"DROP TABLE versions", "ALTER TABLE tokens DROP COLUMN cause", "ALTER TABLE resolutions DROP COLUMN woken"}},
	{13, []string{"ALTER TABLE contracts DROP COLUMN mint_excess", "ALTER TABLE contracts DROP COLUMN burn_excess"}},
}

// revert reverts the migrations after a version, which must be 12 or later.
func revert(t testing.TB, dsn string, version int) {
	t.Helper()
	for _, r := range reverts {
		if r.version > version {
			execute(t, dsn, r.statements...)
		}
	}
	execute(t, dsn, fmt.Sprintf("UPDATE settings SET value = '%d' WHERE id = 'compatible_from'", version), fmt.Sprintf("DELETE FROM schema_version WHERE version_id > %d", version))
}
