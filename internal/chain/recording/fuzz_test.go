package recording_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"mintburn/internal/chain/recording"
	"mintburn/internal/testing/chaintest"
)

// FuzzLine checks that every line is an item or an error, and that an item comes from valid
// JSON, has a size bounded by its text, and does not depend on earlier lines of the decoder.
func FuzzLine(f *testing.F) {
	f.Add([]byte(withLogs(logText(), logText("logIndex", "null"), logText("logIndex", "1", "topics", "[]"))))
	f.Add([]byte(`{` + header + `,"receipts":[{"transactionHash":"` + h2 + `","logs":[` + logText() + `]}]}`))
	f.Add([]byte(`{"metadata":{"address":"` + a1 + `","tokenId":"1","uri":"\u00e9","fetchedAt":1,"document":"{}"}}`))
	f.Add([]byte(`{"x":[{"y":"\ud800\udc00"},-1.5e+3,null],"block":{},"logs":[]}`))
	f.Add([]byte(`{` + header + `,"receipts":[]}`))
	decode := recording.NewLineDecoder()
	f.Fuzz(func(t *testing.T, line []byte) {
		item, err := decode(line)
		again, againErr := recording.NewLineDecoder()(line)
		if err != nil {
			if len(err.Error()) > 1000 {
				t.Errorf("error of %d bytes", len(err.Error()))
			}
			if againErr == nil || againErr.Error() != err.Error() {
				t.Errorf("error %v, another decoder: %v", err, againErr)
			}
			return
		}
		if !json.Valid(line) {
			t.Error("accepted invalid JSON")
		}
		if (item.Block == nil) == (item.Document == nil) {
			t.Errorf("block %v and document %v", item.Block, item.Document)
		}
		if againErr != nil || !reflect.DeepEqual(item, again) {
			t.Errorf("item %v, another decoder: %v, %v", item, again, againErr)
		}
		if size := itemSize(item); size > 64+2*len(line) {
			t.Errorf("item of %d bytes from a line of %d", size, len(line))
		}
	})
}

func itemSize(item recording.Item) int {
	if item.Document != nil {
		return len(item.Document.URI) + len(item.Document.Raw)
	}
	size := 0
	for _, log := range item.Block.Logs {
		if len(log.Topics) > 4 {
			size = 1 << 40
		}
		size += int(reflect.TypeFor[recording.Item]().Size()) + 32*len(log.Topics) + len(log.Data)
	}
	return size
}

// FuzzArchive checks that every file is an archive or an error, and that blocks are proved and
// have a size bounded by the file.
func FuzzArchive(f *testing.F) {
	_, blocks, receipts := chaintest.ChainA(f)
	f.Add(chaintest.Era1(blocks[36:38], receipts[36:38]).Bytes())
	f.Add(chaintest.Ere(blocks[36:38], receipts[36:38]).Bytes())
	f.Fuzz(func(t *testing.T, file []byte) {
		items, err := recording.ReadArchive(file)
		if err != nil && len(err.Error()) > 1000 {
			t.Errorf("error of %d bytes", len(err.Error()))
		}
		for _, item := range items {
			if !item.Proven || item.Block == nil {
				t.Errorf("item %v is not proved", item)
			}
			// Snappy compresses to no less than a twentieth.
			if size := itemSize(item); size > 64+100*len(file) {
				t.Errorf("item of %d bytes from a file of %d", size, len(file))
			}
		}
	})
}
