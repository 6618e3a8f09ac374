package httpapi_test

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"mintburn/internal/httpapi/negotiate"
	"mintburn/internal/testing/expect"
)

// http2Framer begins HTTP/2 with prior knowledge. It returns nil if the program offers only HTTP/1.1,
// and the server then answers as HTTP/1.1 says.
func http2Framer(t *testing.T, conn net.Conn) *http2.Framer {
	t.Helper()
	expect.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	_, err := io.WriteString(conn, http2.ClientPreface)
	expect.NoError(t, err)
	framer := http2.NewFramer(conn, conn)
	expect.NoError(t, framer.WriteSettings())
	if negotiate.HTTP2() {
		return framer
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	expect.NoError(t, err)
	defer response.Body.Close()
	if response.ProtoMajor != 1 || response.StatusCode < 400 {
		t.Errorf("response %v, want an error of HTTP/1.1", response)
	}
	return nil
}

// TestHTTP2_WithoutTLS sends requests with prior knowledge, as proxies do.
func TestHTTP2_WithoutTLS(t *testing.T) {
	s := online(t, serve(t))
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: &protocols}
	defer transport.CloseIdleConnections()
	for range 3 {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.Base+"/graphql?query={mints(first:2){limit}}", nil)
		expect.NoError(t, err)
		response, err := transport.RoundTrip(request)
		if !negotiate.HTTP2() {
			if err == nil {
				t.Errorf("got %s", response.Proto)
			}
			continue
		}
		expect.NoError(t, err)
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.ProtoMajor != 2 || string(text) != `{"data":{"mints":{"limit":2}}}` {
			t.Errorf("HTTP/%d: %s, %v", response.ProtoMajor, text, err)
		}
	}
}

// TestHTTP2_TableSize sends requests while SETTINGS_HEADER_TABLE_SIZE changes. Servers built
// with Go before [negotiate.SafeGo] would end with "fatal error: concurrent map writes" if they offered HTTP/2.
func TestHTTP2_TableSize(t *testing.T) {
	s := online(t, serve(t))
	conn := dial(t, s.Base)
	framer := http2Framer(t, conn)
	if framer == nil {
		return
	}

	// A client may use the static table alone, so that all requests have the same bytes.
	var request bytes.Buffer
	encoder := hpack.NewEncoder(&request)
	for _, f := range []hpack.HeaderField{
		{Name: ":method", Value: http.MethodHead}, {Name: ":scheme", Value: "http"},
		{Name: ":authority", Value: "localhost"}, {Name: ":path", Value: "/openapi.json"},
	} {
		f.Sensitive = true
		expect.NoError(t, encoder.WriteField(f))
	}
	for round := range uint32(40) {
		const pending = 100
		for i := round * pending; i < (round+1)*pending; i++ {
			expect.NoError(t, framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 2*i + 1, BlockFragment: request.Bytes(), EndStream: true, EndHeaders: true}))
			for _, size := range []uint32{0, 4096, 0, 4096} {
				expect.NoError(t, framer.WriteSettings(http2.Setting{ID: http2.SettingHeaderTableSize, Val: size}))
			}
		}
		for answered := 0; answered < pending; {
			frame, err := framer.ReadFrame()
			expect.NoError(t, err)
			switch frame := frame.(type) {
			case *http2.HeadersFrame:
				if frame.StreamEnded() {
					answered++
				}
			case *http2.RSTStreamFrame, *http2.GoAwayFrame:
				t.Fatalf("round %d, after %d answers: %v", round, answered, frame)
			}
		}
	}
}
