package store_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/check"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/page"
	"mintburn/internal/store/proof"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// check runs a check and returns its lines and result.
func checkAll(t testing.TB, s *write.DB, repair bool) (lines []string, found check.Result) {
	t.Helper()
	found, err := check.Run(t.Context(), s, check.Options{Repair: repair, Report: func(line string) { lines = append(lines, line) }})
	if err != nil {
		t.Fatalf("checking: %v", err)
	}
	expect.Equal(t, "differences", found.Differences, len(lines))
	return lines, found
}

// wantClean fails the test unless a check finds no differences.
func wantClean(t testing.TB, when string, s *write.DB) {
	t.Helper()
	if lines, found := checkAll(t, s, false); len(lines) > 0 || found.Left > 0 {
		t.Fatalf("%s: %d differences, the first of them %q", when, len(lines), lines[:min(len(lines), 5)])
	}
}

// checked fills a database with everything that Check compares: records with counters
// of every sort, documents, a queue, and all kinds of coverage.
func checked(t testing.TB, dsn string) *write.DB {
	t.Helper()
	s := open(t, dsn, write.Options{MaxPageSize: 5000})
	blocks := checkedBlocks()
	apply(t, s, blocks[:200])
	expect.NoError(t, s.SetFinalized(t.Context(), blocks[100].Header))
	expect.NoError(t, proof.Of(s).MarkVerified(t.Context(), headersOf(blocks[20:90])))
	expect.NoError(t, s.Extend(t.Context(), blocks[251:253], evm.Range{From: 1250, To: 1299}, false))
	c := newClock()
	q := c.queue(s)
	tasks := claim(t, q, 50)
	var results []nft.Resolution
	for i, task := range tasks {
		r := c.fetched(task, fmt.Sprint("document ", i%5))
		for n := range i % 4 {
			r.Document.Attributes = append(r.Document.Attributes, nft.Attribute{TraitType: fmt.Sprint("trait ", n), Value: fmt.Sprint("value ", i%3), Order: 1})
		}
		results = append(results, r)
	}
	finish(t, q, results...)
	// An imported document of a token without a mint.
	imported := nft.TokenMetadata{TokenKey: nft.TokenKey{Contract: collection(0), TokenID: evm.NewUint256(1 << 40)}, FetchedAt: 1, Raw: "imported"}
	expect.NoError(t, s.PutMetadata(t.Context(), []nft.TokenMetadata{imported}))
	return s
}

func checkedBlocks() []nft.Block { return branch(1, 1, 1000, blockHash(1, 999), 300, between(40, 800)) }

func TestCheck_NoDifferences(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		wantClean(t, "an empty database", open(t, dsn, write.Options{}))
		s := checked(t, dsn)
		wantClean(t, "a database", s)
		wantClean(t, "a read-only database", open(t, dsn, write.Options{Options: database.Options{ReadOnly: true}}))
		if n := countRows(t, dsn, "counters"); n < 100 {
			t.Errorf("%d counters", n)
		}
	})
}

// TestCheck_RandomHistories loads, applies, replaces and repairs blocks at random.
func TestCheck_RandomHistories(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		rounds := 24
		if isPostgres(dsn) {
			rounds = 10
		}
		for _, seed := range seeds(t, 1) {
			t.Logf("to repeat: MINTBURN_SEED=%d", seed)
			rng := rand.New(rand.NewPCG(seed, 21))
			h := newHistory(seed, 3<<24-700, 1400)
			s := open(t, dsn, write.Options{})
			beginLoad(t, s)
			for round := range rounds {
				i := rng.IntN(len(h.chain))
				switch {
				case !h.stored[i] || rng.IntN(4) == 0:
					h.apply(t, s, rng, i, min(i+1+rng.IntN(250), len(h.chain)))
				case rng.IntN(3) == 0:
					expect.NoError(t, proof.Of(s).Repair(t.Context(), h.chain[i:i+1]))
				default:
					h.reorg(t, s, i, rng.IntN(60))
				}
				if round == 4 {
					finishLoad(t, s)
				}
				if round%3 == 0 {
					claim(t, newClock().queue(s), 20)
					wantClean(t, fmt.Sprint("round ", round), s)
				}
			}
			wantClean(t, "the end", s)
			wantRebuilt(t, s, dsn)
			rollback(t, s, 0, nil)
			wantClean(t, "an empty chain", s)
		}
	})
}

// contentOf returns all rows of a database that have a meaning, without the ids that the
// database assigned.
func contentOf(t *testing.T, dsn string) map[string][]string {
	t.Helper()
	content := map[string][]string{}
	concat := func(columns ...string) string {
		list := ""
		for i, column := range columns {
			if i > 0 {
				list += " || ' ' || "
			}
			list += "coalesce(CAST(" + column + " AS text), 'null')"
		}
		return list
	}
	hex := func(column string) string {
		if isPostgres(dsn) {
			return "encode(" + column + ", 'hex')"
		}
		return "lower(hex(" + column + "))"
	}
	for table, query := range map[string]string{
		"mints":     "SELECT " + concat("id", "contract_id", hex("token_id"), "account_prefix", "log_index") + " FROM mints ORDER BY id",
		"burns":     "SELECT " + concat("id", "contract_id", hex("token_id"), "account_prefix", "log_index") + " FROM burns ORDER BY id",
		"blocks":    "SELECT " + concat("id", "hash_prefix", hex("hash_suffix"), hex("parent_hash")) + " FROM blocks ORDER BY id",
		"coverage":  "SELECT " + concat("kind", "from_block", "to_block") + " FROM coverage ORDER BY kind, from_block",
		"contracts": "SELECT " + concat("id", hex("address"), "standards", "tokens", "first_log", "token_count", "resolved", "pending", "failed", "recordless", "mint_count", "burn_count", "COALESCE("+hex("mint_excess")+", '')", "COALESCE("+hex("burn_excess")+", '')", "traits") + " FROM contracts ORDER BY id",
		"traits":    "SELECT " + concat("contract_id", hex("trait"), "distinct_values", "tokens", "name") + " FROM traits WHERE distinct_values > 0 ORDER BY contract_id, trait",
		"values":    "SELECT " + concat("contract_id", hex("trait"), hex("value"), "n", "tokens", "text") + " FROM trait_values ORDER BY contract_id, trait, value",
		"queue":     "SELECT " + concat("contract_id", hex("token_id"), "state") + " FROM resolutions ORDER BY contract_id, token_id",
		"tokens":    "SELECT " + concat("contract_id", hex("token_id"), "text_bytes", "raw") + " FROM tokens ORDER BY contract_id, token_id",
		"rejected":  "SELECT " + concat("id", "reason") + " FROM rejected_logs ORDER BY id",
		"digests":   "SELECT " + concat("level", "bucket", hex("mints"), hex("burns")) + " FROM digests ORDER BY level, bucket",
		"counters":  "SELECT " + concat(hex("id"), "n", hex("amount")) + " FROM counters ORDER BY id",
	} {
		content[table] = listOf[string](t, dsn, query)
	}
	return content
}

// wantRebuilt rebuilds all counter trees, and fails the test if that changes a row.
func wantRebuilt(t *testing.T, s *write.DB, dsn string) {
	t.Helper()
	stored := contentOf(t, dsn)["counters"]
	expect.NoError(t, s.Write(t.Context(), func(ctx context.Context, w *write.Tx) error {
		ids, err := w.Client().Counter.Query().IDs(ctx)
		scopes := map[string]struct{}{}
		for _, id := range ids {
			scope, _, _, _ := counter.ParseKey(id)
			scopes[string(scope)] = struct{}{}
		}
		for scope := range scopes {
			err = errors.Join(err, w.Counters.Rebuild(ctx, counter.Scope(scope)))
		}
		return err
	}))
	expect.Equal(t, "counters", stored, contentOf(t, dsn)["counters"])
}

// namesRepair matches the lines that say what repairs a difference, or that nothing does.
var namesRepair = regexp.MustCompile(`[;:] (sync --from-block \d+ indexes it|verify --repair .*|a new fetch replaces it \(metadata --recheck\)|nothing restores it but a backup)$`)

// TestCheck_FindsAndRepairs applies each damage to another copy of the same database, and
// checks and repairs the copy. On SQLite it compares the lines with testdata/check.txt.
func TestCheck_FindsAndRepairs(t *testing.T) {
	if n := len(damages()); n < 60 {
		t.Errorf("%d sorts of damage, want at least 60", n)
	}
	const file = "testdata/check.txt"
	golden, err := os.ReadFile(file)
	expect.NoError(t, err)
	var written strings.Builder
	onBoth(t, func(t *testing.T, dsn string) {
		expect.NoError(t, checked(t, dsn).Close())
		untouched := contentOf(t, dsn)
		for i, p := range damages() {
			if isPostgres(dsn) && p.postgres == "" && i%9 > 0 {
				continue // Copies take longer there.
			}
			if testing.Short() && i%20 > 0 {
				continue
			}
			t.Run(p.name, func(t *testing.T) {
				dsn := copyOf(t, dsn)
				makeDamage(t, dsn, p)
				s := open(t, dsn, write.Options{MaxPageSize: 5000})
				lines, found := checkAll(t, s, false)
				if !slices.ContainsFunc(lines, contains(p.want)) || found.Left != found.Differences {
					t.Fatalf("found %+v, want a line with %q: %q", found, p.want, lines[:min(len(lines), 9)])
				}
				repaired, found := checkAll(t, s, true)
				slices.Sort(repaired)
				text := fmt.Sprintf("# %s\n%s\n%+v\n\n", p.name, strings.Join(repaired[:min(len(repaired), 9)], "\n"), found)
				if written.WriteString(text); !*update && !isPostgres(dsn) && !strings.Contains(string(golden), text) {
					t.Errorf("%s has other lines:\n%s", file, text)
				}
				if p.left != (found.Left > 0) || !slices.ContainsFunc(repaired, contains(p.want)) {
					t.Errorf("repairing: %+v: %q", found, repaired[:min(len(repaired), 9)])
				}
				again, found := checkAll(t, s, false)
				for _, line := range again {
					if !namesRepair.MatchString(line) {
						t.Errorf("after the repair: %q does not say what repairs it", line)
					}
				}
				if p.left != (found.Left > 0) || p.left != slices.ContainsFunc(again, contains(p.want)) {
					t.Errorf("after the repair: %q", again[:min(len(again), 9)])
				}
				if diff := cmp.Diff(untouched, contentOf(t, dsn)); p.same && diff != "" {
					t.Errorf("(-untouched +repaired):\n%.3000s", diff)
				}
			})
		}
		if *update && !isPostgres(dsn) {
			expect.NoError(t, os.WriteFile(file, []byte(written.String()), 0o644))
		}
	})
}

// TestCheck_TotalsAfterRepair damages counters and records, repairs them, and continues
// with two open stores: totals must be correct again.
func TestCheck_TotalsAfterRepair(t *testing.T) {
	skipShort(t)
	onBoth(t, func(t *testing.T, dsn string) {
		rng, half := rand.New(rand.NewPCG(1, 22)), 700
		if isPostgres(dsn) {
			half = 250 // Repairing a block takes ten milliseconds there.
		}
		h := newHistory(1, 3<<24-uint64(half), 2*half)
		s, other := open(t, dsn, write.Options{}), open(t, dsn, write.Options{})
		h.apply(t, s, rng, 0, half+half/3)
		execute(t, dsn,
			"UPDATE counters SET n = n + 3 WHERE n % 3 = 0", "DELETE FROM counters WHERE n % 4 = 0 AND n < 3000",
			"UPDATE counters SET n = 500 WHERE n % 5 = 0", "DELETE FROM mints WHERE id % 11 = 0 AND id > 0",
		)
		checkAll(t, other, true)
		for _, f := range totalled(evm.Hash{}) {
			each(t, s, func(snap *store.Snapshot) {
				p := pageOf(t, snap, f, page.Args{First: ptr(0)})
				total := totalOf(t, p)
				all := pageOf(t, snap, f, page.Args{First: ptr(1000)})
				if len(all.Items) < 1000 && total != int64(len(all.Items)) {
					t.Errorf("%s: total %d of %d records", describe(f), total, len(all.Items))
				}
			})
		}
		var stored []nft.Block
		for i, b := range h.chain {
			if h.stored[i] {
				stored = append(stored, b)
			}
		}
		for part := range slices.Chunk(stored, 64) {
			expect.NoError(t, proof.Of(s).Repair(t.Context(), part))
		}
		wantClean(t, "after the blocks are repaired", s)
		h.apply(t, s, rng, half, 2*half)
		h.check(t, other, rng, 6)
		wantClean(t, "after more blocks", other)
	})
}

// TestCheckCounters_InPieces runs the background check until it has compared all counters.
func TestCheckCounters_InPieces(t *testing.T) {
	skipShort(t)
	onBoth(t, func(t *testing.T, dsn string) {
		s := checked(t, dsn)
		untouched := contentOf(t, dsn)
		execute(t, dsn, "UPDATE counters SET n = n + 1")
		lines := 0
		counters := check.NewCounters(s, func(string) { lines++ })
		for step := range 4 * countRows(t, dsn, "counters") {
			expect.NoError(t, counters.Step(t.Context()))
			if step%100 == 0 && cmp.Equal(untouched["counters"], contentOf(t, dsn)["counters"]) {
				break
			}
		}
		if diff := cmp.Diff(untouched["counters"], contentOf(t, dsn)["counters"]); diff != "" || lines == 0 {
			t.Errorf("%d lines (-untouched +repaired):\n%.2000s", lines, diff)
		}
	})
}

// TestCheck_Plans checks that no statement of a check scans a table that grows with the
// chain. Tables are read in pages, which are key ranges on SQLite.
func TestCheck_Plans(t *testing.T) {
	skipShort(t)
	sent := &statements{}
	dsn := storetest.SQLite(t)
	checked(t, dsn)
	db := raw(t, dsn)
	checkAll(t, openNoting(t, dsn, sent), false)
	list := unique(sent.take())
	if len(list) < 40 {
		t.Errorf("%d statements", len(list))
	}
	for _, st := range list {
		if strings.HasPrefix(st.query, "PRAGMA") || strings.HasPrefix(st.query, "CREATE ") {
			continue
		}
		for step := range strings.SplitSeq(sqlitePlan(t, db, st), "; ") {
			for _, table := range []string{"mints", "burns", "blocks", "record", "before", "minted", "tokens", "resolutions", "counters", "rejected_logs", "transactions", "trait_values", "one", "other", "queued"} {
				// A tree is built from portions of the records, of a bounded size.
				if portion := strings.Contains(st.query, ") AS `few`"); !portion && step == "SCAN "+table || !portion && strings.HasPrefix(step, "SCAN "+table+" ") {
					t.Errorf("%s\n%s", st.query, sqlitePlan(t, db, st))
				}
			}
		}
	}
}
