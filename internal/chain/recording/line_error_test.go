package recording_test

import (
	"strings"
	"testing"

	"mintburn/internal/chain/recording"
	"mintburn/internal/evm"
	"mintburn/internal/testing/expect"
)

// perTransaction returns a line with a list of the block's transactions, and the receipts
// of transactions h2 and h3, whose log indices begin at 0 in each.
func perTransaction(transactions ...string) string {
	receipt := func(tx, index string) string {
		log := logText("logIndex", `"0x0"`, "transactionHash", `"`+tx+`"`, "transactionIndex", index)
		return `{"transactionHash":"` + tx + `","logs":[` + log + `]}`
	}
	return `{"block":{` + header + `,"transactions":["` + strings.Join(transactions, `","`) + `"]},"receipts":[` + receipt(h2, "0") + `,` + receipt(h3, "1") + `]}`
}

// TestLine_OutsideTheBlock checks that a log that is not part of the block may name any
// transaction, and that receipts may be in any order.
func TestLine_OutsideTheBlock(t *testing.T) {
	removed := logText("removed", "true", "transactionHash", `"`+h3+`"`, "logIndex", "8")
	item, err := recording.NewLineDecoder()([]byte(`{` + header + `,"receipts":[{"transactionHash":"` + h2 + `","logs":[` + logText() + `,` + removed + `]}]}`))
	if err != nil || len(item.Block.Logs) != 2 {
		t.Errorf("%+v, error %v", item.Block, err)
	}
	// Receipts are put into the order of the transactions.
	for _, txs := range [][]string{{h2, h3}, {h3, h2}} {
		item, err := recording.NewLineDecoder()([]byte(perTransaction(txs...)))
		expect.NoError(t, err)
		var got []string
		for i, log := range item.Block.Logs {
			if got = append(got, log.TxHash.String()); log.Index != uint32(i) {
				t.Errorf("log %d has the index %d", i, log.Index)
			}
		}
		expect.Equal(t, "transactions", txs, got)
	}
}

func TestLine_Errors(t *testing.T) {
	log, longKey := logText(), strings.Repeat("k", 100_000)
	// eventWith returns a TransferSingle event, whose values are in records.
	single := evm.TopicTransferSingle.Hash().String()
	eventWith := func(replace ...string) string {
		return logText(append([]string{"topics", `["` + single + `"]`}, replace...)...)
	}
	for name, c := range map[string]struct{ line, want string }{
		"no JSON":                       {`number,hash`, "invalid JSON at byte 3"},
		"truncated":                     {withLogs(log)[:200], "invalid JSON: the line ends within a value"},
		"text after the value":          {withLogs() + "x", "unexpected data after the JSON value"},
		"two values":                    {withLogs() + withLogs(), "unexpected data after the JSON value"},
		"trailing comma":                {`{` + header + `,"logs":[],}`, "invalid JSON at byte"},
		"leading zero":                  {`{"x":01,` + header + `,"logs":[]}`, "invalid JSON at byte"},
		"bad escape":                    {`{"x":"\x",` + header + `,"logs":[]}`, "invalid JSON at byte"},
		"control character":             {"{\"x\":\"\x01\"," + header + `,"logs":[]}`, "invalid JSON at byte"},
		"not UTF-8":                     {"{\"x\":\"\xff\"," + header + `,"logs":[]}`, "invalid JSON at byte"},
		"NaN":                           {`{"x":NaN,` + header + `,"logs":[]}`, "invalid JSON at byte"},
		"nested too deep":               {`{"x":` + strings.Repeat("[", 1_000_000) + strings.Repeat("]", 1_000_000) + `,` + header + `,"logs":[]}`, "invalid JSON at byte"},
		"long name before a fault":      {`{"` + longKey + `":x`, "invalid JSON at byte"},
		"an array":                      {`[` + withLogs() + `]`, "got an array, want an object"},
		"null":                          {`null`, "got null, want an object"},
		"a response":                    {`{"jsonrpc":"2.0","id":1,"result":{}}`, `neither a block nor metadata, but a response with a result: want {"block": …, "receipts": …}`},
		"a result of a block":           {`{"result":{"number":"0x1","receipts":[]}}`, "a response with a result"},
		"neither":                       {`{"jsonrpc":"2.0","id":1,"error":{}}`, "neither a block nor metadata"},
		"empty object":                  {`{}`, "neither a block nor metadata"},
		"both":                          {`{"block":{` + header + `},"logs":[],"metadata":{"address":"` + a1 + `","tokenId":"1","uri":"","fetchedAt":1,"document":""}}`, "both a block and metadata"},
		"metadata and logs":             {`{"logs":[],"metadata":{"address":"` + a1 + `","tokenId":"1","uri":"","fetchedAt":1,"document":""}}`, "both a block and metadata"},
		"metadata and receipts":         {`{"receipts":[],"metadata":{"address":"` + a1 + `","tokenId":"1","uri":"","fetchedAt":1,"document":""}}`, "both a block and metadata"},
		"block null":                    {`{"block":null,"logs":[]}`, "block: got null, want an object"},
		"no number":                     {`{"hash":"` + h1 + `","parentHash":"` + h2 + `","timestamp":1,"logs":[]}`, "block without number"},
		"number null":                   {`{"number":null,"hash":"` + h1 + `","parentHash":"` + h2 + `","timestamp":1,"logs":[]}`, "block without number"},
		"no hash":                       {`{"number":1,"parentHash":"` + h2 + `","timestamp":1,"logs":[]}`, "block without hash"},
		"no parentHash":                 {`{"number":1,"hash":"` + h1 + `","timestamp":1,"logs":[]}`, "block without parentHash"},
		"no timestamp":                  {`{"number":1,"hash":"` + h1 + `","parentHash":"` + h2 + `","logs":[]}`, "block without timestamp"},
		"header only outside the block": {`{` + header + `,"block":{},"logs":[]}`, "block without number"},
		"no logs":                       {`{"block":{` + header + `}}`, "block without logs or receipts"},
		"logs inside the block only":    {`{"block":{` + header + `,"logs":[]}}`, "block without logs or receipts"},
		"logs null":                     {`{` + header + `,"logs":null}`, "logs: got null, want an array"},
		"receipts null":                 {`{` + header + `,"receipts":null}`, "receipts: got null, want an array"},
		"logs and receipts":             {`{` + header + `,"logs":[],"receipts":[]}`, "block with both logs and receipts"},
		"logs twice":                    {`{` + header + `,"logs":[],"logs":[]}`, `"logs" is given twice`},
		"hash twice":                    {`{"block":{` + header + `,"hash":"` + h1 + `"},"logs":[]}`, `block: "hash" is given twice`},
		"number of 2^33":                {`{"number":"0x200000000","hash":"` + h1 + `","parentHash":"` + h2 + `","timestamp":1,"logs":[]}`, "number: invalid value"},
		"number of 2^64":                {`{"number":18446744073709551616,"hash":"` + h1 + `","parentHash":"` + h2 + `","timestamp":1,"logs":[]}`, "number: invalid value"},
		"number negative":               {`{"number":-1,"hash":"` + h1 + `","parentHash":"` + h2 + `","timestamp":1,"logs":[]}`, "number: invalid value"},
		"number a fraction":             {`{"number":1.0,"hash":"` + h1 + `","parentHash":"` + h2 + `","timestamp":1,"logs":[]}`, "number: invalid value"},
		"number 0x":                     {`{"number":"0x","hash":"` + h1 + `","parentHash":"` + h2 + `","timestamp":1,"logs":[]}`, "number: invalid value"},
		"number empty":                  {`{"number":"","hash":"` + h1 + `","parentHash":"` + h2 + `","timestamp":1,"logs":[]}`, "number: invalid value"},
		"timestamp of 2^53":             {`{"number":1,"hash":"` + h1 + `","parentHash":"` + h2 + `","timestamp":9007199254740992,"logs":[]}`, "timestamp: invalid value"},
		"hash short":                    {`{"number":1,"hash":"0x12","parentHash":"` + h2 + `","timestamp":1,"logs":[]}`, "hash: got"},
		"parentHash no hex":             {`{"number":1,"hash":"` + h1 + `","parentHash":"` + h2[:65] + `g","timestamp":1,"logs":[]}`, "parentHash: got"},
		"log null":                      {withLogs("null"), "logs: log 0: got null, want an object"},
		"log without address":           {withLogs(log, eventWith("address", "")), "logs: log 1: address: missing"},
		"log without data":              {withLogs(eventWith("data", "")), "log 0: data: missing"},
		"log without transaction":       {withLogs(eventWith("transactionHash", "")), "log 0: transactionHash: missing"},
		"transaction null":              {withLogs(eventWith("transactionHash", "null")), "log 0: transactionHash: missing"},
		"transaction short":             {withLogs(eventWith("transactionHash", `"0x12"`)), "log 0: transactionHash: got"},
		"address null":                  {withLogs(eventWith("address", "null")), "log 0: address: missing"},
		"address long":                  {withLogs(eventWith("address", `"`+a1+`00"`)), "log 0: address: got"},
		"address an object":             {withLogs(eventWith("address", `{}`)), "log 0: address: got"},
		"topic null":                    {withLogs(eventWith("topics", `["`+single+`",null]`)), "log 0: topics: topic 1: got"},
		"topic short":                   {withLogs(eventWith("topics", `["`+single+`","`+h1+`","0x1"]`)), "log 0: topics: topic 2: got"},
		"topic short of a Transfer":     {withLogs(logText("topics", `["`+evm.TopicTransfer.Hash().String()+`","0x","`+h1+`","`+h1+`"]`)), "log 0: topics: topic 1: got"},
		"five topics":                   {withLogs(eventWith("topics", `["`+single+`","`+h1+`","`+h1+`","`+h1+`","`+h1+`"]`)), "log 0: topics: want at most 4"},
		"data odd":                      {withLogs(eventWith("data", `"0x123"`)), "log 0: data: invalid value"},
		"data no hex":                   {withLogs(eventWith("data", `"0x12zz"`)), "log 0: data: invalid value"},
		"data without 0x":               {withLogs(eventWith("data", `"1234"`)), "log 0: data: invalid value"},
		"data empty text":               {withLogs(eventWith("data", `""`)), "log 0: data: invalid value"},
		"data null":                     {withLogs(eventWith("data", "null")), "log 0: data: missing"},
		"logIndex of 2^32":              {withLogs(eventWith("logIndex", `"0x100000000"`)), "log 0: logIndex: invalid value"},
		"removed a string":              {withLogs(eventWith("removed", `"true"`)), "log 0: removed: invalid value"},
		"address twice":                 {withLogs(strings.Replace(log, "{", `{"\u0061ddress":"`+a1+`",`, 1)), `log 0: "address" is given twice`},
		"of another block":              {withLogs(logText("blockHash", `"`+h3+`"`)), "logs or receipts of block " + h3 + " with the header of block " + h1},
		"of another number":             {withLogs(logText("blockNumber", `"0x11"`)), "logs or receipts of block number 17 with the header of block number 16"},
		"of two blocks":                 {withLogs(log, logText("blockHash", `"`+h3+`"`, "logIndex", "8")), "log 1: blockHash " + h3 + " differs"},
		"of two numbers":                {withLogs(log, logText("blockNumber", `"0xf"`, "logIndex", "8")), "log 1: blockNumber 15 differs"},
		"same index twice":              {withLogs(log, logText("logIndex", "8"), log), "two logs with index 7"},
		"receipt without logs":          {`{` + header + `,"receipts":[{"status":"0x1"}]}`, "receipts: receipt 0: no logs"},
		"receipt null":                  {`{` + header + `,"receipts":[null]}`, "receipts: receipt 0: got null"},
		"receipt of another block":      {`{` + header + `,"receipts":[{"blockHash":"` + h3 + `","logs":[]}]}`, "logs or receipts of block " + h3},
		"receipt of another number":     {`{` + header + `,"receipts":[{"blockNumber":"0x1","logs":[]}]}`, "logs or receipts of block number 1 "},
		"receipt of another tx":         {`{` + header + `,"receipts":[{"logs":[` + log + `],"transactionHash":"` + h3 + `"}]}`, "receipt 0: log 0: transactionHash " + h2},
		"no receipt of the last tx":     {perTransaction(h2, h3, h1), "receipts of 2 of 3 transactions"},
		"receipt of no listed tx":       {perTransaction(h3, h1), "receipts of 1 of 2 transactions: that of " + h1 + " is missing"},
		"log of receipt, bad":           {`{` + header + `,"receipts":[{"logs":[` + log + `]},{"logs":[{"topics":["` + single + `"]}]}]}`, "receipts: receipt 1: logs: log 0: address: missing"},
		"metadata null":                 {`{"metadata":null}`, "metadata: got null, want an object"},
		"document an object":            {`{"metadata":{"document":{}}}`, "metadata: document: got an object, want a string"},
		"document missing":              {`{"metadata":{"address":"` + a1 + `","tokenId":"1","uri":"","fetchedAt":1}}`, "metadata: no document"},
		"tokenId missing":               {`{"metadata":{"address":"` + a1 + `","uri":"","fetchedAt":1,"document":""}}`, "metadata: no tokenId"},
		"collection and logs":           {`{"logs":[],"collection":{"address":"` + a1 + `","uri":"","fetchedAt":1,"document":""}}`, "both a block and metadata"},
		"uri null":                      {`{"metadata":{"uri":null}}`, "metadata: uri: got null, want a string"},
		"tokenId of 2^256":              {`{"metadata":{"tokenId":"0x1` + strings.Repeat("0", 64) + `"}}`, "metadata: tokenId: got"},
		"tokenId null":                  {`{"metadata":{"tokenId":null}}`, "metadata: tokenId: got"},
		"fetchedAt of 2^53":             {`{"metadata":{"fetchedAt":"0x20000000000000"}}`, "metadata: fetchedAt: invalid value"},
		"metadata twice":                {`{"metadata":{"address":"` + a1 + `","address":"` + a1 + `"}}`, `metadata: "address" is given twice`},
		"long bad value":                {withLogs(eventWith("data", `"0x`+longKey+`"`)), "log 0: data: invalid value"},
	} {
		t.Run(name, func(t *testing.T) {
			item, err := recording.NewLineDecoder()([]byte(c.line))
			if err == nil {
				t.Fatalf("no error, want %q; item %v", c.want, item)
			}
			if message := err.Error(); !strings.Contains(message, c.want) || strings.Contains(message, "\n") || len(message) > 300 {
				t.Errorf("error %.500q, want one line with %q", message, c.want)
			}
		})
	}
}
