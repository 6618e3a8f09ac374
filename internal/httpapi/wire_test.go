package httpapi_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"mintburn/internal/httpapi/negotiate"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
)

const (
	asEvents    = "text/event-stream"
	asMultipart = `multipart/mixed;boundary="graphql";subscriptionSpec=1.0,application/json;q=0.5`
)

// follow subscribes to the changes of the data.
const follow = `subscription($after: Cursor) { changes(after: $after) { cursor more changes { __typename ... on RecordAdded { transfer { blockNumber } } } } }`

// wire is an open stream of a client.
type wire struct {
	in     *bufio.Reader
	media  string
	cost   string
	cancel context.CancelFunc
}

// openWire sends a request, and returns its stream. It fails the test if the answer is none.
func openWire(t testing.TB, base, accept, body string, header ...string) *wire {
	t.Helper()
	status, s := requestStream(t, base, accept, body, header...)
	if status != http.StatusOK || s.media == asJSON+"; charset=utf-8" {
		text, _ := io.ReadAll(s.in)
		t.Fatalf("status %d, %s: %s", status, s.media, text)
	}
	return s
}

// requestStream sends a request for a stream: by GET if the body begins with "?", and by HTTP/2 if
// the header X-Version is 2 and the program offers it.
func requestStream(t testing.TB, base, accept, body string, header ...string) (status int, s *wire) {
	t.Helper()
	// A stream without the expected message fails its test soon.
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	method, address := http.MethodPost, base+"/graphql"
	if strings.HasPrefix(body, "?") {
		method, address, body = http.MethodGet, address+body, ""
	}
	r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	expect.NoError(t, err)
	r.Header.Set("Accept", accept)
	r.Header.Set("Content-Type", asJSON)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	client := http.DefaultClient
	if r.Header.Get("X-Version") == "2" && negotiate.HTTP2() {
		protocols := &http.Protocols{}
		protocols.SetUnencryptedHTTP2(true)
		client = &http.Client{Transport: &http.Transport{Protocols: protocols}}
	}
	response, err := client.Do(r)
	expect.NoError(t, err)
	t.Cleanup(func() {
		cancel()
		_ = response.Body.Close()
	})
	return response.StatusCode, &wire{in: bufio.NewReader(response.Body), media: response.Header.Get("Content-Type"), cost: response.Header.Get("Mintburn-Cost"), cancel: cancel}
}

// ended is what next returns at the end of a stream, and aborted if it ends in the middle of the
// answer.
const ended, aborted = "end", "abort"

// next returns the next result, or ended. It skips signs of life.
func (s *wire) next(t testing.TB) string {
	t.Helper()
	for {
		if text := s.message(t); text != "" {
			return text
		}
	}
}

// message returns the next result, "" for a sign of life, or ended.
func (s *wire) message(t testing.TB) string {
	t.Helper()
	if s.media == asEvents {
		name, data := "", ""
		for {
			line, err := s.in.ReadString('\n')
			if errors.Is(err, io.ErrUnexpectedEOF) || err != nil && strings.Contains(err.Error(), "stream error") {
				return aborted
			}
			expect.NoError(t, err)
			switch line = strings.TrimSuffix(line, "\n"); {
			case line == "" && name == "complete":
				rest, err := io.ReadAll(s.in)
				if err != nil || len(rest) > 0 {
					t.Errorf("after the end: %q, %v", rest, err)
				}
				return ended
			case line == "":
				return data
			case strings.HasPrefix(line, "event: "):
				name = line[7:]
			case strings.HasPrefix(line, "data: "):
				data = line[6:]
			case line != ":" && line != "data:":
				t.Fatalf("line %q", line)
			}
		}
	}
	expect.Equal(t, "media type", `multipart/mixed;boundary="-";subscriptionSpec=1.0`, s.media)
	read := func(want string) {
		line, err := s.in.ReadString('\n')
		if expect.NoError(t, err); line != want {
			t.Fatalf("line %q, want %q", line, want)
		}
	}
	if peeked, err := s.in.Peek(2); err == nil && string(peeked) == "\r\n" {
		read("\r\n")
	}
	line, err := s.in.ReadString('\n')
	expect.NoError(t, err)
	if line == "-----\r\n" {
		return ended
	}
	if line != "---\r\n" {
		t.Fatalf("line %q", line)
	}
	read("content-type: application/json\r\n")
	read("\r\n")
	body, err := s.in.ReadString('\n')
	expect.NoError(t, err)
	if body = strings.TrimSuffix(body, "\r\n"); body == "{}" {
		return ""
	}
	return strings.TrimSuffix(strings.TrimPrefix(body, `{"payload":`), "}")
}

// batchOf decodes a batch of follow: its cursor and its changes.
func batchOf(t testing.TB, text string) (cursor string, changes []string) {
	t.Helper()
	a := (&apitest.Reply{Body: text}).Answer(t)
	if len(a.Errors) > 0 || a.Data == nil {
		t.Fatalf("got %s", text)
	}
	for _, c := range apitest.At(a.Data, "changes", "changes").([]any) {
		name := apitest.At(c, "__typename").(string)
		if name == "RecordAdded" {
			name += fmt.Sprint(" ", apitest.At(c, "transfer", "blockNumber"))
		}
		changes = append(changes, name)
	}
	return apitest.At(a.Data, "changes", "cursor").(string), changes
}

// until reads batches until one has a change, and checks the change.
func (s *wire) until(t testing.TB, want string) (cursor string) {
	t.Helper()
	for {
		var changes []string
		if cursor, changes = batchOf(t, s.next(t)); len(changes) > 0 {
			if changes[0] != want {
				t.Errorf("got %v, want %s", changes, want)
			}
			return cursor
		}
	}
}
