package command_test

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"mintburn/internal/command"
	"mintburn/internal/httpapi"
	"mintburn/internal/httpapi/cost"
	"mintburn/internal/httpapi/page"
	"mintburn/internal/httpapi/subscribe"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// TestServe_Limits checks that each flag sets its limit, and that --help and
// docs/limits.md have the same defaults.
func TestServe_Limits(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "docs", "limits.md"))
	expect.NoError(t, err)
	help, _, _ := run(t, nil, "serve", "--help")
	help = strings.Join(strings.Fields(help), " ")
	for _, row := range regexp.MustCompile("(?m)^\\| `--([a-z-]+)` \\| (\\S+) \\|").FindAllStringSubmatch(string(text), -1) {
		pattern := regexp.MustCompile("--" + row[1] + "=[A-Z]+ [^$]* Default: " + row[2] + " \\(")
		if !pattern.MatchString(help) {
			t.Errorf("--help does not say that --%s is %s", row[1], row[2])
		}
	}
	got, err := command.LimitsOf("--db", "x.db", "--max-body", "1", "--max-batch", "2", "--max-tokens", "3", "--max-depth", "4", "--max-aliases", "5",
		"--max-root-fields", "6", "--max-cost", "7", "--max-answer", "8", "--max-page-size", "9", "--max-concurrency", "10", "--timeout", "11s", "--max-subscriptions", "12", "--max-subscriptions-per-client", "13")
	expect.NoError(t, err)
	want := httpapi.Limits{Body: 1, Batch: 2, Limits: cost.Limits{Tokens: 3, Depth: 4, Aliases: 5, RootFields: 6, Cost: 7, PageSize: 9}, Answer: 8, Concurrency: 10, Timeout: 11 * time.Second, Subscriptions: 12, ClientSubscriptions: 13, Times: subscribe.DefaultTimes}
	expect.Equal(t, "limits", want, got)
}

// TestServe_Flags checks that each flag changes the server's response.
func TestServe_Flags(t *testing.T) {
	t.Parallel()
	documents := t.TempDir()
	expect.NoError(t, os.WriteFile(filepath.Join(documents, "Lag.graphql"), []byte("{ chain { lag } }"), 0o644))
	db := importChainA(t)
	query := apitest.Request("{ chain { head { number } } }", "")
	for flags, test := range map[string]struct {
		body   string
		header []string
		// want is in the response or its headers, but only from the server with flags.
		want string
	}{
		"--max-cost 1":                     {query, nil, "QUERY_TOO_COSTLY"},
		"--max-page-size 7":                {apitest.Request("{ mints(first: 8) { page } }", ""), nil, "want 0 to 7"},
		"--no-introspection":               {apitest.Request("{ __schema { queryType { name } } }", ""), nil, "introspection is turned off"},
		"--cors-origin https://a.example":  {query, []string{"Origin", "https://a.example"}, "Access-Control-Allow-Origin"},
		"--trusted-documents " + documents: {query, nil, "only trusted documents run here"},
	} {
		t.Run(flags, func(t *testing.T) {
			for _, given := range []bool{false, true} {
				args := []string{"serve", "--db", db}
				if given {
					args = append(args, strings.Fields(flags)...)
				}
				got := start(t, args...).Post(t, test.body, test.header...)
				if strings.Contains(fmt.Sprint(got.Body, got.Header), test.want) != given {
					t.Errorf("given: %t: %s, %v", given, got.Body, got.Header)
				}
			}
		})
	}
}

// TestServe_Page checks what Explore knows of the flags.
func TestServe_Page(t *testing.T) {
	t.Parallel()
	skipShort(t, "serves many times")
	neededPage(t)
	keys := filepath.Join(t.TempDir(), "keys")
	expect.NoError(t, os.WriteFile(keys, []byte("# none\n"), 0o600))
	for want, args := range map[string][]string{
		`"explorerUrl":"","key":false}`:                        {"demo", "--api-keys", keys},
		`"explorerUrl":"https://scan.example/eth","key":true}`: {"demo", "--explorer-url", "https://scan.example/eth/", "--api-keys", keys, "--require-api-key"},
	} {
		if got := start(t, args...).Send(t, http.MethodGet, "/explore/state", ""); got.Status != http.StatusOK || !strings.Contains(got.Body, want) {
			t.Errorf("%q: status %d, %s, want %s", args, got.Status, got.Body, want)
		}
	}
}

// TestServe_TrustedExplore checks that each document of Explore is trusted, unless it exceeds a
// limit.
func TestServe_TrustedExplore(t *testing.T) {
	t.Parallel()
	skipShort(t, "serves many times")
	folder := t.TempDir()
	expect.NoError(t, os.WriteFile(filepath.Join(folder, "Type.graphql"), []byte("{ __typename }"), 0o644))
	documents, err := page.Documents(page.Assets)
	expect.NoError(t, err)
	if len(documents) < 10 {
		t.Errorf("Explore has %d documents", len(documents))
	}
	trusting, limited := start(t, "demo", "--trusted-documents", folder), start(t, "demo", "--trusted-documents", folder, "--max-depth", "1")
	const refused = "only trusted documents run here"
	for _, text := range documents {
		if got := trusting.Post(t, apitest.Request(text, "")); strings.Contains(got.Body, refused) {
			t.Errorf("%s: %s", text, got.Body)
		}
		if got := limited.Post(t, apitest.Request(text, "")); !strings.Contains(got.Body, refused) {
			t.Errorf("%s beyond the limits: %s", text, got.Body)
		}
	}
}

// TestServe_Connections checks that beyond --max-connections a client loses connections
// to others, and that connections from --trusted-proxies count for no client.
func TestServe_Connections(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("needs several addresses of this machine")
	}
	for _, proxies := range []string{"127.0.0.1", "127.0.0.9"} {
		s := start(t, "serve", "--db", importChainA(t), "--max-connections", "10", "--trusted-proxies", proxies)
		conns := make([]net.Conn, 10)
		for i := range conns {
			var err error
			if conns[i], err = net.Dial("tcp", strings.TrimPrefix(s.Base, "http://")); err != nil {
				t.Fatal(err)
			}
			defer conns[i].Close()
		}
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP("127.0.0.3")}}
		client := &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true}}
		response, err := client.Get(s.Base + "/healthz")
		if ofProxy := proxies == "127.0.0.1"; (err != nil) != ofProxy {
			t.Errorf("another client, proxies %s: %v", proxies, err)
		}
		if err != nil {
			continue
		}
		response.Body.Close()
		if _, err := conns[0].Read(make([]byte, 1)); err == nil {
			t.Error("the oldest connection is open")
		}
	}
}

// TestServe_ReadTimeout checks that a request that does not arrive in time is refused.
func TestServe_ReadTimeout(t *testing.T) {
	t.Parallel()
	s := start(t, "serve", "--db", importChainA(t), "--read-timeout", "50ms")
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.Base, "http://"))
	expect.NoError(t, err)
	defer conn.Close()
	fmt.Fprint(conn, "POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n")
	text := make([]byte, len("HTTP/1.1 408"))
	if _, err := conn.Read(text); string(text) != "HTTP/1.1 408" {
		t.Errorf("%s, %v", text, err)
	}
}

func TestServe_BadFlags(t *testing.T) {
	t.Parallel()
	bad := map[string]string{
		"--max-body=0": "--max-body: got 0, want 1 to 1073741824", "--max-batch=-1": "--max-batch: got -1, want 1", "--max-cost=x": "--max-cost",
		"--max-depth=9999999999": "--max-depth: got 9999999999, want 1", "--timeout=0s": "--timeout: got 0s, want 1ms to 1h",
		"--read-timeout=2h": "--read-timeout: got 2h0m0s, want 1ms to 1h", "--max-concurrency=0": "--max-concurrency: got 0", "--timeout=5": "--timeout",
		"--cors-origin=a.example": "is not an origin: want http",
	}
	for flag, told := range bad {
		_, stderr, code := run(t, nil, "serve", "--db", filepath.Join(t.TempDir(), "x.db"), "--listen", "127.0.0.1:0", flag)
		if code != 2 || !strings.Contains(stderr, told) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d, %q: want 2, %q", flag, code, stderr, told)
		}
	}
	_, stderr, code := run(t, nil, "serve", "--db", storetest.SQLite(t), "--listen", "127.0.0.1:0", "--trusted-documents", "none")
	if code != 1 || !strings.Contains(stderr, "reading trusted documents: none: ") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("--trusted-documents: exit code %d, %q: want 1, one line", code, stderr)
	}
}
