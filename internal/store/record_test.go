package store_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mintburn/ent/burn"
	"mintburn/ent/mint"
	"mintburn/internal/evm"
	"mintburn/internal/expect"
	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// TestPage_DamagedRow: a row that holds what was never written is an error, and
// neither skipped nor shown.
func TestPage_DamagedRow(t *testing.T) {
	block := drop(10, collection(0), 1, 3)
	for column, value := range map[string]string{
		"token_id": "x'0500'", "tx_prefix": "'text'", "tx_suffix": "x'01'", "account_prefix": "x'01'", "account_suffix": "'text'",
		"amount": "7", "log_index": "-1", "sub_index": "4294967296", "operator": "x'0102'", "contract_id": "1.5",
	} {
		t.Run(column, func(t *testing.T) {
			dsn := sqliteDSN(t)
			s := open(t, dsn, store.Options{})
			apply(t, s, []nft.Block{block})
			if _, err := raw(t, dsn).Exec(fmt.Sprintf("UPDATE mints SET %s = %s WHERE log_index = 1", column, value)); err != nil {
				t.Fatal(err)
			}
			p, err := readPage(t.Context(), snapshot(t, s), store.Filter{}, store.PageArgs{})
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

// distinct returns a record in which no field is its zero value, and which
// differs in each from those of another n.
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

// distinctBlock has two mints and two burns that differ in every field.
func distinctBlock() nft.Block {
	b := drop(10, collection(0), 1, 0)
	b.Mints = []nft.Record{distinct(nft.Mint, 1), distinct(nft.Mint, 2)}
	b.Burns = []nft.Record{distinct(nft.Burn, 1), distinct(nft.Burn, 2)}
	return b
}

// TestRecord_HasEveryField: what is written of a record is read again. A field
// that is forgotten on the way is zero at its end.
func TestRecord_HasEveryField(t *testing.T) {
	block := distinctBlock()
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn, store.Options{})
		apply(t, s, []nft.Block{block})
		for kind, want := range map[nft.Kind][]nft.Record{nft.Mint: block.Mints, nft.Burn: block.Burns} {
			p := pageOf(t, snapshot(t, s), store.Filter{Kind: kind}, store.PageArgs{})
			var got []nft.Record
			for i := range p.Items {
				got = append(got, p.Items[i].Record)
			}
			expect.Equal(t, fmt.Sprintf("%ss", kind), want, got)
		}
	})
}

// TestDifferences_OfEveryColumn: whatever column of a record is not what the
// chain has, is reported by documented names.
func TestDifferences_OfEveryColumn(t *testing.T) {
	want := distinctBlock()
	documented := map[string]string{
		"contract_id": "token_address", "token_id": "token_id", "tx_prefix": "transaction_hash", "tx_suffix": "transaction_hash",
		"account_prefix": "to", "account_suffix": "to", "amount": "amount", "tx_index": "transaction_index", "operator": "operator", "burn_address": "to",
	}
	onBoth(t, func(t *testing.T, dsn string) {
		s, db := open(t, dsn, store.Options{}), raw(t, dsn)
		apply(t, s, []nft.Block{want})
		differences := func() []string {
			t.Helper()
			list, _, err := s.Proofs().Differences(t.Context(), want)
			expect.NoError(t, err)
			return list
		}
		if list := differences(); len(list) > 0 {
			t.Fatalf("got %q, want no difference", list)
		}
		for table, columns := range map[string][]string{mint.Table: mint.Columns, burn.Table: burn.Columns} {
			for _, column := range columns {
				if column == mint.FieldID {
					continue
				}
				first := fmt.Sprintf("(SELECT MIN(id) FROM %s)", table)
				swap := fmt.Sprintf("UPDATE %[1]s SET %[2]s = (SELECT %[2]s FROM %[1]s WHERE id > %[3]s) WHERE id = %[3]s", table, column, first)
				if _, err := db.Exec(swap); err != nil {
					t.Fatal(err)
				}
				name := documented[column]
				if table == burn.Table && strings.HasPrefix(column, "account_") {
					name = "from"
				}
				text := ": " + name + ": stored is "
				if column == mint.FieldLogIndex || column == mint.FieldSubIndex {
					// Another place is another record.
					text = "is missing"
				}
				if list := strings.Join(differences(), "\n"); !strings.Contains(list, text) {
					t.Errorf("%s.%s: got %q, want a difference of %q", table, column, list, name)
				}
				expect.NoError(t, s.Repair(t.Context(), []nft.Block{want}))
				if list := differences(); len(list) > 0 {
					t.Fatalf("%s.%s: after the repair: %q", table, column, list)
				}
			}
		}
	})
}

// TestDifferences_Texts: the lines that verify prints.
func TestDifferences_Texts(t *testing.T) {
	block := distinctBlock()
	s := open(t, sqliteDSN(t), store.Options{})
	apply(t, s, []nft.Block{block})
	other := block
	other.Header.Time++
	other.Header.ParentHash[3]++
	other.Mints = []nft.Record{block.Mints[0]}
	other.Mints[0].Type, other.Mints[0].Operator = nft.ERC721, evm.Address{}
	other.Burns = slices.Concat(block.Burns, block.Burns[:1])
	other.Burns[2].LogIndex = 99
	got, _, err := s.Proofs().Differences(t.Context(), other)
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
