package command_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gorilla/websocket"

	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
)

// TestHowTo_Proxies runs nginx and Caddy with the configurations of docs/howto.md. Behind each, all
// of the page, queries, event streams and WebSockets must work below the path, and a client must
// keep its address. It runs with MINTBURN_HOWTO.
func TestHowTo_Proxies(t *testing.T) {
	t.Parallel()
	if os.Getenv("MINTBURN_HOWTO") == "" {
		t.Skip("MINTBURN_HOWTO is not set")
	}
	for _, name := range []string{"nginx", "caddy"} {
		t.Run(name, func(t *testing.T) {
			s := start(t, "demo", "--trusted-proxies", "127.0.0.1", "--access-log", "1")
			address := runProxy(t, name, "docs/howto.md", map[string]string{documentedAddress: strings.TrimPrefix(s.Base, "http://")})
			behind(t, s, address)
			if name == "nginx" {
				keepsFinal(t, s, address)
			}
		})
	}
}

// runProxy runs a proxy with the configuration of a document until the test ends, with other
// addresses of servers, and returns its own address.
func runProxy(t *testing.T, name, document string, servers map[string]string) (address string) {
	t.Helper()
	needed(t, "a proxy is not installed", func() error {
		_, err := exec.LookPath(name)
		return err
	})
	folder, config := t.TempDir(), fenceOf(t, document, name)
	for documented, server := range servers {
		config = strings.ReplaceAll(config, documented, server)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	expect.NoError(t, err)
	address = free.Addr().String()
	expect.NoError(t, free.Close())
	_, port, err := net.SplitHostPort(address)
	expect.NoError(t, err)
	var whole string
	var command []string
	path := filepath.Join(folder, "config")
	switch name {
	case "nginx":
		whole = fmt.Sprintf("daemon off;\nuser root root;\npid nginx.pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\nclient_body_temp_path a;\nproxy_temp_path b;\nfastcgi_temp_path c;\nuwsgi_temp_path d;\nscgi_temp_path e;\n%s\n}\n",
			strings.NewReplacer("listen 80;", "listen "+address+";", "/var/cache/nginx/nft", "f").Replace(config))
		command = []string{"nginx", "-p", folder, "-c", path}
	case "caddy":
		whole = "{\n\tadmin off\n\tgrace_period 1s\n}\n" + strings.Replace(config, "http://nft.example.org {", "http://nft.example.org:"+port+", http://127.0.0.1:"+port+" {\n\tbind 127.0.0.1\n", 1)
		command = []string{"caddy", "run", "--adapter", "caddyfile", "--config", path}
	default:
		whole = strings.Replace(config, "bind :80", "bind "+address, 1)
		command = []string{"haproxy", "-db", "-f", path}
	}
	expect.NoError(t, os.WriteFile(path, []byte(whole), 0o644))
	process := exec.CommandContext(t.Context(), command[0], command[1:]...)
	process.Env = append(os.Environ(), "HOME="+folder, "XDG_DATA_HOME="+folder, "XDG_CONFIG_HOME="+folder)
	process.Cancel = func() error { return process.Process.Signal(syscall.SIGTERM) }
	var said output
	process.Stdout, process.Stderr = &said, &said
	expect.NoError(t, process.Start())
	t.Cleanup(func() {
		_ = process.Wait()
		if t.Failed() {
			t.Log(said.String())
		}
	})
	until(t, func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	return address
}

// keepsFinal checks that a proxy answers only the second of two requests for final, verified blocks.
func keepsFinal(t *testing.T, s *server, address string) {
	t.Helper()
	client := &apitest.Client{Base: "http://" + address + "/nft"}
	for path, want := range map[string]int{"/v1/mints?block=3": 1, "/v1/mints": 2} {
		before := strings.Count(s.output.String(), "operation=/v1/mints")
		for range 2 {
			if got := client.Send(t, http.MethodGet, path, "", "Host", "nft.example.org"); got.Status != http.StatusOK || strings.Contains(got.Header.Get("Cache-Control"), "immutable") != (want == 1) {
				t.Errorf("%s: status %d, headers %v", path, got.Status, got.Header)
			}
		}
		expect.Equal(t, path+": requests that reach the server", want, strings.Count(s.output.String(), "operation=/v1/mints")-before)
	}
}

// fenceOf returns the only block of a document with an info string.
func fenceOf(t *testing.T, document, info string) (text string) {
	t.Helper()
	blocks, err := fences(documents(t)[document])
	expect.NoError(t, err)
	n := 0
	for _, b := range blocks {
		if b.info == info {
			text = b.text
			n++
		}
	}
	if n != 1 {
		t.Fatalf("%s has %d blocks of %s, want one", document, n, info)
	}
	return text
}

// behind uses a server through a proxy at an address.
func behind(t *testing.T, s *server, address string) {
	t.Helper()
	_, port, err := net.SplitHostPort(address)
	expect.NoError(t, err)
	host := "nft.example.org:" + port
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		// All of 127.0.0.0/8 is this machine. The server must get this address from the proxy.
		dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
		return dialer.DialContext(ctx, "tcp", address)
	}
	client := &apitest.Client{Base: "http://" + host + "/nft", HTTP: &http.Client{Transport: &http.Transport{DialContext: dial}}}
	t.Cleanup(client.HTTP.CloseIdleConnections)
	for _, path := range []string{"/", "/explore", "/explore/state", "/openapi.json", "/v1/mints?limit=1"} {
		if got := client.Send(t, http.MethodGet, path, ""); got.Status != http.StatusOK {
			t.Errorf("%s: status %d", path, got.Status)
		}
	}
	client.Get(t, "{ mints(first: 1) { totalItems } }", "")
	if said := s.output.String(); !strings.Contains(said, "client=127.0.0.2 ") || strings.Contains(said, "client=127.0.0.1 ") {
		t.Errorf("the server logs %s", said)
	}
	// A browser that opens the endpoint gets the page.
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, client.Base+"/graphql", nil)
	expect.NoError(t, err)
	request.Header.Set("Accept", "text/html")
	response, err := client.HTTP.Do(request)
	expect.NoError(t, err)
	response.Body.Close()
	expect.Equal(t, "redirected to", client.Base+"/", response.Request.URL.String())

	const subscription = `{"query": "subscription { changes { cursor } }"}`
	for accept, want := range map[string]string{"text/event-stream": "event: next", "multipart/mixed;subscriptionSpec=1.0": "\"payload\""} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, client.Base+"/graphql", strings.NewReader(subscription))
		expect.NoError(t, err)
		request.Header.Set("Accept", accept)
		request.Header.Set("Content-Type", apitest.JSON)
		stream, err := client.HTTP.Do(request)
		expect.NoError(t, err)
		defer stream.Body.Close()
		for lines := bufio.NewScanner(stream.Body); !strings.Contains(lines.Text(), want); {
			if !lines.Scan() {
				t.Fatalf("the stream ended: %v", lines.Err())
			}
		}
	}

	dialer := websocket.Dialer{NetDialContext: dial, Subprotocols: []string{"graphql-transport-ws"}}
	socket, handshake, err := dialer.DialContext(t.Context(), "ws://"+host+"/nft/graphql", http.Header{"Origin": {"http://" + host}})
	expect.NoError(t, err)
	handshake.Body.Close()
	defer socket.Close()
	for _, message := range []struct{ sent, answer string }{
		{`{"type": "connection_init"}`, "connection_ack"},
		{`{"id": "1", "type": "subscribe", "payload": ` + subscription + `}`, "next"},
	} {
		expect.NoError(t, socket.WriteMessage(websocket.TextMessage, []byte(message.sent)))
		var got struct{ Type string }
		expect.NoError(t, socket.ReadJSON(&got))
		expect.Equal(t, "message", message.answer, got.Type)
	}
}
