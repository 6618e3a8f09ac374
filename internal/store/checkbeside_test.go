package store_test

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/database"
	"mintburn/internal/nft"
	"mintburn/internal/store/check"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// TestCheck_BesideFollower commits blocks and documents of another process between the statements
// of a check, which must find no differences, and waits for nobody.
func TestCheck_BesideFollower(t *testing.T) {
	skipShort(t)
	onBoth(t, func(t *testing.T, dsn string) {
		follower := checked(t, dsn)
		blocks := branch(1, 1, 1300, checkedBlocks()[len(checkedBlocks())-1].Header.Hash, 400, between(40, 800))
		sent, stored, claimed := 0, 0, newClock()
		s := open(t, dsn, write.Options{Options: database.Options{OnStatement: func(string, []any) {
			if sent++; sent%11 > 0 || stored+5 > len(blocks) {
				return
			}
			apply(t, follower, blocks[stored:stored+5])
			stored += 5
			for _, task := range claim(t, claimed.queue(follower), 3) {
				r := claimed.fetched(task, fmt.Sprint("document ", sent))
				r.Document.Attributes = []nft.Attribute{{TraitType: "a", Value: fmt.Sprint(sent % 7)}}
				finish(t, claimed.queue(follower), r)
			}
		}}})
		wantClean(t, "beside a follower", s)
		if stored < 50 {
			t.Errorf("%d blocks were stored meanwhile", stored)
		}
	})
}

// TestCheck_NoTemporaryTables checks that a check without temporary tables says so, and compares
// the rest: by a role without the privilege, and on a standby.
func TestCheck_NoTemporaryTables(t *testing.T) {
	skipShort(t)
	t.Parallel()
	primary := pgtest.NewServer(t)
	expect.NoError(t, checked(t, primary.DSN).Close())
	execute(t, primary.DSN, "UPDATE counters SET n = n + 1", "UPDATE coverage SET to_block = 1049 WHERE kind = 'indexed' AND from_block = 1000",
		"REVOKE TEMPORARY ON DATABASE "+databaseName(t, primary.DSN)+" FROM PUBLIC", "CREATE ROLE poor LOGIN", "GRANT SELECT ON ALL TABLES IN SCHEMA public TO poor")
	address, err := url.Parse(primary.DSN)
	expect.NoError(t, err)
	address.User = url.User("poor")
	for name, dsn := range map[string]string{"a role": address.String(), "a standby": strings.Replace(primary.Replica().DSN, "read-write", "standby", 1)} {
		var lines []string
		s := open(t, dsn, write.Options{Options: database.Options{ReadOnly: true}})
		_, err := check.Run(t.Context(), s, check.Options{Report: func(line string) { lines = append(lines, line) }})
		if !errors.Is(err, database.ErrNoShadow) || !slices.ContainsFunc(lines, contains("are not indexed, but there are")) || slices.ContainsFunc(lines, contains("counters")) {
			t.Errorf("%s: %v, %q", name, err, lines)
		}
	}
}
