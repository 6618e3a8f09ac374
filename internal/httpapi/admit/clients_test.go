package admit

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"mintburn/internal/apikeys"
	"mintburn/internal/testing/expect"
)

func TestClient(t *testing.T) {
	known, err := NewClients([]string{"10.0.0.0/8", "2001:db8:1::1"}, nil)
	expect.NoError(t, err)
	for name, test := range map[string]struct {
		peer                    string
		forwardedFor, forwarded []string
		want                    string
	}{
		"IPv4":                                {"192.0.2.1:80", nil, nil, "192.0.2.1"},
		"IPv4 in IPv6":                        {"[::ffff:192.0.2.1]:80", nil, nil, "192.0.2.1"},
		"IPv6 by /64":                         {"[2001:db8::1:2:3:4%eth0]:80", nil, nil, "2001:db8::"},
		"not trusted":                         {"192.0.2.1:80", []string{"192.0.2.2"}, []string{"for=192.0.2.2"}, "192.0.2.1"},
		"trusted":                             {"10.0.0.1:80", []string{"192.0.2.2"}, nil, "192.0.2.2"},
		"trusted by address":                  {"[2001:db8:1::1]:80", []string{"2001:db8::9"}, nil, "2001:db8::"},
		"what the client claims":              {"10.0.0.1:80", []string{"192.0.2.9, 192.0.2.2"}, nil, "192.0.2.2"},
		"two proxies":                         {"10.0.0.1:80", []string{"192.0.2.9, 192.0.2.2,10.0.0.2"}, nil, "192.0.2.2"},
		"two proxies, two headers":            {"10.0.0.1:80", []string{"192.0.2.9", "192.0.2.2", "10.0.0.2"}, nil, "192.0.2.2"},
		"proxies alone":                       {"10.0.0.1:80", []string{"10.0.0.3, 10.0.0.2"}, nil, "10.0.0.3"},
		"no address":                          {"10.0.0.1:80", []string{"192.0.2.2, unknown"}, nil, "10.0.0.1"},
		"empty":                               {"10.0.0.1:80", []string{""}, nil, "10.0.0.1"},
		"Forwarded":                           {"10.0.0.1:80", nil, []string{`for=192.0.2.9, proto=https; FOR="192.0.2.2:4711";by=x`}, "192.0.2.2"},
		"Forwarded, IPv6":                     {"10.0.0.1:80", nil, []string{`for="[2001:db8:2::9]:4711"`}, "2001:db8:2::"},
		"Forwarded, IPv6 without port":        {"10.0.0.1:80", nil, []string{`for="[2001:db8:2::9]"`}, "2001:db8:2::"},
		"Forwarded, hidden":                   {"10.0.0.1:80", nil, []string{`for=_hidden`}, "10.0.0.1"},
		"both, alike":                         {"10.0.0.1:80", []string{"192.0.2.2"}, []string{"for=192.0.2.2"}, "192.0.2.2"},
		"both, one made up":                   {"10.0.0.1:80", []string{"192.0.2.2"}, []string{"for=192.0.2.7"}, "10.0.0.1"},
		"no address of the peer at all":       {"@", nil, nil, "invalid IP"},
		"a peer of a socket that is no proxy": {"@", []string{"192.0.2.2"}, nil, "invalid IP"},
	} {
		r := &http.Request{RemoteAddr: test.peer, Header: http.Header{}}
		if test.forwardedFor != nil {
			r.Header["X-Forwarded-For"] = test.forwardedFor
		}
		if test.forwarded != nil {
			r.Header["Forwarded"] = test.forwarded
		}
		if got := known.Of(r).String(); got != test.want {
			t.Errorf("%s: client %s, want %s", name, got, test.want)
		}
	}
	behind, err := NewClients([]string{"unix", "10.0.0.0/8"}, nil)
	expect.NoError(t, err)
	for peer, want := range map[string]string{"@": "192.0.2.2", "10.0.0.1:80": "192.0.2.2", "192.0.2.1:80": "192.0.2.1"} {
		r := &http.Request{RemoteAddr: peer, Header: http.Header{"X-Forwarded-For": {"192.0.2.9, 192.0.2.2"}}}
		if got := behind.Of(r).String(); got != want {
			t.Errorf("behind a socket, peer %s: client %s, want %s", peer, got, want)
		}
	}
	if err := CheckProxies([]string{"10.0.0.0/8", "proxy.example"}); err == nil || !strings.Contains(err.Error(), `"proxy.example": want an address or a prefix`) {
		t.Errorf("a name: %v", err)
	}
}

// TestClient_Warns checks that an untrusted proxy is logged.
func TestClient_Warns(t *testing.T) {
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	r := &http.Request{RemoteAddr: "192.0.2.1:80", Header: http.Header{"X-Forwarded-For": {"192.0.2.2"}}}
	for _, test := range []struct {
		proxies []string
		want    string
	}{{nil, "proxy=192.0.2.1"}, {[]string{"10.0.0.0/8"}, ""}} {
		log.Reset()
		known, err := NewClients(test.proxies, logger)
		expect.NoError(t, err)
		if known.Of(r); !strings.Contains(log.String(), test.want) || strings.Contains(log.String(), "--trusted-proxies") != (test.want != "") {
			t.Errorf("trusted %v: logged %q", test.proxies, &log)
		}
	}
}

// TestClient_Keys checks that a client with a key is the same client at every address, and
// differs from all clients without keys.
func TestClient_Keys(t *testing.T) {
	known, err := NewClients(nil, nil)
	expect.NoError(t, err)
	lines := "# keys\n"
	for _, name := range []string{"a", "b"} {
		line, err := apikeys.Line(name, "secret-"+name)
		expect.NoError(t, err)
		lines += line + "\n"
	}
	keys, err := apikeys.Parse([]byte(lines))
	expect.NoError(t, err)
	a := NewCallers(Access{Keys: func() *apikeys.Set { return keys }}, known)
	of := func(remote, key string) (client netip.Addr) {
		r := &http.Request{RemoteAddr: remote, Header: http.Header{}}
		if key != "" {
			r.Header.Set("X-API-Key", key)
		}
		a.Identify(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { client = known.Of(r) })).ServeHTTP(httptest.NewRecorder(), r)
		return client
	}
	first, second := of("192.0.2.1:80", "secret-a"), of("192.0.2.1:80", "secret-b")
	if first != of("[2001:db8::1]:80", "secret-a") || first == second || first.Is4() || clientOf(first) == first {
		t.Errorf("the clients of two keys are %s and %s", first, second)
	}
	for _, key := range []string{"", "secret-c"} {
		if got := of("[2001:db8::1]:80", key); got.String() != "2001:db8::" {
			t.Errorf("with the key %q the client is %s", key, got)
		}
	}
}
