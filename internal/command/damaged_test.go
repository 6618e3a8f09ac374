package command_test

import (
	"regexp"
	"strings"
	"testing"
)

// TestCheck_NamesWhatExportsRefuse damages one value at a time. If an export refuses the row,
// check names it.
func TestCheck_NamesWhatExportsRefuse(t *testing.T) {
	t.Parallel()
	skipShort(t, "runs 40 exports")
	first := func(table string) string { return " WHERE id = (SELECT min(id) FROM " + table + ")" }
	for set, damages := range map[string]map[string][]string{
		"mints": {"mints": {
			"tx_suffix = CAST(zeroblob(24) AS text)", "tx_suffix = x'01'", "tx_prefix = 'x'", "account_suffix = x'0102'", "account_prefix = 1.5", "token_id = x''", "token_id = 'one'",
			"amount = x'05'", "amount = 7", "operator = x'01'", "log_index = 'x'", "sub_index = -1", "log_index = 99999999999", "contract_id = 'x'",
		}, "contracts": {"address = x'01'", "address = 'x'"}},
		"burns":    {"burns": {"burn_address = 'dead'", "burn_address = x'01'", "amount = x'020001'"}},
		"blocks":   {"blocks": {"parent_hash = x'01'", "time = -1", "time = 'noon'", "hash_suffix = x'01'", "hash_prefix = 'x'"}},
		"rejected": {"rejected_logs": {"topics = x'0102'", "reason = x'ff'", "address = x'01'", "tx_hash = 'x'", "data = 'text'"}},
		"metadata": {"tokens": {"attributes = '[{'", "attributes = '[{\"trait_type\":1}]'", "name = x'00'", "updated_at = 'x'", "fetched_at = -1", "token_id = x'ff'", "uri = x'00'"}},
	} {
		t.Run(set, func(t *testing.T) {
			t.Parallel()
			for table, changes := range damages {
				for _, change := range changes {
					db := importDemo(t)
					edit(t, db, "INSERT OR IGNORE INTO rejected_logs SELECT id << 30, zeroblob(20), zeroblob(32), zeroblob(32), x'', 'malformed' FROM blocks"+first("blocks"),
						"UPDATE "+table+" SET "+change+first(table))
					_, refused, code := run(t, nil, "export", set, "--db", db)
					if code != 1 {
						t.Errorf("%s.%s: the export exits %d: %s", table, change, code, refused)
					}
					stdout, stderr, code := run(t, nil, "check", "--db", db)
					if named := regexp.MustCompile(`(?m)^(block \d+: )?\w[a-z ]+ \d+: (the row is damaged: |the hash is damaged: )`).MatchString(stdout); code != 1 || !named || strings.Contains(stderr, "checking ") {
						t.Errorf("%s.%s: exit code %d: %s%s\nthe export said %s", table, change, code, stdout, stderr, refused)
					}
				}
			}
		})
	}
}
