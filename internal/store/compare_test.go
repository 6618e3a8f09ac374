package store_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/expect"
	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// TestDifferences_OfHeadersAndRejectedLogs spoils what surrounds the records:
// each change is a difference, which a repair removes.
func TestDifferences_OfHeadersAndRejectedLogs(t *testing.T) {
	blocks := branch(1, 1, 100, evm.Hash{1}, 5, func(_ *rand.Rand, i int) int { return 3 * (i % 2) })
	// Block 101 has records, 102 is empty, 103 has rejected logs.
	blocks[3].Rejected = []nft.Rejected{
		{Log: evm.Log{Address: collection(0), Topics: []evm.Hash{{1}, {2}}, Data: []byte{3}, TxHash: evm.Hash{4}, Index: 90}, Reason: nft.ReasonTopics},
		{Log: evm.Log{Address: collection(1), Topics: []evm.Hash{{5}}, TxHash: evm.Hash{6}, Index: 91}, Reason: nft.ReasonTopics},
	}
	onBoth(t, func(t *testing.T, dsn string) {
		s, db := open(t, dsn, store.Options{}), raw(t, dsn)
		apply(t, s, blocks)
		all := func() (lines []string) {
			t.Helper()
			for _, b := range blocks {
				list, _, err := s.Proofs().Differences(t.Context(), b)
				expect.NoError(t, err)
				lines = append(lines, list...)
			}
			return lines
		}
		if lines := all(); len(lines) > 0 {
			t.Fatalf("got %q, want no difference", lines)
		}
		head := "(SELECT MIN(id) FROM rejected_logs WHERE id >= 103::bigint << 30)"
		other := "(SELECT MAX(id) FROM rejected_logs)"
		if !isPostgres(dsn) {
			head = strings.ReplaceAll(head, "::bigint", "")
		}
		for change, want := range map[string]string{
			"DELETE FROM blocks WHERE id = 101":                                                                                  "the header is missing",
			"DELETE FROM blocks WHERE id = 102":                                                                                  "the header is missing",
			"DELETE FROM blocks WHERE id = 103":                                                                                  "the header is missing",
			"UPDATE blocks SET parent_hash = NULL WHERE id = 102":                                                                "parent hash: stored is 0x00000000",
			"UPDATE blocks SET parent_hash = (SELECT parent_hash FROM blocks WHERE id = 104) WHERE id = 101":                     "parent hash: stored is ",
			"UPDATE blocks SET time = 5 WHERE id = 102":                                                                          "time: stored is 5",
			"UPDATE rejected_logs SET topics = (SELECT topics FROM rejected_logs WHERE id = " + other + ") WHERE id = " + head:   "rejected log 90: topics: stored is ",
			"UPDATE rejected_logs SET data = (SELECT data FROM rejected_logs WHERE id = " + other + ") WHERE id = " + head:       "rejected log 90: data: stored is 0 bytes 0x, the chain has 1 bytes 0x03",
			"UPDATE rejected_logs SET address = (SELECT address FROM rejected_logs WHERE id = " + other + ") WHERE id = " + head: "rejected log 90: address: stored is ",
			"UPDATE rejected_logs SET tx_hash = (SELECT tx_hash FROM rejected_logs WHERE id = " + other + ") WHERE id = " + head: "rejected log 90: transaction_hash: stored is ",
			"UPDATE rejected_logs SET reason = 'none' WHERE id = " + head:                                                        "rejected log 90: reason: stored is none",
			"DELETE FROM rejected_logs WHERE id = " + head:                                                                       "rejected log 90 is missing",
			"UPDATE mints SET account_suffix = (SELECT tx_suffix FROM mints m WHERE m.id = mints.id)":                            "is damaged",
		} {
			if _, err := db.ExecContext(t.Context(), change); err != nil {
				t.Fatalf("%s: %v", change, err)
			}
			if lines := all(); !slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, want) }) {
				t.Errorf("%s: got %q, want a difference with %q", change, lines, want)
			}
			if err := s.Repair(t.Context(), blocks); err != nil {
				t.Fatalf("%s: %v", change, err)
			}
			if lines := all(); len(lines) > 0 {
				t.Fatalf("%s: after the repair: %q", change, lines)
			}
		}
	})
}

// TestDifferences_OfHeadersNeverFetched are none.
func TestDifferences_OfHeadersNeverFetched(t *testing.T) {
	blocks := few()
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn, store.Options{})
		expect.NoError(t, s.Extend(t.Context(), sparse(), store.Range{From: 95, To: 119}, false))
		for i, b := range blocks {
			if i%3 != 0 && i != 19 {
				b.Mints, b.Burns, b.Rejected = nil, nil, nil
			}
			if lines, _, err := s.Proofs().Differences(t.Context(), b); err != nil || len(lines) > 0 {
				t.Errorf("block %d: %q, %v; want no difference", b.Header.Number, lines, err)
			}
		}
	})
}
