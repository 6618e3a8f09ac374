package migrations

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"entgo.io/ent/dialect"

	"mintburn/ent/setting"
	"mintburn/internal/database"
	"mintburn/internal/store/tables"
)

// Files are the migrations of this program.
//
//go:embed */*.sql
var Files embed.FS

// Silent is the last migration without a declaration, because programs of that version do
// not read declarations.
const Silent = 6

// The directives of a file.
const (
	compatible = "-- +mintburn compatible_from "
	none       = "none"
	apart      = "-- +goose NO TRANSACTION"
)

// Of returns the migrations for a dialect in order. files has them in the folders sqlite
// and postgres.
func Of(files fs.FS, name string) (list []database.Migration, err error) {
	folder := "sqlite"
	if name == dialect.Postgres {
		folder = "postgres"
	}
	// ReadDir sorts by name.
	entries, err := fs.ReadDir(files, folder)
	if err != nil {
		return nil, fmt.Errorf("reading migrations: %w", err)
	}
	oldest := int64(0)
	for _, entry := range entries {
		text, err := fs.ReadFile(files, path.Join(folder, entry.Name()))
		if err != nil {
			return nil, fmt.Errorf("reading migrations: %w", err)
		}
		m, declared, err := parse(entry.Name(), string(text))
		if err != nil {
			return nil, fmt.Errorf("reading migration %s: %w", entry.Name(), err)
		}
		if m.Version > Silent {
			oldest = max(oldest, declared)
			m.Text += declare(oldest)
		}
		list = append(list, m)
	}
	return list, nil
}

// parse parses a file. declared is the oldest version whose programs still work after it.
func parse(name, text string) (m database.Migration, declared int64, err error) {
	number, rest, _ := strings.Cut(strings.TrimSuffix(name, ".sql"), "_")
	if m.Version, err = strconv.ParseInt(number, 10, 64); err != nil {
		return m, 0, err
	}
	m.Name, m.Text, declared = rest, text, m.Version
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		m.Apart = m.Apart || line == apart
		if after, found := strings.CutPrefix(line, compatible); found && after != none {
			declared, err = strconv.ParseInt(after, 10, 64)
			if err != nil || declared < Silent || declared >= m.Version {
				return m, 0, fmt.Errorf("got %q, want an older version from %d on, or %s", line, Silent, none)
			}
		}
	}
	if m.Apart && declared == m.Version {
		return m, 0, fmt.Errorf("want a line %q: programs write while it is applied", compatible+"N")
	}
	return m, declared, nil
}

// declare returns the statement that stores the oldest version whose programs work with
// the database.
func declare(version int64) string {
	return fmt.Sprintf("\nINSERT INTO %s (%s, %s) VALUES ('%s', '%d') ON CONFLICT (%[2]s) DO UPDATE SET %[3]s = excluded.%[3]s;\n",
		setting.Table, setting.FieldID, setting.FieldValue, tables.CompatibleFrom, version)
}
