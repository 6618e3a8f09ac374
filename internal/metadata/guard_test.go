package metadata_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/metadata"
	"mintburn/internal/testing/expect"
)

func TestDenyReason(t *testing.T) {
	const isPrivate, isCloud, isSpecial = "a private or loopback address", "a cloud metadata address", "no public address"
	for want, addresses := range map[string]string{
		"": "1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1 169.253.0.1 172.15.255.255 172.32.0.0 " +
			"192.0.1.1 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255 " +
			"2606:4700::1111 2001:4860:4860::8888 2a00:1450::1 64:ff9b::808:808 ::ffff:8.8.8.8",
		isPrivate: "127.0.0.1 127.255.255.254 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 100.127.255.255 " +
			"::1 fc00::1 fdff::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 64:ff9b::7f00:1 64:ff9b::a00:1",
		isCloud: "100.100.100.200 168.63.129.16 fd00:ec2::254 fd00:ec2::23 fd20:ce::254 64:ff9b::6464:64c8 ::ffff:168.63.129.16",
		isSpecial: "0.0.0.0 0.1.2.3 169.254.0.1 169.254.169.254 192.0.0.1 192.0.0.192 192.0.2.1 192.88.99.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 " +
			"224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 :: ::7f00:1 ::ffff:0:7f00:1 ::ffff:169.254.169.254 fe80::1 fe80::1%eth0 fec0::1 ff02::1 " +
			"64:ff9b::a9fe:a9fe 64:ff9b:1::7f00:1 100::1 2001::1 2001:0:7f00:1:: 2001:db8::1 2001:2::1 2002:7f00:1:: 2002:808:808:: 3fff::1 4000::1 5f00::1",
	} {
		for text := range strings.FieldsSeq(addresses) {
			address := netip.MustParseAddr(text)
			if got := metadata.DenyReason(address, false); got != want {
				t.Errorf("%s: %q, want %q", text, got, want)
			}
			allowed := want
			if want == isPrivate {
				allowed = ""
			}
			if got := metadata.DenyReason(address, true); got != allowed {
				t.Errorf("%s where private addresses are allowed: %q, want %q", text, got, allowed)
			}
		}
	}
}

// reason returns the reason of a failure. It fails the test if err is no failure.
func reason(t *testing.T, text string, err error) string {
	t.Helper()
	failure, ok := errors.AsType[*metadata.Failure](err)
	if !ok || text != "" {
		t.Fatalf("document %q, error %v: want a failure", text[:min(len(text), 100)], err)
	}
	if failure.Reason == "" || strings.ContainsAny(failure.Reason, "\n\x00") || len(failure.Reason) > 303 {
		t.Errorf("the reason is not one short line: %q", failure.Reason)
	}
	return failure.Reason
}

// checkFetch checks the document of a URI or, if why is not empty, the reason of the failure.
func checkFetch(t *testing.T, f *metadata.Fetcher, uri, want, why string) {
	t.Helper()
	text, err := f.Fetch(t.Context(), uri)
	if why != "" {
		if got := reason(t, text, err); got != why {
			t.Errorf("%.80s: reason %q, want %q", uri, got, why)
		}
	} else if err != nil || text != want {
		t.Errorf("%.80s: got %d bytes, %.40q, error %v, want %d, %.40q", uri, len(text), text, err, len(want), want)
	}
}

// TestFetcher_Loopback checks that requests to this machine are denied, whatever the spelling
// of the address.
func TestFetcher_Loopback(t *testing.T) {
	var asked atomic.Int64
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		io.WriteString(w, `{"name":"secret"}`)
	})
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(server.URL, "http://"))
	// Listen on IPv6 as well if the machine has it.
	if listener, err := net.Listen("tcp", "[::1]:"+port); err == nil {
		also := &http.Server{Handler: handler}
		go also.Serve(listener)
		t.Cleanup(func() { also.Close() })
	}
	const private, special = "refused: the host has a private or loopback address", "refused: the host has no public address"
	for _, test := range []struct{ host, want string }{
		{"127.0.0.1", private},
		{"127.1.2.3", private},
		{"localhost", private},
		{"localhost.", private},
		{"LOCALHOST", private},
		{"[::1]", private},
		{"[::ffff:127.0.0.1]", private},
		{"[::FFFF:7F00:1]", private},
		{"[64:ff9b::7f00:1]", private},
		{"[::7f00:1]", special},
		{"[::]", special},
		{"0.0.0.0", special},
		{"named.example", private},
		{"ｌｏｃａｌｈｏｓｔ", private},
		// A resolver may read these as addresses.
		{"0x7f000001", private},
		{"0x7f.1", private},
		{"2130706433", "the host does not exist"},
		{"0177.0.0.1", "the host does not exist"},
		{"127.1", "the host does not exist"},
		{"0", "the host does not exist"},
	} {
		for _, scheme := range []string{"http", "https"} {
			t.Run(scheme+" "+test.host, func(t *testing.T) {
				f := newFetcher(t, metadata.FetcherOptions{Resolver: nameServer(t, "127.0.0.1")})
				checkFetch(t, f, scheme+"://"+test.host+":"+port+"/", "", test.want)
			})
		}
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("the server got %d requests", n)
	}
	t.Run("allowed", func(t *testing.T) {
		f := newFetcher(t, metadata.FetcherOptions{AllowPrivate: true, Resolver: nameServer(t, "127.0.0.1")})
		checkFetch(t, f, "http://named.example:"+port+"/", `{"name":"secret"}`, "")
	})
}

// TestFetcher_NameChanges checks a name that resolves to an allowed address at first and to a
// denied one later (DNS rebinding).
func TestFetcher_NameChanges(t *testing.T) {
	for _, second := range []string{"169.254.169.254", "fe80::1", "100.100.100.200", "0.0.0.0"} {
		t.Run(second, func(t *testing.T) {
			asked := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				asked++
				w.Header().Set("Connection", "close")
				w.Header().Set("Location", "/again")
				w.WriteHeader(http.StatusFound)
			}))
			defer server.Close()
			_, port, _ := net.SplitHostPort(strings.TrimPrefix(server.URL, "http://"))
			f := newFetcher(t, metadata.FetcherOptions{AllowPrivate: true, Resolver: nameServer(t, "127.0.0.1", second)})
			text, err := f.Fetch(t.Context(), "http://rebound.example:"+port+"/")
			if got := reason(t, text, err); !strings.HasPrefix(got, "refused: the host has ") || asked != 1 {
				t.Errorf("reason %q after %d requests", got, asked)
			}
		})
	}
}

func TestFetcher_Redirects(t *testing.T) {
	type hop struct{ referrer, cookie, credentials string }
	var hops []hop
	mux := http.NewServeMux()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hops = append(hops, hop{r.Referer(), r.Header.Get("Cookie"), r.Header.Get("Authorization")})
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b", Path: "/"})
		mux.ServeHTTP(w, r)
	}))
	defer server.Close()
	mux.HandleFunc("/document", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{}`) })
	mux.HandleFunc("/chain/{left}", func(w http.ResponseWriter, r *http.Request) {
		to := "../document"
		if left := r.PathValue("left"); left != "1" {
			to = string(left[0] - 1)
		}
		w.Header().Set("Location", to+"#part")
		w.WriteHeader(http.StatusPermanentRedirect)
	})
	mux.HandleFunc("/to", func(w http.ResponseWriter, r *http.Request) {
		to := r.URL.Query().Get("url")
		if to == "long" {
			to = strings.Repeat("x", 8193)
		}
		if to == "longest" {
			to = "/document?" + strings.Repeat("x", 8192-10)
		}
		w.Header()["Location"] = []string{to}
		w.WriteHeader(http.StatusSeeOther)
	})
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) {
		status, _ := strconv.Atoi(r.URL.Query().Get("status"))
		w.Header().Set("Location", "/document")
		w.WriteHeader(status)
	})
	mux.HandleFunc("/nowhere", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusFound) })
	host := strings.TrimPrefix(server.URL, "http://")
	for _, test := range []struct{ path, want string }{
		{"/chain/5", ""},
		{"/chain/6", "more than 5 redirects"},
		{"/to?url=" + url.QueryEscape("//"+host+"/document"), ""},
		{"/to?url=" + url.QueryEscape("HTTP://"+host+"/document"), ""},
		{"/to?url=/to%3Furl=/to%253Furl=/document", ""},
		{"/to?url=file:///etc/hostname", `redirect: refused: a URL of the scheme "file"`},
		{"/to?url=data:,%257B%257D", `redirect: refused: a URL of the scheme "data"`},
		{"/to?url=" + url.QueryEscape("http://user:pass@"+host+"/document"), "redirect: refused: a URL with a user name or password"},
		{"/to?url=http://169.254.169.254/latest/meta-data/", "refused: the host has no public address"},
		{"/to?url=http://[fe80::1%2525eth0]/", "refused: the host has no public address"},
		{"/to?url=http://[::ffff:a9fe:a9fe]/", "refused: the host has no public address"},
		{"/to?url=http://100.100.100.200/", "refused: the host has a cloud metadata address"},
		{"/to?url=http://", "redirect: the URL has no host"},
		{"/to?url=http://x%0d%0aHost:y/", "redirect: the URL cannot be read"},
		{"/to?url=long", "redirect: the URL is longer than 8192 bytes"},
		{"/to?url=longest", ""},
		{"/moved?status=301", ""},
		{"/moved?status=302", ""},
		{"/moved?status=303", ""},
		{"/moved?status=307", ""},
		{"/moved?status=308", ""},
		{"/moved?status=300", "status 300 Multiple Choices"},
		{"/to", "status 303 See Other"},
		{"/nowhere", "status 302 Found"},
	} {
		t.Run(test.path[:min(len(test.path), 60)], func(t *testing.T) {
			hops = nil
			f := newFetcher(t, metadata.FetcherOptions{AllowPrivate: true})
			checkFetch(t, f, server.URL+test.path, "{}", test.want)
			for i, got := range hops {
				expect.Equal(t, fmt.Sprintf("headers of hop %d", i), hop{}, got, cmp.AllowUnexported(hop{}))
			}
		})
	}
}

// TestMain sets a proxy address on which nothing listens. Go reads the environment only once
// per process, so a single test would set it too late.
func TestMain(m *testing.M) {
	os.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	os.Exit(m.Run())
}

// TestFetcher_NoProxy checks that the proxy of the environment, which TestMain sets, is not
// used.
func TestFetcher_NoProxy(t *testing.T) {
	server := newSite(t, map[string]siteAnswer{"/": {Status: 200, Body: "{}"}})
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(server.URL, "http://"))
	f := newFetcher(t, metadata.FetcherOptions{AllowPrivate: true, Resolver: nameServer(t, "127.0.0.1")})
	if _, err := f.Fetch(t.Context(), "http://site.example:"+port+"/"); err != nil {
		t.Error(err)
	}
}

// TestFetcher_RedirectedGateway checks that a redirect from a gateway whose path may contain
// a key is not followed to another host.
func TestFetcher_RedirectedGateway(t *testing.T) {
	arrived := 0
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		arrived++
		io.WriteString(w, "{}")
	}))
	defer target.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/SECRET/ipfs/"+cid0+"/inside":
				io.WriteString(w, "{}")
			case strings.HasSuffix(r.URL.Path, "/1"):
				http.Redirect(w, r, "inside", status)
			default:
				http.Redirect(w, r, target.URL+r.URL.Path, status)
			}
		}))
		keyed := newFetcher(t, metadata.FetcherOptions{AllowPrivate: true, IPFS: []string{gateway.URL + "/SECRET/ipfs/"}})
		checkFetch(t, keyed, "ipfs://"+cid0+"/1", "{}", "")
		checkFetch(t, keyed, "ipfs://"+cid0+"/2", "", "the redirect to "+target.URL+" is not followed, because the gateway's path may contain a key")
		if arrived > 0 {
			t.Errorf("status %d: %d requests arrived", status, arrived)
		}
		checkFetch(t, newFetcher(t, metadata.FetcherOptions{AllowPrivate: true, IPFS: []string{gateway.URL}}), "ipfs://"+cid0+"/2", "{}", "")
		if arrived != 1 {
			t.Errorf("status %d: a redirect of a gateway without a key was not followed", status)
		}
		arrived = 0
		gateway.Close()
	}
}
