//go:build cgo && !nosqlite

package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"entgo.io/ent/dialect"
)

// CheckSchema returns a [*ForeignError] if the schema of a SQLite database is not that of its migrations.
func (db *DB) CheckSchema(ctx context.Context, migrations []Migration) error {
	if db.dialect != dialect.SQLite {
		return nil
	}
	return Wrap(checkForeign(ctx, db.writer, migrations), "opening database %s", db.file.path)
}

// checkForeign returns a [*ForeignError] if the schema of a SQLite file is not that of its migrations: it has a
// trigger or a view more, or one of their tables and views otherwise or not at all. It leaves other tables
// and all indexes alone.
func checkForeign(ctx context.Context, pool *sql.DB, migrations []Migration) error {
	got, foreign, version, err := readSchema(ctx, pool)
	// A new file has nothing to compare.
	if err != nil || len(got)+len(foreign) == 0 {
		return err
	}
	want, views, err := expectedObjects(ctx, migrations, version)
	if err != nil {
		return fmt.Errorf("reading the schema of the migrations: %w", err)
	}
	later := len(migrations) > 0 && version > migrations[len(migrations)-1].Version
	for name, o := range got {
		w, ours := want[name]
		switch {
		case ours && (w.kind != o.kind || !later && w.text != o.text && !views[o]), name == versionTable && o.kind != "table":
			foreign = append(foreign, fmt.Sprintf("another %s %s", o.kind, o.name))
		case !ours && o.kind == "view" && !later && !views[o]:
			foreign = append(foreign, "the view "+o.name)
		}
	}
	for name, w := range want {
		if _, found := got[name]; !found && !later {
			foreign = append(foreign, fmt.Sprintf("no %s %s", w.kind, name))
		}
	}
	if len(foreign) == 0 {
		return nil
	}
	slices.Sort(foreign)
	return &ForeignError{foreign}
}

// readSchema returns the [schemaObjects] of a database and its version, 0 if it has none. Another process may
// migrate the database.
func readSchema(ctx context.Context, pool *sql.DB) (objects map[string]object, triggers []string, version int64, err error) {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, nil, 0, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	// Unlike the transactions of the pool, this one takes no lock.
	if _, err := conn.ExecContext(ctx, "BEGIN DEFERRED"); err != nil {
		return nil, nil, 0, err
	}
	defer func() {
		_, ended := conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		err = errors.Join(err, ended)
	}()
	objects, triggers, err = schemaObjects(ctx, conn)
	if err == nil && objects[versionTable].kind == "table" {
		err = conn.QueryRowContext(ctx, selectVersion).Scan(&version)
	}
	return objects, triggers, version, err
}

// object is a table or a view of a SQLite schema. text is its normalized statement.
type object struct{ kind, name, text string }

// schemaObjects returns the tables and views of a database by their names in lower case, without those of
// SQLite, and descriptions of its triggers.
func schemaObjects(ctx context.Context, of interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
}) (objects map[string]object, triggers []string, err error) {
	rows, err := of.QueryContext(ctx, "SELECT type, name, tbl_name, COALESCE(sql, '') FROM sqlite_schema WHERE type IN ('table', 'view', 'trigger') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	objects = map[string]object{}
	for rows.Next() {
		var o object
		var table, text string
		if err := rows.Scan(&o.kind, &o.name, &table, &text); err != nil {
			return nil, nil, err
		}
		if o.kind == "trigger" {
			triggers = append(triggers, fmt.Sprintf("the trigger %s on %s", o.name, table))
			continue
		}
		o.text = normalized(text)
		objects[strings.ToLower(o.name)] = o
	}
	return objects, triggers, rows.Err()
}

// expectedObjects returns the tables and views that the migrations up to a version create, and the views of all
// versions: they only read, so that those of another version do no harm.
func expectedObjects(ctx context.Context, migrations []Migration, version int64) (objects map[string]object, views map[object]bool, err error) {
	pool := (&file{path: ":memory:"}).pool(1, 0, url.Values{"mode": {"memory"}})
	defer func() { err = errors.Join(err, pool.Close()) }()
	objects, views = map[string]object{}, map[object]bool{}
	for _, m := range migrations {
		if _, err := pool.ExecContext(ctx, m.Text); err != nil {
			return nil, nil, err
		}
		all, _, err := schemaObjects(ctx, pool)
		if err != nil {
			return nil, nil, err
		}
		for _, o := range all {
			if o.kind == "view" {
				views[o] = true
			}
		}
		if m.Version <= version {
			objects = all
		}
	}
	return objects, views, nil
}

// normalized returns the text of a statement without white space, comments and quotes of names. The columns and
// constraints of a table are in alphabetical order, because a migration that is applied again appends its
// columns.
func normalized(text string) string {
	var clean strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\'':
			end := i + 1
			for end < len(text) && text[end] != '\'' {
				end++
			}
			clean.WriteString(text[i:min(end+1, len(text))])
			i = end
		case c == '-' && strings.HasPrefix(text[i:], "--"):
			line, _, _ := strings.Cut(text[i:], "\n")
			i += len(line)
		case c == '/' && strings.HasPrefix(text[i:], "/*"):
			comment, _, _ := strings.Cut(text[i:], "*/")
			i += len(comment) + 1
		case strings.IndexByte(" \t\r\n\"`[]", c) < 0:
			clean.WriteByte(c)
		}
	}
	statement := clean.String()
	head, body, found := strings.Cut(statement, "(")
	last := strings.LastIndex(body, ")")
	if !found || last < 0 || !strings.HasPrefix(strings.ToUpper(head), "CREATETABLE") {
		return statement
	}
	var parts []string
	depth, from, quoted := 0, 0, false
	for i := range last {
		switch c := body[i]; {
		case c == '\'':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			parts, from = append(parts, body[from:i]), i+1
		}
	}
	parts = append(parts, body[from:last])
	slices.Sort(parts)
	return head + "(" + strings.Join(parts, ",") + body[last:]
}
