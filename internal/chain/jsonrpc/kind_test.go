package jsonrpc_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/chain/jsonrpc/rpcerror"
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
var notSize = map[string]rpcerror.Kind{
	"BlockOutOfRangeError: block height is 0 but requested was 5":    rpcerror.BeyondHead,
	"BlockOutOfRangeError: block height is 360 but requested was 32": rpcerror.BeyondHead,
	"block range extends beyond current head block":                  rpcerror.BeyondHead,
	"invalid block range params":                                     rpcerror.Refused,
	"unknown block":                                                  rpcerror.UnknownBlock,
	"blockHash cannot be found":                                      rpcerror.UnknownBlock,
	"Method eth_getBlockReceipts is not supported":                   rpcerror.Unsupported,
	"Method not found":                                               rpcerror.Unsupported,
	"transaction indexing is in progress":                            rpcerror.Temporary,
	"batch too large":                                                rpcerror.Batch,
	"empty batch":                                                    rpcerror.Refused,
	"parse error":                                                    rpcerror.Temporary,
	"no backend is currently healthy to serve traffic":               rpcerror.Temporary,
}

// unnamed are the messages that do not contain the limit.
var unnamed = map[string]bool{"block range is too wide": true, "Block range limit exceeded.": true}

func TestClassify_Shared(t *testing.T) {
	t.Parallel()
	for _, s := range allSaid(t) {
		t.Run(s.Message, func(t *testing.T) {
			want, ok := notSize[s.Message]
			if !ok {
				want = rpcerror.Size
			}
			wantLimit := uint64(0)
			if s.Limit != nil && !unnamed[s.Message] {
				wantLimit = *s.Limit
			}
			if got := rpcerror.Classify(s.code(), s.Message, false); got.Kind != want || got.Limit != wantLimit {
				t.Errorf("kind %v, limit %d: want %v, %d", got.Kind, got.Limit, want, wantLimit)
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
		kind        rpcerror.Kind
		limit, size uint64
	}{
		{-32005, "daily request count exceeded, request rate limited", false, rpcerror.Rate, 0, 0},
		{-32005, "limit exceeded", false, rpcerror.Size, 0, 0},
		{429, "slow down", false, rpcerror.Rate, 0, 0},
		{-32029, "", false, rpcerror.Rate, 0, 0},
		{0, "Your app has exceeded its compute units per second capacity", false, rpcerror.Rate, 0, 0},
		{-32000, "rate limit: at most 100 blocks range per second", false, rpcerror.Rate, 100, 0},
		{-32602, "eth_getLogs is limited to a 10000 range", false, rpcerror.Size, 10000, 0},
		{-32602, "You can make eth_getLogs requests with up to a 10K block range.", false, rpcerror.Size, 10000, 0},
		{-32602, "limited to 10,000 blocks range", false, rpcerror.Size, 10000, 0},
		{-32602, "this block range should work: [0x10, 0x1f]", false, rpcerror.Size, 0, 16},
		{-32602, "this block range should work: [0x1f, 0x10]", false, rpcerror.Size, 0, 0},
		{-32602, "limited to a 99999999999999999999 blocks range", false, rpcerror.Size, 0, 0},
		{-32003, "response too large", false, rpcerror.Size, 0, 0},
		{-32002, "request timed out", false, rpcerror.Size, 0, 0},
		{-32000, "query timeout exceeded", false, rpcerror.Size, 0, 0},
		{-32701, "Please limit the query to at most 500 blocks", false, rpcerror.Size, 500, 0},
		{4444, "pruned history unavailable", false, rpcerror.Pruned, 0, 0},
		{-32000, "missing trie node 00ab (path )", false, rpcerror.Pruned, 0, 0},
		{-32000, "header not found", false, rpcerror.UnknownBlock, 0, 0},
		{-39001, "Unknown block", false, rpcerror.UnknownBlock, 0, 0},
		{-32000, "finalized block not found", false, rpcerror.UnknownBlock, 0, 0},
		{-32700, "parse error", true, rpcerror.Batch, 0, 0},
		{-32600, "Invalid Request", true, rpcerror.Batch, 0, 0},
		{-32600, "Invalid Request", false, rpcerror.Refused, 0, 0},
		{0, "Batch size is too large, limit 10", false, rpcerror.Batch, 0, 0},
		{-32601, "the method eth_getBlockReceipts does not exist/is not available", false, rpcerror.Unsupported, 0, 0},
		{-32000, "execution reverted", false, rpcerror.Refused, 0, 0},
	} {
		t.Run(test.message, func(t *testing.T) {
			if got := rpcerror.Classify(test.code, test.message, test.inBatch); got.Kind != test.kind || got.Limit != test.limit || got.Size != test.size {
				t.Errorf("kind %v, limit %d, size %d: want %v, %d, %d", got.Kind, got.Limit, got.Size, test.kind, test.limit, test.size)
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
				case kind == rpcerror.BeyondHead || kind == rpcerror.UnknownBlock:
					if !errors.Is(err, rpcerror.ErrLagging) {
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
