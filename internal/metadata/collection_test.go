package metadata_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/evm"
	"mintburn/internal/metadata"
	"mintburn/internal/nft"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// described answers name(), symbol() and contractURI(), in this order, and bounds results as a
// client does.
type described [3]evm.CallResult

// Call implements [metadata.Caller].
func (d *described) Call(ctx context.Context, calls []evm.Call) ([]evm.CallResult, error) {
	results := make([]evm.CallResult, len(calls))
	for i, call := range calls {
		if len(call.Data) != 4 {
			return nil, fmt.Errorf("got a call with %d bytes", len(call.Data))
		}
		at := map[uint32]int{0x06FDDE03: 0, 0x95D89B41: 1, 0xE8A3D485: 2}[binary.BigEndian.Uint32(call.Data)]
		results[i] = d[at]
		if call.Limit > 0 && len(d[at].Data) > call.Limit {
			results[i].Data = d[at].Data[:call.Limit]
		}
	}
	return results, ctx.Err()
}

var reverted = evm.CallResult{Problem: "execution reverted", Reverted: true}

func returned(text string) evm.CallResult {
	return evm.CallResult{Data: chaintest.ABIString(text)}
}

// bytes32 returns a result with a text in a word.
func bytes32(text string) evm.CallResult {
	return evm.CallResult{Data: append([]byte(text), make([]byte, 32-len(text))...)}
}

// describe runs a worker on one collection, and returns its result.
func describe(t *testing.T, d described) nft.Resolution {
	t.Helper()
	q := &queue{due: []nft.Task{{TokenKey: nft.TokenKey{Contract: contract}, OfCollection: true}}}
	w, _ := newWorker(q, &d, newFetcher(t, metadata.FetcherOptions{AllowPrivate: true}))
	return resolve(t, w)[nft.TokenKey{Contract: contract}]
}

// TestCollection_Names reads what contracts return for name().
func TestCollection_Names(t *testing.T) {
	word := func(numbers ...byte) evm.CallResult {
		data := make([]byte, 32*len(numbers))
		for i, n := range numbers {
			data[32*i+31] = n
		}
		return evm.CallResult{Data: data}
	}
	long := strings.Repeat("ä", 200)
	for name, test := range map[string]struct {
		result evm.CallResult
		want   string
	}{
		"a string":                {returned("Azuki"), "Azuki"},
		"white space":             {returned(" \tA  b\n"), "A  b"},
		"padded":                  {returned("A\x00\x00"), "A"},
		"bytes32":                 {bytes32("MAYC"), "MAYC"},
		"a whole bytes32":         {bytes32("12345678901234567890123456789012"), "12345678901234567890123456789012"},
		"bytes32, not UTF-8":      {bytes32("a\xff"), "a\uFFFD"},
		"bytes32, Latin-1":        {bytes32("Caf\xe9 \xc0 la carte"), "Caf\uFFFD \uFFFD la carte"},
		"bytes32, cut":            {bytes32(strings.Repeat("ä", 15) + "a\xc3"), strings.Repeat("ä", 15) + "a\uFFFD"},
		"bytes32, a control":      {bytes32("a\x01\x00b"), "a\uFFFD\uFFFDb"},
		"an invalid control":      {bytes32("ab\x01\xff"), ""},
		"a hash":                  {bytes32("\xb1\x0e\x2d\x52\x76\x12\x07\x3b\x26\xee\xcd\xfd\x71\x7e\x6a\x32\x0c\xf4\x4b\x4a\xfa\xc2\xb0\x73\x2d\x9f\xcb\xe2\xb7\xfa\x0c\xf6"), ""},
		"mostly invalid":          {bytes32("a\xff\xff"), ""},
		"bytes32, replaced":       {bytes32("\uFFFD"), "\uFFFD"},
		"a number":                {word(7), ""},
		"zero":                    {word(0), ""},
		"nothing":                 {evm.CallResult{}, ""},
		"a revert":                {reverted, ""},
		"empty":                   {returned(""), ""},
		"HTML":                    {returned(`<img src=x onerror="alert(1)">`), `<img src=x onerror="alert(1)">`},
		"right to left":           {returned("evil\u202egnp.exe\u2066"), "evil\uFFFDgnp.exe\uFFFD"},
		"control characters":      {returned("a\x1b[31m\r\nb\x7f\u0085c\u2028d\u200fe"), "a\uFFFD[31m\uFFFD\uFFFDb\uFFFD\uFFFDc\uFFFDd\uFFFDe"},
		"an emoji of several":     {returned("👩\u200d🚀"), "👩\u200d🚀"},
		"not UTF-8":               {returned("a\xffb\xc3"), "a\uFFFDb\uFFFD"},
		"too long":                {returned("a" + long), "a" + strings.Repeat("ä", 127)},
		"256 bytes":               {returned(strings.Repeat("ä", 128)), strings.Repeat("ä", 128)},
		"a megabyte":              {returned(strings.Repeat("m", 1<<20)), strings.Repeat("m", 256)},
		"a megabyte of nothing":   {returned(strings.Repeat("\xff", 1<<20)), strings.Repeat("\uFFFD", 85)},
		"an offset outside":       {word(64, 0), ""},
		"a length outside":        {word(32, 1), ""},
		"a word too short":        {evm.CallResult{Data: make([]byte, 31)}, ""},
		"an offset in the middle": {evm.CallResult{Data: append(word(64, 0, 2).Data, "okxx"...)}, "ok"},
	} {
		t.Run(name, func(t *testing.T) {
			r := describe(t, described{test.result, test.result, reverted})
			if r.Collection == nil || r.Collection.Name == nil {
				t.Fatalf("got %+v", r)
			}
			expect.Equal(t, "name", test.want, *r.Collection.Name)
			expect.Equal(t, "symbol", test.want, *r.Collection.Symbol)
			expect.Equal(t, "problem", "", r.Problem)
			expect.Equal(t, "document", (*nft.CollectionMetadata)(nil), r.Collection.Document)
		})
	}
}

// TestCollection_Document fetches documents of contractURI, or says why it could not.
func TestCollection_Document(t *testing.T) {
	const document = `{"name":"Doc","symbol":"D","description":"{id} stays","image":"i","banner_image":"b","featured_image":"f","external_link":"https://x.example",
		"collaborators":["0x00000000000000000000000000000000000000aa","vitalik.eth",7]}`
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/document" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		fmt.Fprint(w, document)
	}))
	t.Cleanup(site.Close)
	want := &nft.CollectionMetadata{
		Name: new("Doc"), Symbol: new("D"), Description: new("{id} stays"), Image: new("i"), BannerImage: new("b"), FeaturedImage: new("f"),
		ExternalURL: new("https://x.example"), Collaborators: []evm.Address{{19: 0xAA}},
	}
	for name, test := range map[string]struct {
		result evm.CallResult
		want   *nft.CollectionMetadata
		uri    string
		says   string
	}{
		"a URL":             {returned(site.URL + "/document"), want, site.URL + "/document", ""},
		"a data URI":        {returned("data:application/json," + strings.ReplaceAll(document, "\n", "")), want, "data:", ""},
		"the document":      {returned(document), want, "{", ""},
		"camel case":        {returned(`{"bannerImage":"b","featuredImage":"f","imageUrl":"i"}`), &nft.CollectionMetadata{Image: new("i"), BannerImage: new("b"), FeaturedImage: new("f")}, "{", ""},
		"royalties only":    {returned(`{"seller_fee_basis_points":500,"fee_recipient":"0x00000000000000000000000000000000000000aa"}`), &nft.CollectionMetadata{}, "{", ""},
		"a recipient only":  {returned(`{"fee_recipient":""}`), &nft.CollectionMetadata{}, "{", ""},
		"no function":       {reverted, nil, "", ""},
		"no contract":       {evm.CallResult{}, nil, "", ""},
		"an empty URI":      {returned(""), nil, "", ""},
		"no string":         {bytes32("x"), nil, "", "contractURI: the result is not a string: 32 bytes"},
		"no answer":         {evm.CallResult{Problem: "timeout"}, nil, "", "contractURI: timeout"},
		"no document":       {returned(site.URL + "/missing"), nil, site.URL + "/missing", "status 404 Not Found"},
		"another document":  {returned(`{"error":"no"}`), nil, "{", "document has no member of collection metadata, such as name or image"},
		"a picture":         {returned("data:image/png;base64,iVBORw0KGgo="), nil, "data:", "the document is image/png, not JSON"},
		"a private address": {returned("http://169.254.169.254/"), nil, "http:", "refused: the host has no public address"},
	} {
		t.Run(name, func(t *testing.T) {
			r := describe(t, described{returned("Own"), returned("O"), test.result})
			if r.Collection == nil || r.Collection.Name == nil || *r.Collection.Name != "Own" || *r.Collection.Symbol != "O" {
				t.Fatalf("got %+v", r)
			}
			if diff := cmp.Diff(test.want, r.Collection.Document); diff != "" {
				t.Errorf("document (-want +got):\n%s", diff)
			}
			if !strings.HasPrefix(r.URI, test.uri) || (test.uri == "") != (r.URI == "") || !strings.Contains(r.Problem, test.says) || (test.says == "") != (r.Problem == "") {
				t.Errorf("got URI %q and problem %q, want %q and %q", r.URI, r.Problem, test.uri, test.says)
			}
			if (r.Problem == "") != (r.NextAt == 0) || (test.want == nil) != (r.Collection.Raw == "") {
				t.Errorf("got %+v", r)
			}
		})
	}
}

// TestCollection_Unanswered checks that a call that failed without a revert is no empty name.
func TestCollection_Unanswered(t *testing.T) {
	r := describe(t, described{{Problem: "timeout"}, returned("S"), reverted})
	if r.Problem != "name: timeout" || r.Collection.Name != nil || *r.Collection.Symbol != "S" || r.NextAt == 0 {
		t.Errorf("got %+v", r)
	}
}
