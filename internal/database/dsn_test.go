package database_test

import (
	"path/filepath"
	"strings"
	"testing"

	"mintburn/internal/database"
	"mintburn/internal/testing/expect"
)

// TestCheckDSN checks which addresses are refused, with the accepted forms and without secrets.
func TestCheckDSN(t *testing.T) {
	t.Parallel()
	for dsn, want := range map[string]string{
		"x.db": "", "a b/c?#%.db": "", "sqlite://x.db": "", "sqlite://a://b": "", "my=host.db": "", "./host=h": "", "/file:x": "", "10:30.db": "", "backup-10:30.db": "", "files:x.db": "", "hostile=1": "",
		"postgres://u:secret@h/d?sslmode=disable": "", "postgresql:///d": "",
		"": "empty database path", "sqlite://": "empty database path",
		"file:x.db?mode=rwc&key=secret": `unknown database "file:…"`, "FILE:secret": `"FILE:…"`, "file:///secret": `"file:…"`, "sqlite:secret": `"sqlite:…"`, "sqlite3:secret": `"sqlite3:…"`, "Sqlite://secret": `"Sqlite:…"`,
		"postgres:u:secret@h": `"postgres:…"`, "postgresql:secret": `"postgresql:…"`, "POSTGRES://u:secret@h/d": `"POSTGRES:…"`, "jdbc:postgresql://h/d?password=secret": `"jdbc:…"`,
		":memory:": `":memory:…"`, "redis://secret": `"redis://…"`, "mysql://u:secret@h/d": `"mysql://…"`, "u:secret@h/d?://": `unknown database "…"`, "a secret://x": `unknown database "…"`,
		"host=h password=secret dbname=d": `"host=…": want a file path, sqlite://PATH or postgres://…`,
		"dbname = secret":                 `"dbname =…"`, " user=secret": `"user=…"`, "password='secret' host=a://b": `"password=…"`, "sslmode=disable host=secret": `"sslmode=…"`, "service=secret": `"service=…"`,
		"postgres://h/d?keepalives=1&keepalives_idle=30&keepalives_interval=5&keepalives_count=3&gssencmode=prefer&sslcompression=0&requiressl=0":                              "",
		"postgres://h/d?fallback_application_name=x&ssl_min_protocol_version=TLSv1.2&hostaddr=10.0.0.1&sslcertmode=allow&sslcrl=&load_balance_hosts=disable&replication=false": "",
		"postgres://h/d?gssencmode=require": `gssencmode: got "require", which is not supported: leave it out`, "postgres://h/d?sslcrl=crl.pem": "invalid PostgreSQL address: sslcrl: ",
		"postgres://u:secret@h:port/d": "invalid PostgreSQL address: ", "postgres://u:p secret@h/d": "invalid PostgreSQL address: ",
	} {
		err := database.CheckDSN(dsn)
		if err != nil {
			text := err.Error()
			if !strings.Contains(text, want) || want == "" || strings.Contains(text, "secret") || strings.HasPrefix(want, "unknown") && !strings.Contains(text, "want a file path, sqlite://PATH or postgres://…") {
				t.Errorf("%q: got %s, want %s", dsn, text, want)
			}
		} else if want != "" {
			t.Errorf("%q: got no error, want %s", dsn, want)
		}
	}
	db, err := database.Open(t.Context(), filepath.Join(t.TempDir(), "10:30 %41?#.db"), database.Options{})
	expect.NoError(t, err)
	expect.NoError(t, db.Close())
}
