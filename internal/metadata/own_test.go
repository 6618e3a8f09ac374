package metadata_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mintburn/internal/metadata"
	"mintburn/internal/testing/expect"
)

// TestFetcher_OwnGateway checks that gateways on loopback are used, and that tokens reach
// loopback neither by URLs nor by redirects of other hosts.
func TestFetcher_OwnGateway(t *testing.T) {
	const refused = "refused: the host has a private or loopback address"
	var asked []string
	var other *httptest.Server
	handle := func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.RequestURI()+" "+r.Header.Get("X-Key")+r.Header.Get("Authorization"))
		switch {
		case strings.HasSuffix(r.URL.Path, "/moved"):
			http.Redirect(w, r, "inside", http.StatusFound)
		case strings.HasSuffix(r.URL.Path, "/away"):
			http.Redirect(w, r, other.URL, http.StatusFound)
		default:
			fmt.Fprint(w, document)
		}
	}
	gateway := httptest.NewServer(http.HandlerFunc(handle))
	defer gateway.Close()
	other = httptest.NewServer(http.HandlerFunc(handle))
	defer other.Close()
	host := strings.TrimPrefix(gateway.URL, "http://")
	plain := metadata.FetcherOptions{IPFS: []string{gateway.URL}, Arweave: []string{gateway.URL}}
	keyed := metadata.FetcherOptions{IPFS: []string{gateway.URL + "/ipfs?k=S&l"}}
	headed := metadata.FetcherOptions{IPFS: []string{gateway.URL}, Headers: []metadata.GatewayHeader{{Host: host, Name: "X-Key", Value: "S"}, {Host: host, Name: "Authorization", Value: "Bearer T"}}}
	for name, test := range map[string]struct {
		o      metadata.FetcherOptions
		uri    string
		asked  []string
		reason string
	}{
		"ipfs":                          {plain, "ipfs://" + cid0 + "/1", []string{"/ipfs/" + cid0 + "/1 "}, ""},
		"ipns":                          {plain, "ipns://a.example/1?b", []string{"/ipns/a.example/1?b "}, ""},
		"arweave":                       {plain, "ar://" + txID, []string{"/" + txID + " "}, ""},
		"a redirect within":             {plain, "ipfs://" + cid0 + "/moved", []string{"/ipfs/" + cid0 + "/moved ", "/ipfs/" + cid0 + "/inside "}, ""},
		"a redirect away":               {plain, "ipfs://" + cid0 + "/away", []string{"/ipfs/" + cid0 + "/away "}, refused},
		"a URL of the gateway":          {plain, gateway.URL + "/1", nil, refused},
		"a URL of its content":          {plain, gateway.URL + "/ipfs/" + cid1, []string{"/ipfs/" + cid1 + " "}, ""},
		"a URL of another's content":    {plain, other.URL + "/ipfs/" + cid1, []string{"/ipfs/" + cid1 + " "}, ""},
		"a query":                       {keyed, "ipfs://" + cid0, []string{"/ipfs/" + cid0 + "?k=S&l "}, ""},
		"two queries":                   {keyed, "ipfs://" + cid0 + "?a=b", []string{"/ipfs/" + cid0 + "?a=b&k=S&l "}, ""},
		"a redirect away with a query":  {keyed, "ipfs://" + cid0 + "/away", []string{"/ipfs/" + cid0 + "/away?k=S&l "}, "the redirect to " + other.URL + " is not followed, because the gateway's query may contain a key"},
		"headers":                       {headed, "ipns://a/moved", []string{"/ipns/a/moved SBearer T", "/ipns/a/inside SBearer T"}, ""},
		"a redirect away with headers":  {headed, "ipfs://" + cid0 + "/away", []string{"/ipfs/" + cid0 + "/away SBearer T"}, "the redirect to " + other.URL + " is not followed, because the gateway's headers may contain a key"},
		"a token's URL with headers":    {headed, gateway.URL + "/away", nil, refused},
		"a token's URL where all go":    {metadata.FetcherOptions{AllowPrivate: true, IPFS: headed.IPFS, Headers: headed.Headers}, gateway.URL + "/1", []string{"/1 "}, ""},
		"another host's URL of content": {metadata.FetcherOptions{AllowPrivate: true, IPFS: headed.IPFS, Headers: headed.Headers}, other.URL + "/ipfs/" + cid1, []string{"/ipfs/" + cid1 + " "}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFetcher(t, test.o)
			// A connection of the gateway that is idle must not be used for the token's URL.
			_, err := f.Fetch(t.Context(), "ipfs://"+cid0+"/idle")
			expect.NoError(t, err)
			asked = nil
			checkFetch(t, f, test.uri, document, test.reason)
			expect.Equal(t, "requests", test.asked, asked)
		})
	}
	// The other host of a redirect away must not choose a URL of the gateway.
	back := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, gateway.URL+"/secret", http.StatusFound)
	}))
	defer back.Close()
	other, asked = back, nil
	f := newFetcher(t, metadata.FetcherOptions{IPFS: []string{gateway.URL}})
	checkFetch(t, f, "ipfs://"+cid0+"/away", "", refused)
	expect.Equal(t, "requests", []string{"/ipfs/" + cid0 + "/away "}, asked)
}

func TestParseHeaders(t *testing.T) {
	got, err := metadata.ParseHeaders([]byte("# keys\n\n  A.example:81\tauthorization   Bearer a  b \r\nb.example X-Key s"))
	expect.NoError(t, err)
	expect.Equal(t, "headers", []metadata.GatewayHeader{{"a.example:81", "Authorization", "Bearer a  b", 3}, {"b.example", "X-Key", "s", 4}}, got)
	for text, want := range map[string]string{
		"a.example SECRET":                           "line 1: want HOST NAME VALUE",
		"#\na.example SEC(RET v":                     "line 2: want the name and the value of an HTTP header",
		"a.example X-Key SEC\x00RET":                 "line 1: want the name and the value of an HTTP header",
		"a.example content-length SECRET":            "line 1: the header is set by the program: want another name",
		strings.Repeat("#SECRET\n", 64<<10/8) + "\n": "want at most 65536 bytes",
	} {
		if _, err := metadata.ParseHeaders([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%.40q: error %v, want %s", text, err, want)
		}
	}
	_, err = metadata.NewFetcher(metadata.FetcherOptions{Headers: []metadata.GatewayHeader{{"ipfs.io:444", "A", "SECRET", 7}}})
	if err == nil || !strings.Contains(err.Error(), "line 7: no gateway has this host") || strings.Contains(err.Error(), "SECRET") {
		t.Errorf("a host that no gateway has: error %v", err)
	}
}
