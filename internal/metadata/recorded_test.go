package metadata_test

import (
	"context"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"mintburn/internal/evm"
	"mintburn/internal/metadata"
	"mintburn/internal/nft"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// TestWorker_RecordedSite resolves a token for each case of the recorded site.
func TestWorker_RecordedSite(t *testing.T) {
	server := recordedSite(t)
	cases := map[nft.TokenKey]expectation{}
	patient, hasty := new(queue), new(queue)
	caller := &contracts{tokenURI: map[nft.TokenKey]string{}, uri: map[nft.TokenKey]string{}}
	for i, want := range chaintest.Values[expectation](t, "metadata/expected.ndjson") {
		task := nft.Task{TokenKey: token(uint64(i)), Type: nft.ERC721}
		if text, isMulti := strings.CutPrefix(want.Case, "multi1155/"); isMulti {
			task = nft.Task{TokenKey: nft.TokenKey{TokenID: parseID(t, text)}, Type: nft.ERC1155}
			caller.uri[task.TokenKey] = server.URL + "/multi1155/{id}.json"
		} else {
			caller.tokenURI[task.TokenKey] = server.URL + want.Path
		}
		cases[task.TokenKey] = want
		// Slow answers get a short timeout.
		q := patient
		if answer := server.answers[want.Path]; answer.DelayMs+answer.DripMs > 0 {
			q = hasty
		}
		q.due = append(q.due, task)
	}
	records, reasons := map[string]int{}, map[string]string{}
	for q, timeout := range map[*queue]time.Duration{patient: time.Minute, hasty: 200 * time.Millisecond} {
		w, _ := newWorker(q, caller, newFetcher(t, metadata.FetcherOptions{AllowPrivate: true, Timeout: timeout}))
		tasks := len(q.due)
		finished := resolve(t, w)
		if len(finished) != tasks {
			t.Errorf("%d of %d tasks were finished", len(finished), tasks)
		}
		for key, got := range finished {
			want := cases[key]
			t.Run(want.Case, func(t *testing.T) {
				if (got.Document == nil) == (got.Problem == "") {
					t.Fatalf("document %v and problem %q", got.Document, got.Problem)
				}
				switch {
				case got.Document == nil && want.Outcome == "record":
					t.Fatalf("%s: %s", want.Note, got.Problem)
				case got.Document == nil:
					reasons[want.Case] = got.Problem
				case want.Outcome == "failure":
					t.Fatalf("%s: got a record, want a failure", want.Note)
				default:
					records[want.Outcome]++
					want.compare(t, got.Document.Metadata)
				}
			})
		}
	}
	expect.Equal(t, "records", map[string]int{"record": 176, "either": 12}, records)
	const tooLarge = "document is larger than 4194304 bytes"
	want := map[string]string{
		"027": "the document is text/html, not JSON",
		"028": "document is empty",
		"029": "document is not a JSON object",
		"030": "document is not a JSON object",
		"031": "document is not a JSON object",
		"032": "document is not valid JSON: invalid character '}' looking for beginning of object key string at byte 35",
		"033": "document is not valid JSON: invalid character '/' looking for beginning of object key string at byte 2",
		"034": "document is not valid JSON: invalid character 'N' looking for beginning of value at byte 55",
		"035": "document is not valid JSON: invalid character '{' after top-level value at byte 15",
		"038": "the document is image/png, not JSON",
		"041": `the document has content encoding "br": want gzip, deflate or zstd`,
		"042": "unpacking gzip: gzip: invalid header",
		"043": tooLarge,
		"044": tooLarge,
		"045": tooLarge,
		"046": "the connection closed before the answer was complete",
		"047": "no complete answer within 200ms",
		"048": "no complete answer within 200ms",
		"049": "status 404 Not Found",
		"050": "status 500 Internal Server Error",
		"051": "status 204 No Content",
		"056": "more than 5 redirects",
		"057": "refused: the host has no public address",
		"058": `redirect: refused: a URL of the scheme "file"`,
		"059": `redirect: refused: a URL of the scheme "ipfs"`,
		"061": "document is not valid JSON: invalid character '[' exceeded max depth at byte 10019",
	}
	expect.Equal(t, "reasons", want, reasons)
}

// recordedCalls answers calls from the recording of chain-a.
type recordedCalls map[string]evm.CallResult

// Call implements [metadata.Caller].
func (r recordedCalls) Call(_ context.Context, calls []evm.Call) ([]evm.CallResult, error) {
	results := make([]evm.CallResult, len(calls))
	for i, call := range calls {
		var known bool
		if results[i], known = r[call.To.String()+hex.EncodeToString(call.Data)]; !known {
			results[i] = evm.CallResult{Problem: "not recorded", Reverted: true}
		}
	}
	return results, nil
}

// TestWorker_RecordedCalls resolves all tokens whose calls were recorded. The recorded site
// serves the address that the recorded URIs contain.
func TestWorker_RecordedCalls(t *testing.T) {
	type recorded struct {
		Contract, Fn, Data, Result string
		To                         evm.Address
		Args                       []string
		Error                      *struct{ Message string }
	}
	caller, names, q := recordedCalls{}, map[nft.TokenKey]string{}, new(queue)
	for _, call := range chaintest.Values[recorded](t, "chain-a/calls.ndjson.gz") {
		standard, isURI := map[string]nft.ContractType{"tokenURI": nft.ERC721, "uri": nft.ERC1155}[call.Fn]
		if !isURI {
			continue
		}
		var result evm.CallResult
		if call.Error != nil {
			result.Problem, result.Reverted = call.Error.Message, true
		}
		var err error
		result.Data, err = hex.DecodeString(strings.TrimPrefix(call.Result, "0x"))
		expect.NoError(t, err)
		caller[call.To.String()+strings.TrimPrefix(call.Data, "0x")] = result
		key := nft.TokenKey{Contract: call.To, TokenID: parseID(t, call.Args[0])}
		names[key] = call.Contract + "/" + call.Args[0]
		q.due = append(q.due, nft.Task{TokenKey: key, Type: standard})
	}
	site := recordedSite(t)
	// IPFS content and other hosts do not exist.
	gateway := newSite(t, nil)
	w, _ := newWorker(q, caller, newFetcher(t, metadata.FetcherOptions{AllowPrivate: true, IPFS: []string{gateway.URL}, Resolver: nameServer(t)}))
	metadata.Reroute(w.Fetcher, "127.0.0.1:18799", strings.TrimPrefix(site.URL, "http://"))
	finished := resolve(t, w)
	if len(finished) != len(names) {
		t.Errorf("%d of %d tokens were finished", len(finished), len(names))
	}
	onChain := map[string]expectation{}
	for _, want := range chaintest.Values[struct {
		expectation
		TokenID string `json:"token_id"`
	}](t, "chain-a/expected-onchain-metadata.ndjson") {
		onChain["onchain721/"+want.TokenID] = want.expectation
	}
	byPath := map[string]expectation{}
	for _, want := range chaintest.Values[expectation](t, "metadata/expected.ndjson") {
		byPath[want.Path] = want
	}
	problems, fetched, read := map[string]string{}, 0, 0
	for key, got := range finished {
		name := names[key]
		if got.Document == nil {
			problems[name] = got.Problem
			continue
		}
		if want, ok := onChain[name]; ok {
			read++
			want.compare(t, got.Document.Metadata)
			continue
		}
		path, _ := strings.CutPrefix(metadata.ReplaceID(got.URI, key.TokenID), "http://127.0.0.1:18799")
		want, ok := byPath[path]
		if !ok {
			t.Errorf("%s: unexpected document from %s", name, got.URI)
		}
		fetched++
		want.compare(t, got.Document.Metadata)
	}
	if read != 12 || fetched != 14 {
		t.Errorf("got %d documents from the chain and %d from the site, want 12 and 14", read, fetched)
	}
	const reverted, absent = "tokenURI: execution reverted: custom error 0x7e273289:", "status 404 Not Found"
	want := map[string]string{
		"batch721a/1":                  absent,
		"clone/0":                      `"0.json" is not a URI with a scheme`,
		"http721/0":                    reverted,
		"http721/1002":                 absent,
		"http721/18446744073709551616": absent,
		"http721/340282366920938463463374607431768211456":                                       absent,
		"http721/57896044618658097711785492504343953926634992332820282019728792003956564819968": absent,
		"http721/9007199254740993": absent,
		"mutable721/4":             absent,
		"mutable721/6":             "tokenURI: the URI is empty",
		"mutable721/7":             reverted,
		"mutable721/14":            reverted,
		"plain1155/1":              absent,
		"seq721a/1":                "tokenURI: execution reverted: custom error 0xa14c4b50",
	}
	expect.Equal(t, "problems", want, problems)
}
