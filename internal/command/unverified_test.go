package command_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// TestRestore_Unverified restores a copy with altered rows, and with marks that would hide them: every block
// is verified, digested, proved by spots and final, the last with another hash. With --unverified the audit finds and
// repairs each row, also after a copy. Without, the marks stay.
func TestRestore_Unverified(t *testing.T) {
	t.Parallel()
	skipShort(t, "audits a chain")
	node := "http://" + chaintest.Anvil(t, "--load-state", chainA(t, "state.json"))
	db, folder := importChainA(t), t.TempDir()
	honest := exported(t, db)
	edit(t, db,
		"DELETE FROM mints WHERE id = (SELECT min(id) FROM mints)",
		"UPDATE mints SET amount = x'0105' WHERE id = (SELECT id FROM mints ORDER BY id LIMIT 1 OFFSET 40)",
		"UPDATE burns SET account_suffix = x'0102030405060708090a0b0c' WHERE id = (SELECT min(id) FROM burns)",
		"DELETE FROM rejected_logs WHERE reason = 'cap'",
		"DELETE FROM coverage WHERE kind IN ('verified', 'final')",
		"INSERT INTO coverage (kind, from_block, to_block) SELECT column1, 0, 360 FROM (VALUES ('verified'), ('final'))",
		"UPDATE changes SET final = 360",
		"UPDATE blocks SET hash_prefix = 7 WHERE id = 360",
		`INSERT OR REPLACE INTO settings (id, value) VALUES
			('finalized', '{"number":360,"hash":"0x`+strings.Repeat("07", 32)+`","parent_hash":"0x`+strings.Repeat("08", 32)+`","time":1}'),
			('spotted', '[{"From":0,"To":360}]'), ('deployment', '3'), ('leaves_out_logs', '["http://127.0.0.1"]'),
			('unprovable', '[{"from_block":0,"to_block":360,"reason":"none"}]'),
			('gaps', '[{"from_block":361,"to_block":999,"reason":"none","next_try":9999999999}]'),
			('endpoints', '[{"url":"http://127.0.0.1","contradicts":true}]')`)
	const claims = "SELECT kind AS claim FROM coverage WHERE kind IN ('verified', 'final', 'digested') UNION SELECT id FROM settings WHERE id IN " +
		"('finalized', 'spotted', 'unprovable', 'gaps', 'deployment', 'endpoints', 'leaves_out_logs') UNION SELECT 'changes' FROM changes WHERE final >= 0"
	taken, trusted, copied := filepath.Join(folder, "taken.db"), filepath.Join(folder, "trusted.db"), filepath.Join(folder, "copied.db")
	mustRun(t, "restore", "--db", trusted, db)
	expect.Equal(t, "claims", 11, len(rows(t, open(t, trusted), claims)))
	mustRun(t, "restore", "--unverified", "--db", taken, db)
	expect.Equal(t, "claims", []string(nil), rows(t, open(t, taken), claims))
	mustRun(t, "copy", "--from", taken, "--to", copied)
	servers := map[string]*server{}
	for _, db := range []string{taken, copied} {
		servers[db] = start(t, "serve", "--audit=full", "--poll", "10ms", "--db", db, "--rpc", node)
	}
	for db, s := range servers {
		until(t, func() bool {
			data := s.Ask(t, "{ chain { verifiedRanges { fromBlock toBlock } } }", "").Data
			ranges, _ := data["chain"].(map[string]any)["verifiedRanges"].([]any)
			return len(ranges) > 0 && cmp.Equal(ranges[0], any(map[string]any{"fromBlock": number("0"), "toBlock": number("296")}))
		})
		for _, found := range []string{
			"block 3: mint at log 0, sub index 0 (collection 0x663f3ad617193148711d28f5334ee4ed07016602, token 0) is missing",
			"amount: stored is 5, the chain has 1", "from: stored is ", "block 54: rejected log 1 is missing",
		} {
			if !strings.Contains(s.output.String(), found) {
				t.Errorf("the audit did not report %q: %s", found, s.output)
			}
		}
		expect.Equal(t, "records", honest, exported(t, db))
	}
}
