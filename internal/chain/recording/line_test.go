package recording_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mintburn/internal/chain/recording"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/testing/expect"
)

const (
	h1 = "0x1111111111111111111111111111111111111111111111111111111111111111"
	h2 = "0x2222222222222222222222222222222222222222222222222222222222222222"
	h3 = "0x3333333333333333333333333333333333333333333333333333333333333333"
	a1 = "0x1234567890aBcDeF1234567890AbCdEf12345678"

	header = `"number":"0x10","hash":"` + h1 + `","parentHash":"` + h2 + `","timestamp":"0x5"`
)

// logText returns a log of block h1 with fields replaced, added or, if the value is empty,
// left out.
func logText(replace ...string) string {
	names := []string{"address", "topics", "data", "blockNumber", "transactionHash", "blockHash", "logIndex", "removed"}
	values := map[string]string{
		"address": `"` + a1 + `"`, "topics": `["` + h3 + `"]`, "data": `"0xAbcd"`, "blockNumber": `"0x10"`,
		"transactionHash": `"` + h2 + `"`, "blockHash": `"` + h1 + `"`, "logIndex": `"0x7"`, "removed": "false",
	}
	for i := 0; i < len(replace); i += 2 {
		if _, known := values[replace[i]]; !known {
			names = append(names, replace[i])
		}
		values[replace[i]] = replace[i+1]
	}
	var fields []string
	for _, name := range names {
		if values[name] != "" {
			fields = append(fields, fmt.Sprintf("%q:%s", name, values[name]))
		}
	}
	return "{" + strings.Join(fields, ",") + "}"
}

func withLogs(logs ...string) string {
	return `{"block":{` + header + `},"logs":[` + strings.Join(logs, ",") + `]}`
}

func hash(t testing.TB, text string) evm.Hash {
	t.Helper()
	h, err := evm.ParseHash(text)
	expect.NoError(t, err)
	return h
}

func TestLine_Shapes(t *testing.T) {
	log := logText()
	receipts := `[{"status":"0x0","logs":[]},{"transactionHash":"` + h2 + `","blockHash":"` + h1 + `","blockNumber":16,"logs":[` + log + `]}]`
	address, err := evm.ParseAddress(a1)
	expect.NoError(t, err)
	want := &evm.Block{
		Header: evm.Header{BlockRef: evm.BlockRef{Number: 16, Hash: hash(t, h1)}, ParentHash: hash(t, h2), Time: 5},
		Logs:   []evm.Log{{Address: address, Topics: []evm.Hash{hash(t, h3)}, Data: []byte{0xab, 0xcd}, TxHash: hash(t, h2), Index: 7}},
	}
	for name, line := range map[string]string{
		"block and logs":                 withLogs(log),
		"block and receipts":             `{"block":{` + header + `},"receipts":` + receipts + `}`,
		"logs next to header fields":     `{` + header + `,"logs":[` + log + `]}`,
		"receipts next to header fields": `{"receipts":` + receipts + `,` + header + `}`,
		"logs before the block":          `{"logs":[` + log + `],"block":{` + header + `}}`,
		"number outside the block":       `{"number":"any","block":{` + header + `},"logs":[` + log + `]}`,
		"unknown keys":                   `{"a":{"b":[{},[1.5e3,null,true]]},"block":{"uncles":[],"transactions":[{"hash":"0x"}],"size":"0x1",` + header + `},"x":"","x":0,"logs":[` + logText("transactionIndex", "null", "blockTimestamp", `"0x5"`) + `]}`,
		"space":                          " { \"block\"\t: {\r " + header + " } , \"logs\" : [ " + log + " ] } ",
		"names with escapes":             `{"bl\u006fck":{` + header + `},"lo\u0067s":[` + log + `]}`,
		"numbers as integers":            `{"number":16,"hash":"` + h1 + `","parentHash":"` + h2 + `","timestamp":5,"logs":[` + logText("logIndex", "7", "blockNumber", "16") + `]}`,
		"upper case":                     `{"number":"0X10","hash":"` + h1 + `","parentHash":"` + h2 + `","timestamp":"0x05","logs":[` + logText("data", `"0XABCD"`, "address", `"0x1234567890ABCDEF1234567890ABCDEF12345678"`) + `]}`,
		"removed null":                   withLogs(logText("removed", "null")),
		"removed absent":                 withLogs(logText("removed", "")),
		"log without block":              withLogs(logText("blockHash", "", "blockNumber", "")),
		"log with null block":            withLogs(logText("blockHash", "null", "blockNumber", "null")),
	} {
		t.Run(name, func(t *testing.T) {
			if !json.Valid([]byte(line)) {
				t.Fatal("the test line is not JSON")
			}
			item, err := recording.NewLineDecoder()([]byte(line))
			expect.NoError(t, err)
			if diff := cmp.Diff(want, item.Block); diff != "" || item.Document != nil {
				t.Errorf("document %v, block (-want +got):\n%s", item.Document, diff)
			}
		})
	}
}

func TestLine_OrderOfLogs(t *testing.T) {
	item, err := recording.NewLineDecoder()([]byte(withLogs(
		logText("removed", "true", "logIndex", `"0x2"`, "blockHash", `"`+h3+`"`, "blockNumber", `"0xf"`),
		logText("logIndex", `"0x3"`, "topics", "[]", "data", `"0x"`),
		logText("logIndex", "null", "transactionHash", "null", "blockHash", "null"),
		logText("logIndex", ""),
		logText("logIndex", `"0xffffffff"`),
		logText("logIndex", `"0x2"`, "topics", `["`+h1+`","`+h2+`","`+h3+`","`+h1+`"]`),
	)))
	expect.NoError(t, err)
	type row struct {
		Index            uint32
		Pending, Removed bool
		Topics, Data     int
	}
	want := []row{{2, false, false, 4, 2}, {3, false, false, 0, 0}, {1<<32 - 1, false, false, 1, 2}, {0, true, false, 1, 2}, {0, true, false, 1, 2}, {2, false, true, 1, 2}}
	var got []row
	for _, l := range item.Block.Logs {
		got = append(got, row{l.Index, l.Pending, l.Removed, len(l.Topics), len(l.Data)})
	}
	expect.Equal(t, "logs", want, got)
}

func TestLine_Document(t *testing.T) {
	text := `"{\"name\":\"caf\u00e9 \ud83d\ude00\"}\n"`
	contract, err := evm.ParseAddress(a1)
	expect.NoError(t, err)
	biggest, err := evm.ParseUint256("115792089237316195423570985008687907853269984665640564039457584007913129639935")
	expect.NoError(t, err)
	for name, c := range map[string]struct {
		id, fetched string
		want        evm.Uint256
	}{
		"decimal string": {`"115792089237316195423570985008687907853269984665640564039457584007913129639935"`, "1700000000", biggest},
		"integer":        {`115792089237316195423570985008687907853269984665640564039457584007913129639935`, `"1700000000"`, biggest},
		"hex":            {`"0x0a"`, `"0x6553f100"`, evm.NewUint256(10)},
	} {
		t.Run(name, func(t *testing.T) {
			line := `{"metadata":{"document":` + text + `,"address":"` + a1 + `","tokenId":` + c.id + `,"uri":"ipfs:\/\/x","fetchedAt":` + c.fetched + `,"more":1}}`
			item, err := recording.NewLineDecoder()([]byte(line))
			expect.NoError(t, err)
			want := &nft.Document{TokenKey: nft.TokenKey{Contract: contract, TokenID: c.want}, URI: "ipfs://x", FetchedAt: 1700000000, Raw: "{\"name\":\"café 😀\"}\n"}
			if diff := cmp.Diff(want, item.Document, cmpopts.EquateComparable(evm.Uint256{})); diff != "" || item.Block != nil {
				t.Errorf("block %v, document (-want +got):\n%s", item.Block, diff)
			}
		})
	}
	item, err := recording.NewLineDecoder()([]byte(`{"collection":{"document":` + text + `,"address":"` + a1 + `","uri":"ipfs://c","fetchedAt":1700000000}}`))
	expect.NoError(t, err)
	want := &nft.Document{TokenKey: nft.TokenKey{Contract: contract}, OfCollection: true, URI: "ipfs://c", FetchedAt: 1700000000, Raw: "{\"name\":\"café 😀\"}\n"}
	expect.Equal(t, "document of a collection", want, item.Document, cmpopts.EquateComparable(evm.Uint256{}))
	item, err = recording.NewLineDecoder()([]byte(`{"collection":{"name":"N\n","symbol":"","document":` + text + `,"address":"` + a1 + `","uri":"ipfs://c","fetchedAt":1700000000}}`))
	expect.NoError(t, err)
	want.Name, want.Symbol = new("N\n"), new("")
	expect.Equal(t, "document of a collection with names", want, item.Document, cmpopts.EquateComparable(evm.Uint256{}))
	for of, want := range map[string]string{`"ERC1155"`: "", `"erc1155"`: `contractType: got "erc1155", want ERC721 or ERC1155`, "1": "contractType: got a number, want a string"} {
		item, err = recording.NewLineDecoder()([]byte(`{"metadata":{"contractType":` + of + `,"document":` + text + `,"address":"` + a1 + `","tokenId":1,"uri":"u","fetchedAt":1}}`))
		if want == "" {
			expect.NoError(t, err)
			expect.Equal(t, "standard", nft.ERC1155, item.Document.Type)
		} else if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want %s", of, err, want)
		}
	}
}

// TestLine_TransactionIndex reads logs with and without a transaction index. A malformed one
// counts as missing, because the place of the log among the receipts is the same.
func TestLine_TransactionIndex(t *testing.T) {
	for text, want := range map[string]evm.TxIndex{
		"": {}, "null": {}, `"0x0"`: {Known: true}, "12": {N: 12, Known: true}, `"0x7fffffff"`: {N: 1<<31 - 1, Known: true},
		`"0x80000000"`: {}, "-1": {}, `"x"`: {}, "true": {},
	} {
		item, err := recording.NewLineDecoder()([]byte(withLogs(logText("transactionIndex", text))))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got := item.Block.Logs[0].TxIndex; got != want {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
}
