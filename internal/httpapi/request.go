package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"os"

	"github.com/go-json-experiment/json/jsontext"

	"mintburn/internal/nft"
)

// request is a request for one operation, before it is checked.
type request struct {
	// document is set if it is this server's own, as for the REST routes.
	document *document
	// public is true for a GET, whose answer every cache may store; key is the key
	// in the response cache, or empty if the answer is not cached there.
	public bool
	key    string
	// client sent the request.
	client netip.Addr
	// size bounds the answer, together with the others of a batch.
	size *answerSize
	// query is a document, or empty if the request names one.
	query         string
	operationName string
	variables     map[string]any
	// documentID names a trusted document, hash one by its SHA-256 in hex.
	documentID, hash string
	// failed is the error of this request alone.
	failed *requestError
}

// readJSON reads the body of a POST: a JSON object, or an array of them, which
// is a batch. Wrong JSON is an error of the whole; a wrong object, of that one.
func readJSON(body *bytes.Buffer, mostRequests int) (list []request, batch bool, failed *requestError) {
	p := &jsonReader{dec: jsontext.NewDecoder(body), what: "body"}
	switch kind := p.dec.PeekKind(); {
	case kind == '[':
		batch = true
		list, failed = p.batch(mostRequests)
	case kind == '{':
		list = make([]request, 1)
		failed = p.request(&list[0])
	case kind == jsontext.KindInvalid:
		_, err := p.dec.ReadToken()
		failed = p.broken(err)
	default:
		failed = badRequest("the body is neither a JSON object nor an array: want an operation, or an array of operations")
	}
	if failed == nil {
		failed = p.end()
	}
	return list, batch, failed
}

// readURL reads the parameters of a GET. Specification: GraphQL over HTTP,
// "GET".
func readURL(rawQuery string) (r request, failed *requestError) {
	values, err := url.ParseQuery(rawQuery)
	if err != nil {
		return r, badRequest(badParameters)
	}
	for _, name := range []string{"query", "operationName", "variables", "extensions", "documentId"} {
		if len(values[name]) > 1 {
			return r, badRequest("the parameter %s is given twice: want it once", name)
		}
	}
	r.query, r.operationName, r.documentID = values.Get("query"), values.Get("operationName"), values.Get("documentId")
	for name, read := range map[string]func(*jsonReader, *request) *requestError{
		"variables": (*jsonReader).variables, "extensions": (*jsonReader).extensions,
	} {
		if text := values.Get(name); text != "" {
			p := &jsonReader{dec: jsontext.NewDecoder(bytes.NewBufferString(text)), what: "parameter " + name}
			if failed := read(p, &r); failed != nil {
				return r, failed
			}
			if failed := p.end(); failed != nil {
				return r, failed
			}
		}
	}
	r.public = true
	r.check()
	return r, nil
}

// badParameters is the error of a query string that cannot be read.
const badParameters = "the address has parameters that can't be read: want NAME=VALUE with percent-encoding"

// check sets the error of a request without a document.
func (r *request) check() {
	if r.failed == nil && r.query == "" && r.hash == "" && r.documentID == "" {
		r.failed = badRequest("the request has no query: want query, or the hash or id of a document")
	}
}

// readBody reads a request's body into b. It takes memory for the bytes that have
// arrived, not for the announced length.
func (e *endpoint) readBody(w http.ResponseWriter, r *http.Request, b *buffer) *requestError {
	if r.ContentLength > int64(e.limits.Body) {
		// To use the connection again, the server would have to read the body.
		w.Header().Set("Connection", "close")
		return e.tooLarge()
	}
	if r.ContentLength > 0 {
		b.Grow(int(min(r.ContentLength, smallBuffer)))
	}
	body := http.MaxBytesReader(w, r.Body, int64(e.limits.Body))
	for {
		_, err := io.CopyN(&b.Buffer, body, smallBuffer)
		var large *http.MaxBytesError
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &large):
			return e.tooLarge()
		case errors.Is(err, os.ErrDeadlineExceeded):
			return statusError(http.StatusRequestTimeout, nft.Timeout, "the body took too long to arrive")
		case err != nil:
			return statusError(http.StatusBadRequest, nft.BadUserInput, "the body did not arrive whole: want as many bytes as announced")
		case !e.budget.take(b, smallBuffer):
			return busy("too many large bodies")
		}
	}
}

func (e *endpoint) tooLarge() *requestError {
	return statusError(http.StatusRequestEntityTooLarge, nft.BadUserInput, "the body is too large: want at most %d bytes", e.limits.Body)
}

// jsonReader reads requests from JSON. Its methods begin before a value and
// end after it.
type jsonReader struct {
	dec *jsontext.Decoder
	// what names the JSON in messages.
	what string
	// values counts the values of all variables.
	values int
}

// end returns an error if anything follows.
func (p *jsonReader) end() *requestError {
	at := p.dec.InputOffset()
	if _, err := p.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return badRequest("the %s goes on after its JSON value, which has %d bytes: want one value", p.what, at)
	}
	return nil
}

// broken returns the error of wrong JSON and its place, without repeating it.
func (p *jsonReader) broken(err error) *requestError {
	var at *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.EOF):
		return badRequest("the %s is empty: want JSON", p.what)
	case !errors.As(err, &at):
		return badRequest("the %s is not JSON: want JSON in UTF-8", p.what)
	case errors.Is(at.Err, io.ErrUnexpectedEOF):
		return badRequest("the %s is JSON that ends too early, after %d bytes: want all of it", p.what, at.ByteOffset)
	case errors.Is(at.Err, jsontext.ErrDuplicateName):
		return badRequest("the %s is JSON with a name that is there twice, at byte %d: want each name once", p.what, at.ByteOffset)
	default:
		return badRequest("the %s is not JSON in UTF-8, from byte %d on: want JSON in UTF-8", p.what, at.ByteOffset)
	}
}

// batch reads an array of requests.
func (p *jsonReader) batch(most int) (list []request, failed *requestError) {
	if _, err := p.dec.ReadToken(); err != nil {
		return nil, p.broken(err)
	}
	for p.dec.PeekKind() != ']' {
		if len(list) == most {
			return nil, statusError(http.StatusBadRequest, nft.QueryTooCostly, "the batch has more than %d operations", most)
		}
		list = append(list, request{})
		r := &list[len(list)-1]
		if kind := p.dec.PeekKind(); kind != '{' && kind != jsontext.KindInvalid {
			r.failed = badRequest("the batch has an element that is no JSON object: want operations alone")
			if err := p.dec.SkipValue(); err != nil {
				return nil, p.broken(err)
			}
			continue
		}
		if failed := p.request(r); failed != nil {
			return nil, failed
		}
	}
	if len(list) == 0 {
		return nil, badRequest("the batch is empty: want one operation or more")
	}
	_, err := p.dec.ReadToken()
	if err != nil {
		return nil, p.broken(err)
	}
	return list, nil
}

// request reads one request.
func (p *jsonReader) request(r *request) *requestError {
	failed := p.object(func(name string) *requestError {
		switch name {
		case "query":
			return p.text(r, name, &r.query)
		case "operationName":
			return p.text(r, name, &r.operationName)
		case "documentId":
			return p.text(r, name, &r.documentID)
		case "variables":
			return p.variables(r)
		case "extensions":
			return p.extensions(r)
		default:
			return p.skip()
		}
	})
	r.check()
	return failed
}

// object reads an object; member must read the value of each name.
func (p *jsonReader) object(member func(name string) *requestError) *requestError {
	if _, err := p.dec.ReadToken(); err != nil {
		return p.broken(err)
	}
	for p.dec.PeekKind() != '}' {
		name, err := p.dec.ReadToken()
		if err != nil {
			return p.broken(err)
		}
		if failed := member(name.String()); failed != nil {
			return failed
		}
	}
	if _, err := p.dec.ReadToken(); err != nil {
		return p.broken(err)
	}
	return nil
}

func (p *jsonReader) skip() *requestError {
	if err := p.dec.SkipValue(); err != nil {
		return p.broken(err)
	}
	return nil
}

// wrong sets the error of a request because of its next value, and skips that.
func (p *jsonReader) wrong(r *request, format string, args ...any) *requestError {
	if failed := p.skip(); failed != nil {
		return failed
	}
	if r.failed == nil {
		r.failed = badRequest(format, args...)
	}
	return nil
}

// text reads a string; null counts as absent.
func (p *jsonReader) text(r *request, name string, into *string) *requestError {
	switch p.dec.PeekKind() {
	case '"':
		token, err := p.dec.ReadToken()
		if err != nil {
			return p.broken(err)
		}
		*into = token.String()
		return nil
	case 'n':
		return p.skip()
	default:
		return p.wrong(r, "%s is not a string: want a string or null", name)
	}
}

// variables reads the variables of a request.
func (p *jsonReader) variables(r *request) *requestError {
	switch p.dec.PeekKind() {
	case '{':
		value, failed := p.value(0)
		r.variables, _ = value.(map[string]any)
		return failed
	case 'n':
		return p.skip()
	default:
		return p.wrong(r, "variables is not a JSON object: want an object or null")
	}
}

// value reads a variable's value, and keeps numbers as text.
func (p *jsonReader) value(depth int) (any, *requestError) {
	if p.values++; p.values > maxValues {
		return nil, statusError(http.StatusBadRequest, nft.QueryTooCostly, "the variables have more than %d values", maxValues)
	}
	kind := p.dec.PeekKind()
	if depth >= maxNesting && (kind == '{' || kind == '[') {
		return nil, statusError(http.StatusBadRequest, nft.QueryTooCostly, "the variables nest deeper than %d levels", maxNesting)
	}
	if kind == '{' {
		members := map[string]any{}
		return members, p.object(func(name string) (failed *requestError) {
			members[name], failed = p.value(depth + 1)
			return failed
		})
	}
	token, err := p.dec.ReadToken()
	if err != nil {
		return nil, p.broken(err)
	}
	switch token.Kind() {
	case '"':
		return token.String(), nil
	case '0':
		return json.Number(token.String()), nil
	case 't', 'f':
		return token.Bool(), nil
	case '[':
		return p.list(depth)
	default:
		return nil, nil
	}
}

// list reads the rest of an array.
func (p *jsonReader) list(depth int) (any, *requestError) {
	list := []any{}
	for p.dec.PeekKind() != ']' {
		element, failed := p.value(depth + 1)
		if failed != nil {
			return nil, failed
		}
		list = append(list, element)
	}
	if _, err := p.dec.ReadToken(); err != nil {
		return nil, p.broken(err)
	}
	return list, nil
}

// extensions reads the one known extension, persistedQuery.
func (p *jsonReader) extensions(r *request) *requestError {
	switch p.dec.PeekKind() {
	case '{':
	case 'n':
		return p.skip()
	default:
		return p.wrong(r, "extensions is not a JSON object: want an object or null")
	}
	return p.object(func(name string) *requestError {
		switch kind := p.dec.PeekKind(); {
		case name != "persistedQuery", kind == 'n':
			return p.skip()
		case kind != '{':
			return p.wrong(r, "persistedQuery is not a JSON object: want an object or null")
		default:
			return p.persistedQuery(r)
		}
	})
}

// persistedQuery reads the extension of Apollo's automatic persisted queries.
func (p *jsonReader) persistedQuery(r *request) *requestError {
	version := ""
	failed := p.object(func(name string) *requestError {
		switch kind := p.dec.PeekKind(); {
		case name == "sha256Hash":
			return p.text(r, name, &r.hash)
		case name == "version" && kind == '0':
			token, err := p.dec.ReadToken()
			if err != nil {
				return p.broken(err)
			}
			version = token.String()
			return nil
		default:
			return p.skip()
		}
	})
	switch {
	case failed != nil || r.failed != nil:
	case version != "1":
		r.failed = badRequest("persistedQuery has another version than 1: want version 1")
	case r.hash == "":
		r.failed = badRequest("persistedQuery has no sha256Hash: want that of the query")
	}
	return failed
}
