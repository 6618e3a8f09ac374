package command_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"mintburn/internal/command"
	"mintburn/internal/httpapi/negotiate"
	"mintburn/internal/testing/expect"
)

// newKey generates an API key with the program, and returns the key and its line.
func newKey(t *testing.T, name string) (secret, line string) {
	t.Helper()
	line, said := mustRun(t, "keys", "new", name)
	secret = regexp.MustCompile(`^API key of ` + name + `, which is not stored anywhere: (mintburn_[0-9a-f]{64})\n$`).FindStringSubmatch(said)[1]
	if strings.Contains(line, secret[20:]) || !strings.HasPrefix(line, name+" sha256:") {
		t.Fatalf("the line is %s", line)
	}
	return secret, line
}

// newCertificate writes a certificate for 127.0.0.1 and its private key. It returns the first
// line of the private key.
func newCertificate(t *testing.T, cert, key string, number int64) (private string) {
	t.Helper()
	pair, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	expect.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(number), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &pair.PublicKey, pair)
	expect.NoError(t, err)
	bits, err := x509.MarshalPKCS8PrivateKey(pair)
	expect.NoError(t, err)
	block := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: bits}))
	expect.NoError(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	expect.NoError(t, os.WriteFile(key, []byte(block), 0o600))
	return strings.Split(block, "\n")[1]
}

// TestControl runs a server in a separate process, with every flag that holds a secret. It
// replaces the API keys, half written at first, and the certificate, makes every kind of
// mistake, and checks that no secret appears in any response or output.
func TestControl(t *testing.T) {
	t.Parallel()
	skipShort(t, "waits until files are looked at")
	folder := t.TempDir()
	file := func(name string) string { return filepath.Join(folder, name) }
	write := func(name, text string) { expect.NoError(t, os.WriteFile(file(name), []byte(text), 0o600)) }
	alice, aliceLine := newKey(t, "alice")
	bob, bobLine := newKey(t, "bob")
	eve, _ := newKey(t, "eve")
	write("keys", aliceLine)
	secrets := []string{alice, bob, eve, "node-secret", "user-secret", newCertificate(t, file("cert"), file("key"), 1)}
	write("mintburn.toml", fmt.Sprintf(`db = %q
[serve]
rpc = ["http://user-secret:user-secret@127.0.0.1:1/v3/node-secret?key=node-secret"]
poll = "100ms"
api-keys = %q
require-api-key = true
quota = 1000000
tls-cert = %q
tls-key = %q
allowed-hosts = ["127.0.0.1"]
`, file("db"), file("keys"), file("cert"), file("key")))
	s, process, ended := startProcess(t, func(*exec.Cmd) {}, "--config", file("mintburn.toml"))
	if !strings.HasPrefix(s.Base, "https://") {
		t.Fatalf("it serves %q: %s", s.Base, s.output)
	}
	var shown strings.Builder
	send := func(method, path, body string, header ...string) (status int, certificate int64) {
		t.Helper()
		// Each request makes a new TLS handshake.
		transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true}
		defer transport.CloseIdleConnections()
		s.HTTP = &http.Client{Transport: inspected{transport, func(r *http.Response) {
			certificate = r.TLS.PeerCertificates[0].SerialNumber.Int64()
			if (r.ProtoMajor == 2) != negotiate.HTTP2() {
				t.Errorf("%s %s: %s", method, path, r.Proto)
			}
		}}}
		got := s.Send(t, method, path, body, header...)
		fmt.Fprintln(&shown, got.Status, got.Header, got.Body)
		return got.Status, certificate
	}
	ask := func(key string) int {
		t.Helper()
		status, _ := send("POST", "/graphql", `{"query":"{ chain { lag } }"}`, "Authorization", "Bearer "+key)
		return status
	}
	hangup := func() { t.Helper(); expect.NoError(t, process.Process.Signal(syscall.SIGHUP)) }
	logged := func(text string, times int) {
		t.Helper()
		until(t, func() bool { return strings.Count(s.output.String(), text) == times })
	}
	expect.Equal(t, "alice, bob, nobody", []int{200, 401, 401}, []int{ask(alice), ask(bob), ask("")})
	// Polling does not load unchanged files, so the count of 1 is from the hangup.
	hangup()
	logged(`msg=reloaded flag=--api-keys`, 1)

	// Half of the new file leaves the old keys in use. The complete file needs no signal.
	write("keys", bobLine[:len(bobLine)/2])
	hangup()
	logged("--api-keys: "+file("keys")+": the last line has no newline", 1)
	expect.Equal(t, "alice, bob while the file is half written", []int{200, 401}, []int{ask(alice), ask(bob)})
	write("keys", bobLine)
	until(t, func() bool { return ask(bob) == 200 })
	expect.Equal(t, "alice, whose key is revoked", 401, ask(alice))

	// A key in place of its hash in the file, and keys wherever a client may send them by mistake.
	write("keys", bobLine+"eve "+eve+"\n")
	hangup()
	logged("line 2: want NAME sha256: and 64 hex digits", 1)
	send("GET", "/v1/mints?api_key="+eve, "", "X-API-Key", eve)
	send("GET", "/v1/mints?api_key="+eve, "", "X-API-Key", bob)
	send("GET", "/graphql?query={chain{lag}}&key="+eve, "", "Authorization", "Bearer "+bob, "X-API-Key", eve)
	send("POST", "/graphql", `{"query":"{ mints(after: \"`+eve+`\") { page } }"}`, "Authorization", "Bearer "+bob)
	send("GET", "/", "", "Host", "x", "Authorization", "Basic "+eve)

	// A key that does not match the certificate, and then one that does.
	secrets = append(secrets, newCertificate(t, file("cert"), file("other"), 2))
	hangup()
	logged("private key does not match public key", 1)
	if _, number := send("GET", "/healthz", ""); number != 1 {
		t.Errorf("the server presents certificate %d", number)
	}
	write("key", "-----BEGIN PRIVATE KEY-----\n"+secrets[5]+"\n")
	hangup()
	logged("--tls-key "+file("key")+": tls: failed to find any PEM data", 1)
	expect.NoError(t, os.Rename(file("other"), file("key")))
	hangup()
	until(t, func() bool { _, number := send("GET", "/healthz", ""); return number == 2 })
	until(t, func() bool { return strings.Contains(s.output.String(), "http://127.0.0.1:1/…") })

	mustRun(t, "health", "--listen", strings.TrimPrefix(s.Base, "https://"), "--tls-cert", file("cert"))
	if status, _ := send("GET", "/metrics", "", "X-API-Key", bob); status != 200 {
		t.Errorf("/metrics: status %d", status)
	}
	for _, line := range []string{
		`mintburn_file_reloads_total{file="api_keys",outcome="failed"} `, `mintburn_file_reloads_total{file="certificate",outcome="failed"} `,
		`mintburn_file_reloads_total{file="api_keys",outcome="loaded"} `, `mintburn_api_keys 1`,
	} {
		if !strings.Contains(shown.String(), line) || strings.Contains(shown.String(), line+"0\n") {
			t.Errorf("no metric %s", line)
		}
	}
	title, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", process.Process.Pid))
	expect.NoError(t, err)
	expect.NoError(t, process.Process.Signal(syscall.SIGTERM))
	if err := <-ended; err != nil {
		t.Errorf("%v: %s", err, s.output)
	}
	for what, text := range map[string]string{"log": s.output.String(), "answers and metrics": shown.String(), "process title": string(title)} {
		for _, secret := range secrets {
			if i := strings.Index(text, secret); i >= 0 {
				t.Errorf("the %s contains %s: %.200s", what, secret, text[max(0, i-100):])
			}
		}
	}
}

// inspected calls a function with each response.
type inspected struct {
	http.RoundTripper
	inspect func(*http.Response)
}

func (i inspected) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := i.RoundTripper.RoundTrip(r)
	if err == nil {
		i.inspect(response)
	}
	return response, err
}

// TestControl_Socket serves on a Unix socket, also without a database and with TLS.
func TestControl_Socket(t *testing.T) {
	t.Parallel()
	skipShort(t, "serves many times")
	cert, key := filepath.Join(t.TempDir(), "cert"), filepath.Join(t.TempDir(), "key")
	newCertificate(t, cert, key, 1)
	for name, test := range map[string]struct {
		args         []string
		scheme       string
		status, evil int
		health       []string
	}{
		"demo":    {[]string{"demo", "--allowed-hosts", "localhost"}, "http", 200, 421, nil},
		"waiting": {[]string{"serve", "--db", "postgres://u:password-secret@127.0.0.1:1/x", "--tls-cert", cert, "--tls-key", key}, "https", 503, 503, []string{"--tls-cert", cert}},
	} {
		t.Run(name, func(t *testing.T) {
			socket := filepath.Join(t.TempDir(), "s")
			// A killed server leaves its socket behind.
			left, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
			expect.NoError(t, err)
			left.SetUnlinkOnClose(false)
			expect.NoError(t, left.Close())
			ctx, stop := context.WithCancel(t.Context())
			ended, out := make(chan int, 1), &output{endpoint: make(chan string, 1)}
			go func() {
				ended <- command.Run(ctx, repository, append(test.args, "--listen", "unix:"+socket), nil, out, out)
			}()
			until(t, func() bool { return strings.Contains(out.String(), test.scheme+"://unix:"+socket+":/graphql") })
			if test.args[0] == "demo" {
				until(t, func() bool {
					return strings.Contains(out.String(), "--unix-socket "+socket+" "+test.scheme+"://localhost/graphql")
				})
			}
			client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, "unix", socket)
			}}}
			defer client.CloseIdleConnections()
			for host, want := range map[string]int{"localhost": test.status, "evil.example": test.evil} {
				response, err := client.Get(test.scheme + "://" + host + "/graphql?query={chain{lag}}")
				expect.NoError(t, err)
				response.Body.Close()
				if response.StatusCode != want {
					t.Errorf("%s: status %d, want %d", host, response.StatusCode, want)
				}
			}
			info, err := os.Stat(socket)
			expect.NoError(t, err)
			if info.Mode().Perm() != 0o660 {
				t.Errorf("mode %s", info.Mode())
			}
			mustRun(t, append([]string{"health", "--listen", "unix:" + socket}, test.health...)...)
			fails(t, 1, "listening (--listen): "+socket+": a server is already listening there", "demo", "--listen", "unix:"+socket)
			client.CloseIdleConnections()
			stop()
			if code := <-ended; code != 0 {
				t.Errorf("exit code %d: %s", code, out)
			}
			if _, err := os.Lstat(socket); !os.IsNotExist(err) {
				t.Errorf("the socket is still there: %v", err)
			}
			if strings.Contains(out.String(), "password-secret") {
				t.Errorf("the log contains the password: %s", out)
			}
		})
	}
	plain := filepath.Join(t.TempDir(), "file")
	expect.NoError(t, os.WriteFile(plain, []byte("data"), 0o600))
	fails(t, 1, "listening (--listen): ", "demo", "--listen", "unix:"+plain)
	if text, err := os.ReadFile(plain); string(text) != "data" {
		t.Errorf("a file in the socket's place is %q, %v", text, err)
	}
}

// TestControl_Flags checks that invalid flags are errors before anything starts.
func TestControl_Flags(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	bad := filepath.Join(folder, "bad")
	expect.NoError(t, os.WriteFile(bad, []byte("SECRET\n"), 0o600))
	for want, args := range map[string][]string{
		"2 --tls-cert, --tls-key: got one of them, want both or none":                   {"--tls-cert", bad},
		"2 --require-api-key: got no --api-keys, want a file of keys":                   {"--require-api-key"},
		"2 --quota: got -1, want 0 to 1073741824":                                       {"--quota=-1"},
		"2 --allowed-hosts: got \"a:1\", want a host such as":                           {"--allowed-hosts", "a:1"},
		"2 --listen: got \"unix:\", want unix: and a path of at most 103 bytes":         {"--listen", "unix:"},
		"2 --listen: got \"unix:@x\", want unix: and a path":                            {"--listen", "unix:@x"},
		"2 --metrics-listen: got \"unix:" + strings.Repeat("x", 104) + "\", want unix:": {"--metrics-listen", "unix:" + strings.Repeat("x", 104)},
		"1 --api-keys: " + bad + ": line 1: want NAME sha256:":                          {"--api-keys", bad},
		"1 --api-keys: open " + folder + "/none: no such file":                          {"--api-keys", folder + "/none"},
		"1 --tls-cert " + bad + ", --tls-key " + bad + ": tls: failed to find any PEM":  {"--tls-cert", bad, "--tls-key", bad},
	} {
		code, message, _ := strings.Cut(want, " ")
		_, stderr, got := run(t, nil, append([]string{"demo"}, args...)...)
		if fmt.Sprint(got) != code || !strings.HasPrefix(stderr, "mintburn: "+message) || strings.Count(stderr, "\n") != 1 || strings.Contains(stderr, "SECRET") {
			t.Errorf("%v: exit code %d: %swant %s", args, got, stderr, want)
		}
	}
}
