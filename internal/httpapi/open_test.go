package httpapi_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"mintburn/internal/httpapi"
	"mintburn/internal/httpapi/negotiate"
	"mintburn/internal/testing/expect"
)

// numbered returns n different names or fields.
func numbered(n int, format, separator string) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(list, separator)
}

// openBody begins a POST whose body does not end.
func openBody(t *testing.T, conn net.Conn, header string) {
	t.Helper()
	expect.NoError(t, conn.SetDeadline(time.Now().Add(10*time.Second)))
	_, err := fmt.Fprintf(conn, "POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n%s\r\n1\r\n{\r\n", header)
	expect.NoError(t, err)
}

// TestOpen_HeaderFields checks that requests with many names are refused, and at once, although
// their bodies stay open.
func TestOpen_HeaderFields(t *testing.T) {
	s := online(t, serve(t))
	for name, header := range map[string]string{
		"short names":            numbered(9_000, "%x:", "\r\n") + "\r\n",
		"a trailer of 53 kB":     "Trailer: " + numbered(11_000, "%x", ",") + "\r\n",
		"many trailers":          numbered(150, "Trailer: t%d, u%[1]d", "\r\n") + "\r\n",
		"one name":               numbered(300, "X: %d", "\r\n") + "\r\n",
		"one too many":           numbered(200, "x%d: 1", "\r\n") + "\r\n",
		"with trailers too many": numbered(100, "x%d: 1", "\r\n") + "\r\nTrailer: " + numbered(100, "t%d", ",") + "\r\n",
	} {
		conn := dial(t, s.Base)
		openBody(t, conn, header)
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || response.StatusCode != http.StatusRequestHeaderFieldsTooLarge || !response.Close {
			t.Errorf("%s: %v, %v, want 431", name, response, err)
			continue
		}
		text, err := io.ReadAll(response.Body)
		if _ = response.Body.Close(); err != nil || !strings.Contains(string(text), "want at most 200") {
			t.Errorf("%s: %s, %v", name, text, err)
		}
	}
	header := make([]string, 0, 400)
	for i := range 195 {
		header = append(header, fmt.Sprintf("x%d", i), "1")
	}
	for path, want := range map[string]int{"/graphql?query={__typename}": 200, "/v1/mints?limit=1": 200, "/healthz": 200} {
		if got := s.Send(t, "GET", path, "", header...); got.Status != want {
			t.Errorf("%s with 197 fields: status %d: %s", path, got.Status, got.Body)
		}
		if got := s.Send(t, "GET", path, "", append(header, "y0", "1", "y1", "1", "y2", "1", "y3", "1", "y4", "1", "y5", "1")...); got.Status != 431 {
			t.Errorf("%s with 203 fields: status %d", path, got.Status)
		}
	}
}

// TestOpen_Memory opens requests until a client has used up its half of the memory. Another
// client is served, and the first one again once a request of its own has ended.
func TestOpen_Memory(t *testing.T) {
	came, ended := make(chan bool), make(chan bool, 100)
	handler, used, err := httpapi.NewHeld(config(openStore(t, recorded(t))), 2<<20, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		came <- true
		_, _ = io.Copy(io.Discard, r.Body)
		ended <- true
	}))
	expect.NoError(t, err)
	address := limitedServer(t, handler.ServeHTTP, 100)
	for name, c := range map[string]struct {
		header string
		http2  bool
		most   int
	}{
		"long headers":           {"X: " + strings.Repeat("x", 60_000) + "\r\n", false, 11},
		"long headers by HTTP/2": {strings.Repeat("x", 60_000), true, 11},
		"long trailers":          {"Trailer: " + numbered(150, strings.Repeat("x", 200)+"%d", ",") + "\r\n", false, 12},
		"small headers":          {"", false, 31},
		"small ones by HTTP/2":   {"", true, 31},
	} {
		if c.http2 && !negotiate.HTTP2() {
			continue
		}
		// open begins a request from an address and returns 200 if it is admitted, or the status
		// of its error.
		open := func(host string) (status int, end func() error) {
			answered := make(chan int, 1)
			if c.http2 {
				end = openStream(t, host, address, c.header, answered)
			} else {
				conn := dialFrom(t, host, address)
				openBody(t, conn, c.header)
				end = conn.Close
				go func() {
					if response, err := http.ReadResponse(conn.answers, nil); err == nil {
						_ = response.Body.Close()
						answered <- response.StatusCode
					}
				}()
			}
			select {
			case <-came:
				return 200, end
			case status := <-answered:
				_ = end()
				return status, nil
			}
		}
		var ends []func() error
		for {
			status, end := open("127.0.0.2")
			if status != 200 {
				if status != http.StatusServiceUnavailable {
					t.Errorf("%s: status %d, want 503", name, status)
				}
				break
			}
			ends = append(ends, end)
		}
		if n := len(ends); n < c.most-2 || n > c.most+1 {
			t.Errorf("%s: %d requests are open, want about %d", name, n, c.most)
		}
		status, end := open("127.0.0.3")
		if status != 200 {
			t.Errorf("%s: another client: status %d", name, status)
		}
		_ = end()
		_ = ends[0]()
		<-ended
		<-ended
		for status, end = open("127.0.0.2"); status != 200; status, end = open("127.0.0.2") {
			// The server has not returned the memory yet.
		}
		for _, end := range append(ends[1:], end) {
			_ = end()
			<-ended
		}
		for used() > 0 {
			runtime.Gosched()
		}
	}
}

// openStream begins a request by HTTP/2 whose body does not end.
func openStream(t *testing.T, host, address, header string, answered chan<- int) (end func() error) {
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(host)}}
	transport := &http.Transport{Protocols: &protocols, DialContext: dialer.DialContext}
	body, write := io.Pipe()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/graphql", body)
	expect.NoError(t, err)
	request.Header.Set("X", header)
	go func() {
		defer transport.CloseIdleConnections()
		if response, err := transport.RoundTrip(request); err == nil {
			response.Body.Close()
			answered <- response.StatusCode
		}
	}()
	return write.Close
}

// TestOpen_HTTP2 checks what the server lets a connection hold.
func TestOpen_HTTP2(t *testing.T) {
	conn := dial(t, online(t, serve(t)).Base)
	framer := http2Framer(t, conn)
	if framer == nil {
		return
	}
	frame, err := framer.ReadFrame()
	expect.NoError(t, err)
	settings, ok := frame.(*http2.SettingsFrame)
	if !ok {
		t.Fatalf("the first frame is %v", frame)
	}
	for id, most := range map[http2.SettingID]uint32{http2.SettingMaxConcurrentStreams: 100, http2.SettingMaxFrameSize: 16 << 10, http2.SettingInitialWindowSize: 256 << 10} {
		if value, ok := settings.Value(id); ok && value > most || !ok && id == http2.SettingMaxConcurrentStreams {
			t.Errorf("%v is %d, want at most %d", id, value, most)
		}
	}
}
