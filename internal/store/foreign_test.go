package store_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"mintburn/internal/database"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// TestOpen_ForeignSchema checks that a SQLite file with a trigger or a view more, or with a table or a view
// otherwise, is neither opened nor restored, in any version, and that other tables and indexes are left alone.
func TestOpen_ForeignSchema(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		statements []string
		want       string // none: it is opened
	}{
		"a trigger":                  {[]string{"CREATE TRIGGER t AFTER INSERT ON settings BEGIN DELETE FROM mints; END"}, "the trigger t on settings"},
		"a trigger of another table": {[]string{"CREATE TABLE others (id int)", "CREATE TRIGGER t AFTER INSERT ON others BEGIN DELETE FROM mints; END"}, "the trigger t on others"},
		"a trigger of the version":   {[]string{"CREATE TRIGGER t BEFORE DELETE ON schema_version BEGIN DELETE FROM mints; END"}, "the trigger t on schema_version"},
		"a trigger of a view":        {[]string{"CREATE TRIGGER t INSTEAD OF INSERT ON v_mints BEGIN DELETE FROM mints; END"}, "the trigger t on v_mints"},
		"a view":                     {[]string{"CREATE VIEW others AS SELECT 1"}, "the view others"},
		"another view":               {[]string{"DROP VIEW v_burns", "CREATE VIEW v_burns AS SELECT 1 AS position"}, "another view v_burns"},
		"a view for a table": {[]string{
			"DROP VIEW v_mints", "DROP VIEW v_burns", "DROP TABLE blocks",
			"CREATE VIEW Blocks AS WITH RECURSIVE r (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM r) SELECT id, 1 AS hash_prefix FROM r",
		}, "another view Blocks and 2 more"},
		"a missing table":        {[]string{"DROP TABLE transactions"}, "no table transactions"},
		"a column":               {[]string{"ALTER TABLE mints ADD COLUMN evil text"}, "another table mints"},
		"a generated column":     {[]string{"ALTER TABLE mints ADD COLUMN evil text AS (hex(token_id))"}, "another table mints"},
		"a constraint":           {[]string{"DROP TABLE transactions", "CREATE TABLE transactions (id integer PRIMARY KEY, sender blob NOT NULL, receiver blob, value blob NOT NULL, fee blob, CHECK (id > 5))"}, "another table transactions"},
		"other tables":           {[]string{"CREATE TABLE _litestream_seq (id integer PRIMARY KEY, seq integer)", "CREATE TABLE others (id integer PRIMARY KEY AUTOINCREMENT)", "INSERT INTO others VALUES (1)", "CREATE INDEX others_id ON others (id)", "CREATE INDEX mine ON mints (token_id)", "ANALYZE"}, ""},
		"a missing index":        {[]string{"DROP INDEX contracts_text"}, ""},
		"a version before":       {nil, ""},
		"a much earlier version": {[]string{"DROP VIEW v_collections", "DELETE FROM schema_version WHERE version_id > 15"}, "another table counters and 1 more"},
	} {
		t.Run(name, func(t *testing.T) {
			dsn := storetest.SQLite(t)
			if test.statements == nil {
				dsn = storetest.Before(t)
			}
			execute(t, dsn, test.statements...)
			s, err := write.Open(t.Context(), dsn, write.Options{})
			if err == nil {
				expect.NoError(t, s.Close())
			}
			foreign := new(database.ForeignError)
			restored := write.Restore(t.Context(), dsn, filepath.Join(t.TempDir(), "new.db"), false)
			for _, err := range []error{err, restored} {
				if test.want == "" != (err == nil) || err != nil && (!errors.As(err, &foreign) || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n")) {
					t.Errorf("got %v, want %q", err, test.want)
				}
			}
		})
	}
}
