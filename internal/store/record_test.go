package store_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mintburn/ent/burn"
	"mintburn/ent/mint"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/page"
	"mintburn/internal/store/proof"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// TestPage_DamagedRow checks that a row with a value that is never written is an error, and
// neither skipped nor returned.
func TestPage_DamagedRow(t *testing.T) {
	block := drop(10, collection(0), 1, 3)
	for column, value := range map[string]string{
		"token_id": "x'0500'", "tx_prefix": "'text'", "tx_suffix": "x'01'", "account_prefix": "x'01'", "account_suffix": "'text'",
		"amount": "7", "log_index": "-1", "sub_index": "4294967296", "operator": "x'0102'", "contract_id": "1.5",
	} {
		t.Run(column, func(t *testing.T) {
			dsn := storetest.SQLite(t)
			s := open(t, dsn, write.Options{})
			apply(t, s, []nft.Block{block})
			execute(t, dsn, fmt.Sprintf("UPDATE mints SET %s = %s WHERE log_index = 1", column, value))
			p, err := readPage(t.Context(), snapshot(t, s), store.Filter{}, page.Args{})
			if err == nil || !strings.HasPrefix(err.Error(), "reading mints: ") {
				t.Fatalf("got %v and error %v, want an error", p, err)
			}
			// A suffix of another length is noticed when it is joined.
			if !strings.Contains(err.Error(), "mints."+column) && column != "tx_suffix" {
				t.Errorf("got error %v, want one that names mints.%s", err, column)
			}
		})
	}
}

// distinct returns a record without zero fields. Records with different n differ in every
// field.
func distinct(kind nft.Kind, n int) nft.Record {
	var r nft.Record
	v := reflect.ValueOf(&r).Elem()
	for i := range v.NumField() {
		field := v.Field(i)
		switch to := field.Addr().Interface().(type) {
		case *nft.Kind:
			*to = kind
		case *nft.ContractType:
			*to = nft.ERC1155
		case *evm.Uint256:
			*to = evm.NewUint256(uint64(100*n + i + 1))
		case *uint32:
			*to = uint32(n + i)
		case *evm.TxIndex:
			*to = evm.TxIndex{N: uint32(n + i), Known: true}
		case *evm.Address:
			for j := range to {
				to[j] = byte(10*n + i + 1)
			}
		case *evm.Hash:
			for j := range to {
				to[j] = byte(10*n + i + 1)
			}
		default:
			panic(fmt.Sprintf("say here how a %s is made", field.Type()))
		}
	}
	if kind == nft.Mint {
		r.From = evm.Address{}
	}
	return r
}

// distinctBlock returns a block with two mints and two burns that differ in every field.
func distinctBlock() nft.Block {
	b := drop(10, collection(0), 1, 0)
	b.Mints = []nft.Record{distinct(nft.Mint, 1), distinct(nft.Mint, 2)}
	b.Burns = []nft.Record{distinct(nft.Burn, 1), distinct(nft.Burn, 2)}
	return b
}

// TestRecord_HasEveryField checks that every field of a record is written and read. A
// forgotten field would be zero.
func TestRecord_HasEveryField(t *testing.T) {
	block := distinctBlock()
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		apply(t, s, []nft.Block{block})
		for kind, want := range map[nft.Kind][]nft.Record{nft.Mint: block.Mints, nft.Burn: block.Burns} {
			p := pageOf(t, snapshot(t, s), store.Filter{Kind: kind}, page.Args{})
			var got []nft.Record
			for i := range p.Items {
				got = append(got, p.Items[i].Record)
			}
			expect.Equal(t, fmt.Sprintf("%ss", kind), want, got)
		}
	})
}

// TestDifferences_OfEveryColumn checks that a difference in any column of a record is
// reported with its documented name.
func TestDifferences_OfEveryColumn(t *testing.T) {
	want := distinctBlock()
	documented := map[string]string{
		"contract_id": "token_address", "token_id": "token_id", "tx_prefix": "transaction_hash", "tx_suffix": "transaction_hash",
		"account_prefix": "to", "account_suffix": "to", "amount": "amount", "tx_index": "transaction_index", "operator": "operator", "burn_address": "to",
	}
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn, write.Options{})
		apply(t, s, []nft.Block{want})
		differences := func() []string {
			t.Helper()
			list, _, err := proof.Of(s).Differences(t.Context(), want)
			expect.NoError(t, err)
			return list
		}
		expect.Equal(t, "differences", []string(nil), differences())
		for table, columns := range map[string][]string{mint.Table: mint.Columns, burn.Table: burn.Columns} {
			for _, column := range columns {
				if column == mint.FieldID {
					continue
				}
				first := fmt.Sprintf("(SELECT MIN(id) FROM %s)", table)
				swap := fmt.Sprintf("UPDATE %[1]s SET %[2]s = (SELECT %[2]s FROM %[1]s WHERE id > %[3]s) WHERE id = %[3]s", table, column, first)
				execute(t, dsn, swap)
				name := documented[column]
				if table == burn.Table && strings.HasPrefix(column, "account_") {
					name = "from"
				}
				text := ": " + name + ": stored is "
				if column == mint.FieldLogIndex || column == mint.FieldSubIndex {
					// Another position is another record.
					text = "is missing"
				}
				if list := strings.Join(differences(), "\n"); !strings.Contains(list, text) {
					t.Errorf("%s.%s: got %q, want a difference of %q", table, column, list, name)
				}
				expect.NoError(t, proof.Of(s).Repair(t.Context(), []nft.Block{want}))
				expect.Equal(t, table+"."+column+" after the repair", []string(nil), differences())
			}
		}
	})
}

// TestDifferences_Texts checks the lines that verify prints.
func TestDifferences_Texts(t *testing.T) {
	block := distinctBlock()
	s := open(t, storetest.SQLite(t), write.Options{})
	apply(t, s, []nft.Block{block})
	other := block
	other.Header.Time++
	other.Header.ParentHash[3]++
	other.Mints = []nft.Record{block.Mints[0]}
	other.Mints[0].Type, other.Mints[0].Operator = nft.ERC721, evm.Address{}
	other.Burns = slices.Concat(block.Burns, block.Burns[:1])
	other.Burns[2].LogIndex = 99
	got, _, err := proof.Of(s).Differences(t.Context(), other)
	expect.NoError(t, err)
	at := fmt.Sprintf("mint at log %d, sub index %d", block.Mints[0].LogIndex, block.Mints[0].SubIndex)
	gone, missing := block.Mints[1], other.Burns[2]
	want := []string{
		fmt.Sprintf("parent hash: stored is %s, the chain has %s", block.Header.ParentHash, other.Header.ParentHash),
		fmt.Sprintf("time: stored is %d, the chain has %d", block.Header.Time, other.Header.Time),
		at + ": contract_type: stored is ERC1155, the chain has ERC721",
		fmt.Sprintf("%s: operator: stored is %s, the chain has %s", at, block.Mints[0].Operator, evm.Address{}),
		fmt.Sprintf("mint at log %d, sub index %d (collection %s, token %s) is stored, and not on the chain", gone.LogIndex, gone.SubIndex, gone.Contract, gone.TokenID),
		fmt.Sprintf("burn at log %d, sub index %d (collection %s, token %s) is missing", missing.LogIndex, missing.SubIndex, missing.Contract, missing.TokenID),
	}
	expect.Equal(t, "differences", want, got)
}

// TestDifferences_OfHeadersAndRejectedLogs damages headers and rejected logs. Each change
// is a difference, which a repair removes.
func TestDifferences_OfHeadersAndRejectedLogs(t *testing.T) {
	blocks := branch(1, 1, 100, evm.Hash{1}, 5, func(_ *rand.Rand, i int) int { return 3 * (i % 2) })
	// Block 101 has records, 102 is empty, 103 has rejected logs.
	blocks[3].Rejected = []nft.Rejected{
		{Log: evm.Log{Address: collection(0), Topics: []evm.Hash{{1}, {2}}, Data: []byte{3}, TxHash: evm.Hash{4}, Index: 90}, Reason: nft.ReasonTopics},
		{Log: evm.Log{Address: collection(1), Topics: []evm.Hash{{5}}, TxHash: evm.Hash{6}, Index: 91}, Reason: nft.ReasonTopics},
	}
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn, write.Options{})
		apply(t, s, blocks)
		all := func() (lines []string) {
			t.Helper()
			for _, b := range blocks {
				list, _, err := proof.Of(s).Differences(t.Context(), b)
				expect.NoError(t, err)
				lines = append(lines, list...)
			}
			return lines
		}
		expect.Equal(t, "differences", []string(nil), all())
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
			execute(t, dsn, change)
			if lines := all(); !slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, want) }) {
				t.Errorf("%s: got %q, want a difference with %q", change, lines, want)
			}
			if err := proof.Of(s).Repair(t.Context(), blocks); err != nil {
				t.Fatalf("%s: %v", change, err)
			}
			expect.Equal(t, change+" after the repair", []string(nil), all())
		}
	})
}

// TestDifferences_OfHeadersNeverFetched checks that headers that were never fetched are no
// differences.
func TestDifferences_OfHeadersNeverFetched(t *testing.T) {
	blocks := few()
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		expect.NoError(t, s.Extend(t.Context(), sparse(), evm.Range{From: 95, To: 119}, false))
		for i, b := range blocks {
			if i%3 != 0 && i != 19 {
				b.Mints, b.Burns, b.Rejected = nil, nil, nil
			}
			if lines, _, err := proof.Of(s).Differences(t.Context(), b); err != nil || len(lines) > 0 {
				t.Errorf("block %d: %q, %v; want no difference", b.Header.Number, lines, err)
			}
		}
	})
}
