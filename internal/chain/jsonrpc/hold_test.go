package jsonrpc_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/testing/chaintest"
)

// TestClient_LargeAnswers checks that many reads of large answers at once all end, whether
// they are padded with white space or too large.
func TestClient_LargeAnswers(t *testing.T) {
	node := filled(t, chaintest.NodeOptions{}, 16)
	for name, test := range map[string]struct {
		pad     int
		maxBody int64
		want    error
	}{
		"large":     {3 << 20, 0, nil},
		"huge":      {9 << 20, 0, nil},
		"too large": {9 << 20, 9 << 20, rpcerror.ErrTemporary},
	} {
		if testing.Short() && test.pad > 4<<20 {
			continue // The race detector takes minutes for these.
		}
		t.Run(name, func(t *testing.T) {
			defer node.ClearFaults()
			node.Break(0, chaintest.Fault{Pad: test.pad}, func(c chaintest.Call) bool { return c.Method != "eth_chainId" })
			o := lieOptions()
			o.MaxBody, o.Attempts = test.maxBody, 1
			c := dial(t, o, node.URL)
			reads := new(errgroup.Group)
			for range 8 {
				reads.Go(func() error {
					got, _, err := c.Full(context.Background(), 1, 2)
					if err == nil {
						checkBlocks(t, node.Blocks()[1:3], onlyFull(got))
						_, err = c.Range(context.Background(), 1, 2)
					}
					if err == nil {
						_, err = c.Proven(context.Background(), 3)
					}
					return err
				})
			}
			if err := reads.Wait(); !errors.Is(err, test.want) {
				t.Errorf("error %v, want %v", err, test.want)
			}
		})
	}
}

// TestClient_MaxBody checks the largest answer that is read, of known and of unknown length.
func TestClient_MaxBody(t *testing.T) {
	t.Parallel()
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	const answer = `{"jsonrpc":"2.0","id":1,"result":"0x7a69"}`
	for _, most := range []int{100, 8 << 10, 2 << 20, 3 << 20, 8 << 20, 9 << 20} {
		for _, more := range []int{-1, 0, 1} {
			for _, length := range [][]string{nil, {"Content-Length", strconv.Itoa(most + more)}} {
				node.Break(0, chaintest.Fault{Status: 200, Body: answer + strings.Repeat(" ", most+more-len(answer)), Header: length}, nil)
				o := lieOptions()
				o.MaxBody, o.Attempts = int64(most), 1
				_, err := dial(t, o, node.URL).ChainID(context.Background())
				if (err == nil) != (more <= 0) || err != nil && !strings.Contains(err.Error(), "is larger than") {
					t.Errorf("answer of %d bytes, most %d: error %v", most+more, most, err)
				}
				node.ClearFaults()
			}
		}
	}
}

// TestClient_LongErrors checks that only the beginning of an error is read as text, in each
// form in which servers send errors.
func TestClient_LongErrors(t *testing.T) {
	t.Parallel()
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	long := strings.Repeat("a", 1<<20)
	for name, test := range map[string]struct {
		fault chaintest.Fault
		want  string
	}{
		"message":      {chaintest.Fault{Code: -32000, Message: "no " + long + " rate limit"}, "refused"},
		"rate message": {chaintest.Fault{Code: -32000, Message: "rate limit " + long}, "rate limited"},
		"rate code":    {chaintest.Fault{Code: 429, Message: long}, "rate limited"},
		"data":         {chaintest.Fault{Code: -32000, Message: "no", Data: "rate limit " + long}, "rate limited"},
		"late data":    {chaintest.Fault{Code: -32000, Message: "no", Data: long + " rate limit"}, "refused"},
		"list":         {chaintest.Fault{Code: -32000, Message: "no", Data: []string{"rate limit", long}}, "rate limited"},
		"text":         {chaintest.Fault{Status: 200, Body: `{"error":"rate limit ` + long + `"}`}, "rate limited"},
		"status":       {chaintest.Fault{Status: 400, Body: `{"error":{"code":429,"message":"rate limit"}}` + long}, "rate limited"},
	} {
		t.Run(name, func(t *testing.T) {
			defer node.ClearFaults()
			node.Break(0, test.fault, chaintest.Method("eth_getBlockByNumber"))
			o := lieOptions()
			o.MaxBody, o.Attempts = 4<<20, 1
			c := dial(t, o, node.URL)
			_, err := c.Headers(context.Background(), 0, 0)
			if err == nil || len(err.Error()) > 500 || rpcerror.Class(err) != test.want {
				t.Errorf("error %v, want class %s", err, test.want)
			}
		})
	}
}
