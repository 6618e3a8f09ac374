package database_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"mintburn/internal/database"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// TestOpen_Encoding checks that only PostgreSQL databases that can store every text are opened,
// whatever the client's encoding is set to.
func TestOpen_Encoding(t *testing.T) {
	t.Parallel()
	dsn, err := url.Parse(pgtest.Direct(t))
	expect.NoError(t, err)
	admin, err := database.Open(t.Context(), dsn.String(), database.Options{})
	expect.NoError(t, err)
	defer func() { expect.NoError(t, admin.Close()) }()
	for encoding, want := range map[string]string{"UTF8": "", "LATIN1": "LATIN1", "EUC_JP": "EUC_JP", "SQL_ASCII": "SQL_ASCII", "WIN1251": "WIN1251"} {
		name := "of_" + strings.ToLower(encoding)
		expect.NoError(t, admin.Exec(t.Context(), fmt.Sprintf("CREATE DATABASE %s ENCODING '%s' LOCALE 'C' TEMPLATE template0", name, encoding)))
		expect.NoError(t, admin.Exec(t.Context(), fmt.Sprintf("ALTER DATABASE %s SET client_encoding = 'LATIN1'", name)))
		dsn.Path, dsn.RawQuery = name, dsn.RawQuery+"&client_encoding=LATIN1"
		db, err := database.Open(t.Context(), dsn.String(), database.Options{})
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), "the database has the encoding "+want+": want UTF8") {
				t.Errorf("%s: error %v", encoding, err)
			}
			continue
		}
		expect.NoError(t, err)
		expect.NoError(t, db.Exec(t.Context(), "CREATE TABLE texts (t text)"))
		expect.NoError(t, db.Exec(t.Context(), "INSERT INTO texts VALUES ('😀')"))
		var got []int64
		err = db.Query(t.Context(), "SELECT length(t) + 0::bigint FROM texts", nil, func(row *database.Row) error {
			got = append(got, row.Int64())
			return row.Err()
		})
		expect.NoError(t, err)
		expect.Equal(t, "characters", []int64{1}, got)
		expect.NoError(t, db.Close())
	}
}
