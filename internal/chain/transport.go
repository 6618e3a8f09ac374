package chain

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// transport is an http.RoundTripper that bounds answers and reads from them
// what go-ethereum's client does not pass on.
type transport struct {
	base http.RoundTripper
	// maxBody is the size in bytes above which an answer is an error. It counts
	// what is unpacked.
	maxBody int64
	now     func() time.Time
}

// noteKey is the context key of a *note.
type noteKey struct{}

// note is what a request tells the transport, and the transport of its answer.
type note struct {
	batch      bool
	retryAfter time.Duration
	// wholeError is the one error with which a batch was answered.
	wholeError *wireError
	// results are those that takeResults took.
	results []json.RawMessage
}

// wireError is the error member of a JSON-RPC answer.
type wireError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data"`
}

// data returns the data of an error as text: nothing for bytes, which say
// nothing to people.
func (e *wireError) data() string {
	text, ok := e.Data.(string)
	switch {
	case e.Data == nil || strings.HasPrefix(text, "0x"):
		return ""
	case ok:
		return text
	}
	// It was read from JSON.
	encoded, _ := json.Marshal(e.Data)
	return string(encoded)
}

func (e *wireError) Error() string { return e.Message }

// errTooLarge is the end of an answer that is longer than allowed.
type errTooLarge int64

func (e errTooLarge) Error() string {
	return fmt.Sprintf("the answer is larger than %d bytes", int64(e))
}

// RoundTrip implements [http.RoundTripper].
func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := t.base.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	limited := &limitedBody{body: response.Body, left: t.maxBody + 1, limit: t.maxBody}
	response.Body = limited
	about, _ := request.Context().Value(noteKey{}).(*note)
	if about == nil {
		return response, nil
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		about.retryAfter = retryAfter(response.Header, t.now())
		limited.left = min(limited.left, maxErrorBody)
		return response, nil
	}
	answer, err := io.ReadAll(limited)
	_ = limited.Close()
	if err != nil {
		return nil, err
	}
	// A batch is answered by an array; servers that refuse it answer one
	// object, in which go-ethereum's client sees bad JSON only.
	if about.batch && bytes.HasPrefix(bytes.TrimLeft(answer, " \t\r\n"), []byte("{")) {
		text := answer[:min(len(answer), maxErrorBody)]
		about.wholeError = parseError(text)
		if about.wholeError == nil {
			about.wholeError = &wireError{Message: "a batch was answered by one object: " + excerptText(string(text))}
		}
		return nil, about.wholeError
	}
	rest, results, err := takeResults(answer)
	if err != nil {
		return nil, err
	}
	about.results = results
	response.Body = io.NopCloser(bytes.NewReader(rest))
	return response, nil
}

// maxErrorBody bounds what is read of an answer that is an error.
const maxErrorBody = 64 << 10

// parseError returns the error of a JSON-RPC answer, or nil when it has none:
// an object by the standard, or a text as some gateways have it.
func parseError(text []byte) *wireError {
	var answer struct {
		Error   json.RawMessage
		Message string
	}
	if json.Unmarshal(text, &answer) != nil {
		return nil
	}
	found := new(wireError)
	switch {
	case len(answer.Error) > 0 && json.Unmarshal(answer.Error, found) == nil && (found.Code != 0 || found.Message != ""):
	case len(answer.Error) > 0 && json.Unmarshal(answer.Error, &found.Message) == nil && found.Message != "":
	case answer.Message != "":
		found.Message = answer.Message
	default:
		return nil
	}
	return found
}

// limitedBody fails after limit bytes, where io.LimitReader would end.
type limitedBody struct {
	body        io.ReadCloser
	left, limit int64
}

func (b *limitedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLarge(b.limit)
	}
	n, err := b.body.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// Close closes the body without reading its rest.
func (b *limitedBody) Close() error {
	b.left = 0
	return b.body.Close()
}

// withNote returns a context that carries a new note.
func withNote(ctx context.Context, batch bool) (context.Context, *note) {
	about := &note{batch: batch}
	return context.WithValue(ctx, noteKey{}, about), about
}

// excerptText shortens text from outside for an error.
func excerptText(text string) string {
	const most = 300
	if len(text) > most {
		text = text[:most] + "…"
	}
	return fmt.Sprintf("%q", text)
}
