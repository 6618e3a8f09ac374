package metadata_test

import (
	"net/url"
	"strings"
	"testing"

	"mintburn/internal/metadata"
	"mintburn/internal/testing/expect"
)

const (
	cid0 = "QmPbxeGcXhYQQNgsC6a36dDyYUcHgMLnGKnF8pVFmGsvqi"
	cid1 = "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi"
	key  = "k51qzi5uqu5dlvj2baxnqndepeb86cbk3ng7n3i46uzyxzyqj2xjonzllnv0v8"
	txID = "U1sVzyzbDDuX_5jM-HWGwGRVaOT9rPJMJv_Bn7HJsEk"
)

// TestFetcher_PublicGateways checks that gateways whose path may contain a key are not
// published.
func TestFetcher_PublicGateways(t *testing.T) {
	f := newFetcher(t, metadata.FetcherOptions{
		IPFS:    []string{"https://a.example", "https://b.example/KEY/ipfs/", "http://127.0.0.1:8081/ipfs", "https://c.example/ipfs/KEY", "https://e.example?KEY", "https://f.example/?"},
		Arweave: []string{"https://d.example/KEY", "https://g.example"},
		Headers: []metadata.GatewayHeader{{Host: "G.example", Name: "A", Value: "KEY"}},
	})
	ipfs, arweave := f.Gateways()
	expect.Equal(t, "ipfs", []string{"https://a.example/ipfs/", "http://127.0.0.1:8081/ipfs/", "https://f.example/ipfs/"}, ipfs)
	expect.Equal(t, "arweave", []string{}, arweave)
	ipfs, arweave = newFetcher(t, metadata.FetcherOptions{}).Gateways()
	if len(ipfs) < 2 || len(arweave) < 2 || arweave[0] == "https://arweave.net/" {
		t.Errorf("default gateways: got %q and %q, want at least two each, and arweave.net not first", ipfs, arweave)
	}
}

func TestFetcher_Sources(t *testing.T) {
	f := newFetcher(t, metadata.FetcherOptions{
		IPFS:    []string{"https://one.example/", "http://two.example:8080/gate/ipfs"},
		Arweave: []string{"https://ar.example", "https://arr.example/raw/"},
	})
	ipfs := func(path string) []string {
		return []string{"https://one.example/ipfs/" + path, "http://two.example:8080/gate/ipfs/" + path}
	}
	ipns := func(path string) []string {
		return []string{"https://one.example/ipns/" + path, "http://two.example:8080/gate/ipns/" + path}
	}
	copied := func(url string, copies []string) []string { return append([]string{url}, copies...) }
	arweave := func(path string) []string {
		return []string{"https://ar.example/" + path, "https://arr.example/raw/" + path}
	}
	for uri, want := range map[string][]string{
		"ipfs://" + cid1:                                    ipfs(cid1),
		"IPFS://" + cid0 + "/1":                             ipfs(cid0 + "/1"),
		"ipfs://ipfs/" + cid0 + "/4":                        ipfs(cid0 + "/4"),
		"ipfs:/ipfs/" + cid0 + "/4.json":                    ipfs(cid0 + "/4.json"),
		"ipfs:" + cid0:                                      ipfs(cid0),
		"ipfs:///" + cid0 + "/":                             ipfs(cid0 + "/"),
		"/ipfs/" + cid0 + "/a":                              ipfs(cid0 + "/a"),
		"ipfs/" + cid0 + "/a":                               ipfs(cid0 + "/a"),
		cid0:                                                ipfs(cid0),
		cid1 + "/1.json":                                    ipfs(cid1 + "/1.json"),
		"ipfs://" + cid0 + "/My File #1.json":               ipfs(cid0 + "/My%20File%20%231.json"),
		"ipfs://" + cid0 + "/My%20File%20%231.json":         ipfs(cid0 + "/My%20File%20%231.json"),
		"ipfs://" + cid0 + "/a%2Fb":                         ipfs(cid0 + "/a%2Fb"),
		"ipfs://" + cid0 + "/100%.json":                     ipfs(cid0 + "/100%25.json"),
		"ipfs://" + cid0 + "/é{x}":                          ipfs(cid0 + "/%C3%A9%7Bx%7D"),
		"ipfs://" + cid0 + "/1?a=b c#d":                     ipfs(cid0 + "/1?a=b%20c%23d"),
		"ipfs://" + cid0 + "/..a/...":                       ipfs(cid0 + "/..a/..."),
		"ar://" + txID:                                      arweave(txID),
		"AR://" + txID + "/7.json":                          arweave(txID + "/7.json"),
		"http://a.example":                                  {"http://a.example"},
		"https://arweave.net/" + txID:                       copied("https://arweave.net/"+txID, arweave(txID)),
		"https://Arweave.NET:443/" + txID + "/a%20b.json?x": copied("https://Arweave.NET:443/"+txID+"/a%20b.json?x", arweave(txID+"/a%20b.json")),
		"http://arweave.dev/" + txID + "/":                  copied("http://arweave.dev/"+txID+"/", arweave(txID+"/")),
		"https://b32.turbo.ar-io.net/" + txID + "/1":        copied("https://b32.turbo.ar-io.net/"+txID+"/1", arweave(txID+"/1")),
		"https://ar.example/" + txID:                        {"https://ar.example/" + txID},
		"https://arweave.net/" + txID + "x":                 {"https://arweave.net/" + txID + "x"},
		"https://arweave.net/" + txID[1:] + "/1":            {"https://arweave.net/" + txID[1:] + "/1"},
		"https://arweave.net/info":                          {"https://arweave.net/info"},
		"https://arweave.net/raw/" + txID:                   {"https://arweave.net/raw/" + txID},
		"https://arweave.net/" + txID + "/../x":             {"https://arweave.net/" + txID + "/../x"},
		"https://notarweave.net/" + txID:                    {"https://notarweave.net/" + txID},
		"https://arweave.net.example/" + txID:               {"https://arweave.net.example/" + txID},
		"HTTPS://A.example:8443/b%20c/d e?f=g h&é#i":        {"https://A.example:8443/b%20c/d%20e?f=g%20h&%C3%A9"},
		"https://a.example/100%/%zz?%":                      {"https://a.example/100%25/%25zz?%25"},
		"ipns://k51x.a-b.example/1":                         ipns("k51x.a-b.example/1"),
		"IPNS:docs.example":                                 ipns("docs.example"),
		"/ipns/docs.example/a b#":                           ipns("docs.example/a%20b%23"),
		"ipfs://ipns/docs.example":                          ipns("docs.example"),
		"ipns://ipfs/" + cid1 + "/1":                        ipfs(cid1 + "/1"),
		"https://ipfs.example/ipfs/" + cid0 + "/1":          copied("https://ipfs.example/ipfs/"+cid0+"/1", ipfs(cid0+"/1")),
		"http://127.0.0.1:8080/ipfs/" + cid1:                copied("http://127.0.0.1:8080/ipfs/"+cid1, ipfs(cid1)),
		"https://p.example/KEY/ipfs/" + cid0 + "/a%20?k#f":  copied("https://p.example/KEY/ipfs/"+cid0+"/a%20?k", ipfs(cid0+"/a%20")),
		"https://" + cid1 + ".IPFS.dweb.example/1/2.json":   copied("https://"+cid1+".IPFS.dweb.example/1/2.json", ipfs(cid1+"/1/2.json")),
		"https://" + cid1 + ".ipfs.dweb.example?x":          copied("https://"+cid1+".ipfs.dweb.example?x", ipfs(cid1)),
		"https://" + key + ".ipns.dweb.example/1":           copied("https://"+key+".ipns.dweb.example/1", ipns(key+"/1")),
		"https://a.example/ipns/" + key + "/1":              copied("https://a.example/ipns/"+key+"/1", ipns(key+"/1")),
		"https://one.example/ipfs/" + cid0:                  ipfs(cid0),
		"https://a.example/ipfs/" + cid0[:45]:               {"https://a.example/ipfs/" + cid0[:45]},
		"https://a.example/ipfs/" + cid0 + "x/1":            {"https://a.example/ipfs/" + cid0 + "x/1"},
		"https://a.example/ipfs/" + cid0 + "/../x":          {"https://a.example/ipfs/" + cid0 + "/../x"},
		"https://a.example/ipns/docs.example/1":             {"https://a.example/ipns/docs.example/1"},
		"https://collection.ipfs.example/1":                 {"https://collection.ipfs.example/1"},
		"https://a.example/../b/./c":                        {"https://a.example/../b/./c"},
		"http://a.example/" + strings.Repeat("x", 8192-17):  {"http://a.example/" + strings.Repeat("x", 8192-17)},
		"https://a.example/%4g/%g4":                         {"https://a.example/%254g/%25g4"},
	} {
		t.Run(uri[:min(len(uri), 80)], func(t *testing.T) {
			got, err := metadata.Sources(f, uri)
			expect.NoError(t, err)
			expect.Equal(t, "result", want, got)
		})
	}
}

func TestFetcher_RefusedURIs(t *testing.T) {
	f := newFetcher(t, metadata.FetcherOptions{AllowPrivate: true, Arweave: []string{}})
	for uri, want := range map[string]string{
		"":                                   "the URI is empty",
		" \t\n":                              "the URI is empty",
		"file:///etc/hostname":               "refused: a URI of the scheme file",
		"FILE:/etc/hostname":                 "refused: a URI of the scheme file",
		"ftp://a.example/1":                  "refused: a URI of the scheme ftp",
		"javascript:alert(1)":                "refused: a URI of the scheme javascript",
		"gopher://127.0.0.1:25/_x":           "refused: a URI of the scheme gopher",
		"ipns://a.example/../1":              "refused: the URI's path contains . or ..",
		"ipns://user@a.example/1":            `the URI names no content: "user@a.example"`,
		"/ipns/../1":                         "refused: the URI's path contains . or ..",
		"blob:http://a.example/1":            "refused: a URI of the scheme blob",
		"0.json":                             `"0.json" is not a URI with a scheme`,
		"/1.json":                            `"/1.json" is not a URI with a scheme`,
		"//a.example/1.json":                 `"//a.example/1.json" is not a URI with a scheme`,
		"a.example/1.json":                   `"a.example/1.json" is not a URI with a scheme`,
		"not a URI":                          `"not a URI" is not a URI with a scheme`,
		"data":                               `"data" is not a URI with a scheme`,
		"data:application/json":              "data: URI without a comma",
		"http:a.example":                     "the URL has no host",
		"http:///1":                          "the URL has no host",
		"http://:80/":                        "the URL has no host",
		"http://user@a.example/":             "refused: a URL with a user name or password",
		"http://user:pass@127.0.0.1/":        "refused: a URL with a user name or password",
		"http://a.example\r\nX: y/":          "the URL contains invalid characters",
		"http://a.example/\x7F":              "the URL contains invalid characters",
		"http://a.example/\uFFFD":            "the URL contains invalid characters",
		"http://a.example:port/":             `the URL cannot be read: invalid port ":port" after host`,
		"ipfs://":                            `the URI names no content: ""`,
		"ipfs:// /1":                         `the URI names no content: ""`,
		"ipfs://user@host/1":                 `the URI names no content: "user@host"`,
		"ipfs://../../admin":                 `the URI names no content: ".."`,
		"ipfs://" + cid0 + "/../../x":        "refused: the URI's path contains . or ..",
		"ipfs://" + cid0 + "/%2e%2E/x":       "refused: the URI's path contains . or ..",
		"ipfs://" + cid0 + "/a%2F..%2Fx":     "refused: the URI's path contains . or ..",
		`ipfs://` + cid0 + `/a\..\x`:         "refused: the URI's path contains . or ..",
		"ar://" + txID:                       "no gateway is configured for this URI",
		"ipfs://" + cid0 + "/./x":            "refused: the URI's path contains . or ..",
		strings.Repeat("-", 101):             `"` + strings.Repeat("-", 100) + `" is not a URI with a scheme`,
		"ipfs://" + strings.Repeat("-", 101): `the URI names no content: "` + strings.Repeat("-", 100) + `"`,
		"http://a.example/" + strings.Repeat("x", 8192-16): "the URI is longer than 8192 bytes",
	} {
		t.Run(uri[:min(len(uri), 80)], func(t *testing.T) { checkFetch(t, f, uri, "", want) })
	}
}

func TestNewFetcher_BadGateways(t *testing.T) {
	for _, gateway := range []string{"", "a.example", "ftp://a.example", "http://", "http://user:KEY@a.example/", "ftp://a.example/?KEY@", "http://user:KEY@a.example/?KEY@b"} {
		if _, err := metadata.NewFetcher(metadata.FetcherOptions{IPFS: []string{gateway}}); err == nil || !strings.Contains(err.Error(), "want an http or https URL") || strings.Contains(err.Error(), "KEY") {
			t.Errorf("%q: error %v", gateway, err)
		}
		if _, err := metadata.NewFetcher(metadata.FetcherOptions{Arweave: []string{gateway}}); err == nil {
			t.Errorf("%q: no error", gateway)
		}
	}
}

// FuzzSources checks that all sources of any URI are http or https URLs with a host and without
// credentials, and that those of IPFS and Arweave content are below the gateway's folder.
func FuzzSources(f *testing.F) {
	for _, uri := range []string{
		"ipfs://" + cid0 + "/My File #1.json?x", "ipfs://ipfs/" + cid1, "/ipfs/x/../y", "/ipns/x/%2e./y", "ar://" + txID + "/%2e%2e/", "http://a b@c/%zz?q#f",
		"https://[fe80::1%25eth0]:1/", "file:///x", "HTTP:\\\\x", "", ":", "ipfs:%2F%2F",
	} {
		f.Add(uri)
	}
	fetcher := newFetcher(f, metadata.FetcherOptions{IPFS: []string{"https://ipfs.example/ipfs/"}, Arweave: []string{"https://ar.example/raw/"}})
	f.Fuzz(func(t *testing.T, uri string) {
		sources, err := metadata.Sources(fetcher, uri)
		if (err == nil) != (len(sources) > 0) {
			t.Fatalf("sources %q, error %v", sources, err)
		}
		if err != nil {
			reason(t, "", err)
		}
		for _, source := range sources {
			u, err := url.Parse(source)
			if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.Fragment != "" {
				t.Fatalf("%q has the source %q", uri, source)
			}
			if strings.ContainsFunc(u.RequestURI(), func(r rune) bool { return r <= ' ' || r >= 0x7F }) {
				t.Fatalf("%q makes the request line %q", uri, u.RequestURI())
			}
			if !strings.HasPrefix(strings.ToLower(uri), "http") && !strings.HasPrefix(u.JoinPath().String(), "https://ipfs.example/ipfs/") &&
				!strings.HasPrefix(u.JoinPath().String(), "https://ipfs.example/ipns/") && !strings.HasPrefix(u.JoinPath().String(), "https://ar.example/raw/") {
				t.Fatalf("%q leads out of the gateway: %q", uri, source)
			}
		}
	})
}
