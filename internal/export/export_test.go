package export_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/evm"
	"mintburn/internal/export"
	"mintburn/internal/nft"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// filled returns a store with a few records, rejected logs and documents, which contain all
// characters that formats have to escape.
func filled(t testing.TB) *write.DB {
	t.Helper()
	return filledAt(t, storetest.SQLite(t))
}

func filledAt(t testing.TB, path string) *write.DB {
	t.Helper()
	s, err := write.Open(t.Context(), path, write.Options{MaxPageSize: 3})
	expect.NoError(t, err)
	t.Cleanup(func() { expect.NoError(t, s.Close()) })
	largest, err := evm.ParseUint256("115792089237316195423570985008687907853269984665640564039457584007913129639935")
	expect.NoError(t, err)
	var blocks []nft.Block
	for n := range uint64(5) {
		b := nft.Block{Header: evm.Header{BlockRef: evm.BlockRef{Number: n, Hash: evm.Hash{0xb, byte(n)}}, Time: 1_700_000_000 + n}}
		if n > 0 {
			b.Header.ParentHash = evm.Hash{0xb, byte(n - 1)}
		}
		for i := range uint32(n) {
			r := nft.Record{Contract: evm.Address{0xc}, Type: nft.ERC721, TokenID: evm.NewUint256(n*10 + uint64(i)), Amount: evm.NewUint256(1), To: evm.Address{1}, LogIndex: i, TxHash: evm.Hash{2}}
			if i%2 == 1 {
				r.Type, r.Contract, r.TokenID, r.Amount, r.Operator = nft.ERC1155, evm.Address{0xd}, largest, largest, evm.Address{3}
			}
			b.Mints = append(b.Mints, r)
		}
		b.Rejected = append(b.Rejected, nft.Rejected{Reason: nft.ReasonTopics, Log: evm.Log{
			Address: evm.Address{0xe}, TxHash: evm.Hash{4}, Index: 90, Topics: make([]evm.Hash, n), Data: bytes.Repeat([]byte{0xff}, int(n)),
		}})
		blocks = append(blocks, b)
	}
	_, err = s.Apply(t.Context(), blocks)
	expect.NoError(t, err)
	var items []nft.TokenMetadata
	for i, name := range []string{`a "quoted" name`, "a, comma", "a,b", `a"b`, "a\nb", "a\rb", "two\nlines", "a\r\nreturn", " space ", "\t", "<é\u2028&>", "NULL", `\N`, `back\slash`, "€"} {
		m := nft.TokenMetadata{TokenKey: nft.TokenKey{Contract: evm.Address{0xc}, TokenID: evm.NewUint256(uint64(i))}, FetchedAt: uint64(9 + i), URI: name, Raw: "{}"}
		m.Name = &name
		one, count := 1.5, evm.Long(7)
		m.Attributes = []nft.Attribute{{TraitType: name, Value: name, Order: 1}, {TraitType: "level", Value: "2", MaxValue: &one, TraitCount: &count, Order: 2}}
		items = append(items, m)
	}
	items = append(items, nft.TokenMetadata{TokenKey: nft.TokenKey{Contract: evm.Address{0xd}, TokenID: largest}, FetchedAt: 5, Raw: "{}"})
	expect.NoError(t, s.PutMetadata(t.Context(), items))
	nameCollections(t, s)
	return s
}

// nameCollections gives one of the collections a name to escape, and another one a symbol.
func nameCollections(t testing.TB, s *write.DB) {
	t.Helper()
	q := write.NewQueue(s, write.QueueOptions{})
	for {
		tasks, err := q.Claim(t.Context(), 100)
		expect.NoError(t, err)
		if len(tasks) == 0 {
			return
		}
		for _, task := range tasks {
			if !task.OfCollection {
				continue
			}
			name, symbol := `a "name", <b>`, ""
			if task.Contract == (evm.Address{0xd}) {
				name, symbol = symbol, "D"
			}
			expect.NoError(t, q.Finish(t.Context(), []nft.Resolution{{Task: task, At: 1, Collection: &nft.CollectionResult{Name: &name, Symbol: &symbol}}}))
		}
	}
}

var allSets = map[string]int{export.Mints: 10, export.Burns: 0, export.Tokens: 7, export.Metadata: 16, export.Collections: 2, export.Blocks: 5, export.Rejected: 5}

// written exports a set.
func written(t testing.TB, s *write.DB, opts export.Options) (string, *export.Export) {
	t.Helper()
	var out bytes.Buffer
	x := export.New(s.DB, opts)
	expect.NoError(t, x.Run(t.Context(), &out))
	return out.String(), x
}

// objects parses the rows of NDJSON.
func objects(t testing.TB, text string) (rows []map[string]any) {
	t.Helper()
	for line := range strings.Lines(text) {
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.UseNumber()
		var row map[string]any
		expect.NoError(t, decoder.Decode(&row))
		rows = append(rows, row)
	}
	return rows
}

// TestRun_Formats checks that NDJSON contains all rows, and CSV the same ones.
func TestRun_Formats(t *testing.T) {
	t.Parallel()
	s := filled(t)
	for set, n := range allSets {
		ndjson, x := written(t, s, export.Options{Set: set, Format: export.NDJSON})
		rows := objects(t, ndjson)
		if len(rows) != n || x.Rows() != int64(n) {
			t.Errorf("%s: got %d rows, %d counted, want %d", set, len(rows), x.Rows(), n)
		}
		text, _ := written(t, s, export.Options{Set: set, Format: export.CSV, Names: true})
		// encoding/csv reads \r\n in a field as \n.
		read, err := csv.NewReader(strings.NewReader(strings.ReplaceAll(text, "\r\n", "\n"))).ReadAll()
		expect.NoError(t, err)
		for i, row := range rows {
			want := map[string]string{}
			for name, value := range row {
				switch value := value.(type) {
				case nil:
					want[name] = ""
				case []any:
					want[name] = "JSON"
				default:
					want[name] = strings.ReplaceAll(fmt.Sprint(value), "\r\n", "\n")
				}
			}
			got := map[string]string{}
			for k, name := range read[0] {
				got[name] = read[i+1][k]
				if name == "attributes" {
					var list []any
					expect.NoError(t, json.Unmarshal([]byte(read[i+1][k]), &list))
					got[name] = "JSON"
				}
			}
			expect.Equal(t, fmt.Sprint(set, i), want, got)
		}
	}
}

// TestRun_Values checks the values of rows in each set.
func TestRun_Values(t *testing.T) {
	t.Parallel()
	s := filled(t)
	zeros := strings.Repeat("0", 24)
	for set, want := range map[string]string{
		export.Blocks: `{"block_number":4,"block_hash":"0x0b04` + strings.Repeat("0", 60) + `","parent_hash":"0x0b03` + strings.Repeat("0", 60) + `","timestamp":1700000004}` + "\n",
		export.Rejected: `{"block_number":4,"block_hash":"0x0b04` + strings.Repeat("0", 60) + `","timestamp":1700000004,"transaction_hash":"0x04` + strings.Repeat("0", 62) +
			`","log_index":90,"address":"0x0e` + strings.Repeat("0", 38) + `","topic0":"0x` + zeros + zeros + strings.Repeat("0", 16) + `","topic1":"0x` + zeros + zeros + strings.Repeat("0", 16) +
			`","topic2":"0x` + zeros + zeros + strings.Repeat("0", 16) + `","topic3":"0x` + zeros + zeros + strings.Repeat("0", 16) + `","data":"0xffffffff","reason":"topics"}` + "\n",
		export.Metadata: `{"collection_address":"0x0d` + strings.Repeat("0", 38) + `","collection_type":"ERC1155","token_id":"115792089237316195423570985008687907853269984665640564039457584007913129639935",` +
			`"external_url":null,"image_data":null,"background_color":null,"youtube_url":null,"updated_at":5,"name":null,"description":null,"image":null,"animation_url":null,"attributes":[],"uri":null,"fetched_at":5}` + "\n",
	} {
		text, _ := written(t, s, export.Options{Set: set, Format: export.NDJSON})
		last := text[strings.LastIndex(strings.TrimSuffix(text, "\n"), "\n")+1:]
		if diff := cmp.Diff(want, last); diff != "" {
			t.Errorf("%s (-want +got):\n%s", set, diff)
		}
	}
	text, _ := written(t, s, export.Options{Set: export.Metadata, Format: export.CSV})
	if want := "\n0x0d" + strings.Repeat("0", 38) + ",ERC1155,115792089237316195423570985008687907853269984665640564039457584007913129639935,,,,,5,,,,,[],,5\n"; !strings.HasSuffix(text, want) {
		t.Errorf("no %q in %q", want, text)
	}
	text, _ = written(t, s, export.Options{Set: export.Blocks, Format: export.NDJSON})
	if !strings.Contains(text, `"parent_hash":null`) {
		t.Errorf("the first block has no null parent_hash: %s", text)
	}
	text, _ = written(t, s, export.Options{Set: export.Metadata, Format: export.NDJSON})
	if want := `"attributes":[{"trait_type":"a, comma","value":"a, comma","max_value":null,"trait_count":1,"order":1},{"trait_type":"level","value":"2","max_value":1.5,"trait_count":7,"order":2}]`; !strings.Contains(text, want) {
		t.Errorf("no %s in %s", want, text)
	}
}

// TestRun_Continued checks that an export continues after the cursor of an interrupted one.
func TestRun_Continued(t *testing.T) {
	t.Parallel()
	s := filled(t)
	for set, n := range allSets {
		whole, _ := written(t, s, export.Options{Set: set, Format: export.NDJSON})
		// The first page, of three rows, is written; the next write fails.
		var out bytes.Buffer
		x := export.New(s.DB, export.Options{Set: set, Format: export.NDJSON})
		err := x.Run(t.Context(), &failing{to: &out, left: 1})
		if n > 3 && err == nil || n > 3 && x.Rows() != 3 {
			t.Errorf("%s: got %d rows, error %v, want 3 rows and an error", set, x.Rows(), err)
		}
		rest, _ := written(t, s, export.Options{Set: set, Format: export.NDJSON, After: x.Cursor()})
		if got := out.String() + rest; got != whole {
			t.Errorf("%s: the parts differ from the whole export:\n%s\n%s", set, got, whole)
		}
	}
}

// failing writes left times and then fails.
type failing struct {
	to   *bytes.Buffer
	left int
}

func (f *failing) Write(b []byte) (int, error) {
	if f.left--; f.left < 0 {
		return 0, errors.New("full")
	}
	return f.to.Write(b)
}
