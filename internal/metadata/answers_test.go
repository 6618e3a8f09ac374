package metadata_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"mintburn/internal/evm"
	"mintburn/internal/metadata"
	"mintburn/internal/nft"
	"mintburn/internal/testing/chaintest"
)

// TestWorker_Answers checks the problems for contract calls that return no usable URI.
func TestWorker_Answers(t *testing.T) {
	huge := string(chaintest.ABIString(strings.Repeat("{id}", 1<<20)))
	for _, test := range []struct {
		situation string
		result    evm.CallResult
		standard  nft.ContractType
		want      string
		in        time.Duration
	}{
		{"nothing", evm.CallResult{}, nft.ERC721, "tokenURI: the result is empty", time.Hour},
		{"empty", evm.CallResult{Data: chaintest.ABIString("")}, nft.ERC1155, "uri: the URI is empty", time.Hour},
		{"number", evm.CallResult{Data: make([]byte, 33)}, nft.ERC721, "tokenURI: the URI is empty", time.Hour},
		{"bytes32", evm.CallResult{Data: []byte("https://a.example/1.json________")}, nft.ERC721, "tokenURI: the result is not a string: 32 bytes", time.Hour},
		{"revert", evm.CallResult{Problem: "execution reverted:\n\x00" + strings.Repeat("x", 1000), Reverted: true}, nft.ERC721,
			"tokenURI: execution reverted: " + strings.Repeat("x", 270) + "…", time.Hour},
		{"node timeout", evm.CallResult{Problem: "execution aborted (timeout = 5s)"}, nft.ERC721, "tokenURI: execution aborted (timeout = 5s)", time.Minute},
		{"URI too long", evm.CallResult{Data: chaintest.ABIString("data:," + strings.Repeat(" ", 3*metadata.MaxDocument+1019))}, nft.ERC721,
			"tokenURI: the URI is longer than 12583936 bytes", time.Hour},
		{"ids that would fill memory", evm.CallResult{Data: []byte(huge)}, nft.ERC1155, "document is larger than 4194304 bytes", time.Hour},
	} {
		t.Run(test.situation, func(t *testing.T) {
			task := nft.Task{TokenKey: token(1), Type: test.standard}
			caller := same{test.result}
			w, clock := newWorker(&queue{due: []nft.Task{task}}, caller, newFetcher(t, metadata.FetcherOptions{}))
			got := resolve(t, w)[task.TokenKey]
			if got.Document != nil || got.Problem != test.want {
				t.Errorf("document %v, problem %q, want %q", got.Document, got.Problem, test.want)
			}
			if len(got.URI) > 3*metadata.MaxDocument+1024 {
				t.Errorf("the stored URI has %d bytes", len(got.URI))
			}
			if want := uint64(clock.Now().Add(test.in).Unix()); got.NextAt != want {
				t.Errorf("next attempt at %d, want %d", got.NextAt, want)
			}
		})
	}
}

// same returns the same result for every call.
type same struct{ evm.CallResult }

// Call implements [metadata.Caller].
func (s same) Call(_ context.Context, calls []evm.Call) ([]evm.CallResult, error) {
	results := make([]evm.CallResult, len(calls))
	for i := range results {
		results[i] = s.CallResult
	}
	return results, nil
}
