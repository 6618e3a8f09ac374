package jsonrpc_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// said is an entry in the shared list of node and provider error messages.
type said struct {
	Kind, When, Message string
	Code                *int
	Limit               *uint64 `json:"limit_blocks"`
}

func (s said) code() int {
	if s.Code == nil {
		return 0
	}
	return *s.Code
}

// allSaid returns the list without its one entry for a node that returns no error.
func allSaid(t testing.TB) []said {
	t.Helper()
	return slices.DeleteFunc(chaintest.Values[said](t, "rpc-errors/rpc-errors.ndjson"), func(s said) bool { return s.Message == "" })
}

// notSize are the kinds of the messages that are not about the size of the range.
var notSize = map[string]any{
	"BlockOutOfRangeError: block height is 0 but requested was 5":    jsonrpc.BeyondHead,
	"BlockOutOfRangeError: block height is 360 but requested was 32": jsonrpc.BeyondHead,
	"block range extends beyond current head block":                  jsonrpc.BeyondHead,
	"invalid block range params":                                     jsonrpc.Refused,
	"unknown block":                                                  jsonrpc.UnknownBlock,
	"blockHash cannot be found":                                      jsonrpc.UnknownBlock,
	"Method eth_getBlockReceipts is not supported":                   jsonrpc.Unsupported,
	"Method not found":                                               jsonrpc.Unsupported,
	"transaction indexing is in progress":                            jsonrpc.Temporary,
	"batch too large":                                                jsonrpc.Batch,
	"empty batch":                                                    jsonrpc.Refused,
	"parse error":                                                    jsonrpc.Temporary,
	"no backend is currently healthy to serve traffic":               jsonrpc.Temporary,
}

// unnamed are the messages that do not contain the limit.
var unnamed = map[string]bool{"block range is too wide": true, "Block range limit exceeded.": true}

func TestClassify_Shared(t *testing.T) {
	t.Parallel()
	for _, s := range allSaid(t) {
		t.Run(s.Message, func(t *testing.T) {
			want, ok := notSize[s.Message]
			if !ok {
				want = jsonrpc.Size
			}
			wantLimit := uint64(0)
			if s.Limit != nil && !unnamed[s.Message] {
				wantLimit = *s.Limit
			}
			kind, limit, _ := jsonrpc.Classify(s.code(), s.Message, false)
			if any(kind) != want || limit != wantLimit {
				t.Errorf("kind %v, limit %d: want %v, %d", kind, limit, want, wantLimit)
			}
		})
	}
}

func TestClassify(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		code        int
		message     string
		inBatch     bool
		kind        any
		limit, size uint64
	}{
		{-32005, "daily request count exceeded, request rate limited", false, jsonrpc.Rate, 0, 0},
		{-32005, "limit exceeded", false, jsonrpc.Size, 0, 0},
		{429, "slow down", false, jsonrpc.Rate, 0, 0},
		{-32029, "", false, jsonrpc.Rate, 0, 0},
		{0, "Your app has exceeded its compute units per second capacity", false, jsonrpc.Rate, 0, 0},
		{-32000, "rate limit: at most 100 blocks range per second", false, jsonrpc.Rate, 100, 0},
		{-32602, "eth_getLogs is limited to a 10000 range", false, jsonrpc.Size, 10000, 0},
		{-32602, "You can make eth_getLogs requests with up to a 10K block range.", false, jsonrpc.Size, 10000, 0},
		{-32602, "limited to 10,000 blocks range", false, jsonrpc.Size, 10000, 0},
		{-32602, "this block range should work: [0x10, 0x1f]", false, jsonrpc.Size, 0, 16},
		{-32602, "this block range should work: [0x1f, 0x10]", false, jsonrpc.Size, 0, 0},
		{-32602, "limited to a 99999999999999999999 blocks range", false, jsonrpc.Size, 0, 0},
		{-32003, "response too large", false, jsonrpc.Size, 0, 0},
		{-32002, "request timed out", false, jsonrpc.Size, 0, 0},
		{-32000, "query timeout exceeded", false, jsonrpc.Size, 0, 0},
		{-32701, "Please limit the query to at most 500 blocks", false, jsonrpc.Size, 500, 0},
		{4444, "pruned history unavailable", false, jsonrpc.Pruned, 0, 0},
		{-32000, "missing trie node 00ab (path )", false, jsonrpc.Pruned, 0, 0},
		{-32000, "header not found", false, jsonrpc.UnknownBlock, 0, 0},
		{-39001, "Unknown block", false, jsonrpc.UnknownBlock, 0, 0},
		{-32000, "finalized block not found", false, jsonrpc.UnknownBlock, 0, 0},
		{-32700, "parse error", true, jsonrpc.Batch, 0, 0},
		{-32600, "Invalid Request", true, jsonrpc.Batch, 0, 0},
		{-32600, "Invalid Request", false, jsonrpc.Refused, 0, 0},
		{0, "Batch size is too large, limit 10", false, jsonrpc.Batch, 0, 0},
		{-32601, "the method eth_getBlockReceipts does not exist/is not available", false, jsonrpc.Unsupported, 0, 0},
		{-32000, "execution reverted", false, jsonrpc.Refused, 0, 0},
	} {
		t.Run(test.message, func(t *testing.T) {
			kind, limit, size := jsonrpc.Classify(test.code, test.message, test.inBatch)
			if any(kind) != test.kind || limit != test.limit || size != test.size {
				t.Errorf("kind %v, limit %d, size %d: want %v, %d, %d", kind, limit, size, test.kind, test.limit, test.size)
			}
		})
	}
}

// TestRange_Errors has a node return each shared error in every form in which servers send
// errors; errors about the size for every range of more than 3 blocks, others once. All
// logs must arrive.
func TestRange_Errors(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 40)
	want := node.Blocks()
	for _, s := range allSaid(t) {
		for way, fault := range map[string]chaintest.Fault{
			"in the batch":  {Code: s.code(), Message: s.Message},
			"as one object": {Status: http.StatusOK, Body: fmt.Sprintf(`{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`, s.code(), s.Message)},
			"as HTTP 400":   {Status: http.StatusBadRequest, Body: fmt.Sprintf(`{"error":{"code":%d,"message":%q}}`, s.code(), s.Message)},
			"as a text":     {Status: http.StatusOK, Body: fmt.Sprintf(`{"error":%q}`, s.Message)},
		} {
			if testing.Short() && way != "as HTTP 400" {
				continue // TestClassify_Shared has every message
			}
			t.Run(s.Message+"/"+way, func(t *testing.T) {
				defer node.ClearFaults()
				when, times := chaintest.Wider(3), 0
				kind, is := notSize[s.Message]
				if is {
					when, times = chaintest.Method("eth_getLogs"), 1
				}
				node.Break(times, fault, when)
				clock := new(chaintest.Clock)
				c := dial(t, jsonrpc.Options{Samples: -1, Clock: clock.Random(0.5)}, node.URL)
				got, err := c.Range(context.Background(), 1, 40)
				switch {
				// These are returned at once; the caller retries.
				case kind == jsonrpc.BeyondHead || kind == jsonrpc.UnknownBlock:
					if !errors.Is(err, jsonrpc.ErrLagging) {
						t.Fatalf("error %v, want ErrLagging", err)
					}
					got, err = c.Range(context.Background(), 1, 40)
				}
				expect.NoError(t, err)
				checkBlocks(t, want[1:], got)
			})
		}
	}
}
