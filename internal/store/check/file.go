package check

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"github.com/jackc/pgx/v5/pgconn"

	"mintburn/internal/database"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
)

// checkFile makes the database check its own files: SQLite with integrity_check,
// PostgreSQL with the extension amcheck. A repair rebuilds indexes that differ from their
// tables.
func checkFile(ctx context.Context, c *checker) error {
	if c.store.Database.Dialect() == dialect.Postgres {
		return checkPostgres(ctx, c)
	}
	indexes := map[string]bool{}
	err := c.read(ctx, func(s *read.Snapshot) error {
		return s.Tx.Query(ctx, entsql.Raw("PRAGMA integrity_check(1000)"), func(row *database.Row) error {
			line := row.Text()
			if row.Err() != nil || line == "ok" {
				return row.Err()
			}
			if match := brokenIndex.FindStringSubmatch(line); match != nil {
				indexes[match[1]] = true
				c.differ("SQLite: %s", line)
			} else {
				c.differ("SQLite: %s"+lost, line)
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	return reindex(ctx, c, indexes, "REINDEX ")
}

// brokenIndex matches the lines of integrity_check about an index.
var brokenIndex = regexp.MustCompile(`(?:missing from|entries in|non-unique entry in) index (\w+)`)

// reindex rebuilds indexes, each in its own transaction.
func reindex(ctx context.Context, c *checker, indexes map[string]bool, statement string) error {
	for name := range indexes {
		err := c.repair(ctx, func(ctx context.Context, w *write.Tx) error {
			_, err := w.Exec(ctx, entsql.Raw(statement+name))
			return err
		})
		if err != nil {
			return fmt.Errorf("building index %s: %w", name, err)
		}
	}
	return nil
}

// checkPostgres checks each index of PostgreSQL against its table.
func checkPostgres(ctx context.Context, c *checker) error {
	var indexes []string
	err := c.read(ctx, func(s *read.Snapshot) error {
		builder := s.Tx.Builder()
		list := builder.Select().AppendSelectExpr(entsql.Raw("quote_ident(indexname)")).From(builder.Table("pg_indexes")).
			Where(entsql.ExprP("schemaname = current_schema()")).OrderBy("indexname")
		return s.Tx.Query(ctx, list, func(row *database.Row) error {
			indexes = append(indexes, row.Text())
			return row.Err()
		})
	})
	if err != nil {
		return fmt.Errorf("reading the schema: %w", err)
	}
	broken := map[string]bool{}
	for _, name := range indexes {
		check := entsql.ExprFunc(func(b *entsql.Builder) {
			b.SetDialect(c.store.Database.Dialect())
			b.WriteString("SELECT bt_index_check(CAST(CAST(").Arg(name).WriteString(" AS text) AS regclass), true)")
		})
		err := c.read(ctx, func(s *read.Snapshot) error { return s.Tx.Query(ctx, check, read.Ignored) })
		var refused *pgconn.PgError
		switch {
		case !errors.As(err, &refused):
			if err != nil {
				return err
			}
		case refused.Code == "42883":
			c.note("PostgreSQL's files are not checked: want the extension amcheck")
			return nil
		case refused.Code == "42501":
			c.note("PostgreSQL's files are not checked: %s", refused.Message)
			return nil
		case refused.Code == "XX002":
			c.differ("PostgreSQL: %s", refused.Message)
			broken[name] = true
		default:
			return err
		}
	}
	return reindex(ctx, c, broken, "REINDEX INDEX ")
}
