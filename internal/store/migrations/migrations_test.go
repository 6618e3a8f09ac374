package migrations_test

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"entgo.io/ent/dialect"

	"mintburn/internal/database"
	"mintburn/internal/store/migrations"
	"mintburn/internal/testing/expect"
)

var (
	createIndex = regexp.MustCompile(`CREATE (?:UNIQUE )?INDEX (CONCURRENTLY )?(?:IF NOT EXISTS )?(\w+) ON (\w+)`)
	dropIndex   = regexp.MustCompile(`DROP INDEX CONCURRENTLY IF EXISTS (\w+)`)
	createTable = regexp.MustCompile(`CREATE TABLE (?:IF NOT EXISTS )?(\w+)`)
)

// names returns the first group of each match.
func names(of *regexp.Regexp, text string) (list []string) {
	for _, match := range of.FindAllStringSubmatch(text, -1) {
		list = append(list, match[1])
	}
	return list
}

// onlyConcurrent reports whether each statement of a migration creates or drops an index
// concurrently. Any other statement may wait for a table without a limit, and block all
// statements that arrive after it.
func onlyConcurrent(text string) bool {
	text, _, _ = strings.Cut(text, declares)
	for _, statement := range strings.Split(regexp.MustCompile("(?m)^--.*$").ReplaceAllString(text, ""), ";\n") {
		if strings.TrimSpace(statement) != "" && !strings.Contains(statement, " INDEX CONCURRENTLY ") {
			return false
		}
	}
	return true
}

// declares is the beginning of the statement that [migrations.Of] adds to a migration.
const declares = "INSERT INTO settings"

// problems returns the errors in migrations. Those up to [migrations.Silent] are exempt
// from most rules.
func problems(files fs.FS) (list []string) {
	complain := func(m database.Migration, text string) { list = append(list, fmt.Sprintf("%d: %s", m.Version, text)) }
	both := map[string][]database.Migration{}
	for folder, name := range map[string]string{"sqlite": dialect.SQLite, "postgres": dialect.Postgres} {
		all, err := migrations.Of(files, name)
		if err != nil {
			return []string{err.Error()}
		}
		both[folder] = all
		for i, m := range all {
			switch text := m.Text; {
			case m.Version != int64(i)+1:
				complain(m, "the numbers are not 1, 2, 3, …")
			case strings.Contains(text, "-- +goose Down"):
				complain(m, "its Down part would be applied")
			case m.Version <= migrations.Silent:
			case strings.Count(text, "-- +mintburn compatible_from ") != 1:
				complain(m, "it does not declare compatible_from")
			case folder == "sqlite" && m.Apart:
				complain(m, "SQLite has no migrations without a transaction")
			case folder == "postgres":
				if m.Apart && !onlyConcurrent(text) {
					complain(m, "a statement without a transaction is not CONCURRENTLY")
				}
				for _, index := range createIndex.FindAllStringSubmatch(text, -1) {
					isNew := slices.Contains(names(createTable, text), index[3])
					dropped := slices.Contains(names(dropIndex, strings.Split(text, index[0])[0]), index[2])
					if !isNew && (index[1] == "" || !m.Apart || !dropped) {
						complain(m, "it does not drop and create "+index[2]+" concurrently, without a transaction")
					}
				}
			}
		}
	}
	sqlite, postgres := both["sqlite"], both["postgres"]
	if len(sqlite) != len(postgres) {
		return append(list, "the databases have different migrations")
	}
	for i, m := range sqlite {
		_, one, _ := strings.Cut(m.Text, declares)
		_, other, _ := strings.Cut(postgres[i].Text, declares)
		if m.Name != postgres[i].Name || m.Version > migrations.Silent && one != other {
			complain(m, "the databases have different migrations")
		}
	}
	return list
}

func TestFiles(t *testing.T) {
	if found := problems(migrations.Files); found != nil {
		t.Error(strings.Join(found, "\n"))
	}
}

// TestFiles_Problems checks that [TestFiles] finds each problem in the next migration.
func TestFiles_Problems(t *testing.T) {
	const declared, apart = "-- +mintburn compatible_from 6\n", "-- +goose NO TRANSACTION\n"
	const build = "DROP INDEX CONCURRENTLY IF EXISTS mints_note;\nCREATE INDEX CONCURRENTLY mints_note ON mints (note);\n"
	for name, c := range map[string]struct{ sqlite, postgres, want string }{
		"correct":               {declared + "SELECT 1;\n", declared + apart + build, ""},
		"a new table":           {declared, declared + "CREATE TABLE notes (note text);\nCREATE INDEX notes_note ON notes (note);\n", ""},
		"no declaration":        {"SELECT 1;\n", declared, "7: it does not declare compatible_from"},
		"its own version":       {"-- +mintburn compatible_from 7\n", declared, "want an older version from 6 on"},
		"not a number":          {"-- +mintburn compatible_from six\n", declared, "want an older version from 6 on"},
		"apart, no declaration": {declared, apart + build, "programs write while it is applied"},
		"apart on SQLite":       {declared + apart, declared, "SQLite has no migrations without a transaction"},
		"a Down part":           {declared + "-- +goose Down\n", declared, "its Down part would be applied"},
		"an index that locks":   {declared, declared + "CREATE INDEX mints_note ON mints (note);\n", "7: it does not drop and create mints_note concurrently"},
		"in a transaction":      {declared, declared + build, "7: it does not drop and create mints_note concurrently"},
		"not dropped":           {declared, declared + apart + "CREATE UNIQUE INDEX CONCURRENTLY mints_note ON mints (note);\n", "7: it does not drop and create mints_note concurrently"},
		"more than indexes":     {declared, declared + apart + "ALTER TABLE mints ADD COLUMN note text;\n" + build, "7: a statement without a transaction is not CONCURRENTLY"},
		"dropped afterwards":    {declared, declared + apart + "CREATE INDEX CONCURRENTLY mints_note ON mints (note);\nDROP INDEX CONCURRENTLY IF EXISTS mints_note;\n", "7: it does not drop and create mints_note concurrently"},
	} {
		t.Run(name, func(t *testing.T) {
			found := strings.Join(problems(with(t, map[string]string{"sqlite/00007_note.sql": c.sqlite, "postgres/00007_note.sql": c.postgres})), "\n")
			if c.want == "" && found != "" || !strings.Contains(found, c.want) {
				t.Errorf("found %q, want %q", found, c.want)
			}
		})
	}
	t.Run("different migrations", func(t *testing.T) {
		found := strings.Join(problems(with(t, map[string]string{"sqlite/00007_note.sql": declared, "postgres/00007_remark.sql": declared})), "\n")
		expect.Equal(t, "problems", "7: the databases have different migrations", found)
		found = strings.Join(problems(with(t, map[string]string{"sqlite/00008_note.sql": declared, "postgres/00007_note.sql": declared})), "\n")
		if !strings.Contains(found, "8: the numbers are not 1, 2, 3") {
			t.Errorf("found %q", found)
		}
	})
}

// TestOf_CompatibleFrom checks that no migration lowers the version that an earlier one
// has declared.
func TestOf_CompatibleFrom(t *testing.T) {
	list, err := migrations.Of(with(t, map[string]string{
		"sqlite/00007_a.sql": "-- +mintburn compatible_from 6\n", "sqlite/00008_b.sql": "SELECT 1;\n",
		"sqlite/00009_c.sql": "-- +mintburn compatible_from 7\n",
	}), dialect.SQLite)
	expect.NoError(t, err)
	for i, want := range []string{"'6'", "'8'", "'8'"} {
		if m := list[migrations.Silent+i]; !strings.Contains(m.Text, want) {
			t.Errorf("migration %d is not compatible from %s on: %s", m.Version, want, m.Text)
		}
	}
}

// with returns the migrations up to [migrations.Silent], and more.
func with(t *testing.T, more map[string]string) fs.FS {
	t.Helper()
	files := fstest.MapFS{}
	expect.NoError(t, fs.WalkDir(migrations.Files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Base(name) >= fmt.Sprintf("%05d", migrations.Silent+1) {
			return err
		}
		text, err := fs.ReadFile(migrations.Files, name)
		files[name] = &fstest.MapFile{Data: text}
		return err
	}))
	for name, text := range more {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}
