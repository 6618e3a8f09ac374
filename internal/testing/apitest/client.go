package apitest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// The media types of responses.
const (
	JSON         = "application/json"
	ResponseJSON = "application/graphql-response+json"
)

// Client sends requests to one API.
type Client struct {
	// Handler, if not nil, serves the requests without a network.
	Handler http.Handler
	// RemoteAddr, if not empty, is the client address and port that Handler sees.
	RemoteAddr string
	// Base is the API's URL without a final slash. It is used if Handler is nil.
	Base string
	// HTTP sends the requests to Base. nil means [http.DefaultClient].
	HTTP *http.Client
}

// Reply is an HTTP response.
type Reply struct {
	Status int
	Header http.Header
	Body   string
}

// Send sends a request. header holds names and values in turn; an empty value removes
// the header. The Content-Type of a POST defaults to JSON.
func (c *Client) Send(t testing.TB, method, path, body string, header ...string) *Reply {
	t.Helper()
	// This is a server request. For a client, RequestURI is cleared below.
	r := httptest.NewRequestWithContext(t.Context(), method, c.Base+path, strings.NewReader(body))
	if body == "" {
		r.Body = http.NoBody
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", JSON)
	}
	for i := 0; i < len(header); i += 2 {
		if header[i+1] == "" {
			r.Header.Del(header[i])
		} else {
			r.Header.Set(header[i], header[i+1])
		}
	}
	if c.RemoteAddr != "" {
		r.RemoteAddr = c.RemoteAddr
	}
	if c.Handler != nil {
		w := httptest.NewRecorder()
		c.Handler.ServeHTTP(w, r)
		return &Reply{w.Code, w.Header(), w.Body.String()}
	}
	r.RequestURI = ""
	client := c.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return &Reply{response.StatusCode, response.Header, string(text)}
}

// Post sends a GraphQL request with this body. header is as in [Client.Send].
func (c *Client) Post(t testing.TB, body string, header ...string) *Reply {
	t.Helper()
	return c.Send(t, http.MethodPost, "/graphql", body, header...)
}

// Ask sends an operation. variables is JSON or empty.
func (c *Client) Ask(t testing.TB, query, variables string) *Answer {
	t.Helper()
	return c.Post(t, Request(query, variables)).Answer(t)
}

// Get sends an operation and returns its data. It fails the test if there are errors.
func (c *Client) Get(t testing.TB, query, variables string) map[string]any {
	t.Helper()
	a := c.Ask(t, query, variables)
	if len(a.Errors) > 0 || a.Data == nil {
		t.Fatalf("%s %s: %s", query, variables, a.Text)
	}
	return a.Data
}

// Batch sends a batch and returns its answers. It fails the test unless the status is 200.
func (c *Client) Batch(t testing.TB, body string) []*Answer {
	t.Helper()
	got := c.Post(t, body)
	if got.Status != http.StatusOK {
		t.Fatalf("status %d: %s", got.Status, got.Body)
	}
	var parts []json.RawMessage
	Decode(t, got.Body, &parts)
	list := make([]*Answer, len(parts))
	for i, part := range parts {
		list[i] = (&Reply{Body: string(part)}).Answer(t)
	}
	return list
}

// Request returns the body of a request for a document. variables is JSON or
// empty.
func Request(query, variables string) string {
	text, _ := json.Marshal(query) // A string can always be encoded.
	if variables != "" {
		return `{"query":` + string(text) + `,"variables":` + variables + "}"
	}
	return `{"query":` + string(text) + "}"
}

// BatchOf returns the body of a batch of requests.
func BatchOf(requests ...string) string { return "[" + strings.Join(requests, ",") + "]" }

// Decode decodes JSON and keeps numbers as [json.Number]. It fails the test on an error.
func Decode(t testing.TB, text string, into any) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewBufferString(text))
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}
