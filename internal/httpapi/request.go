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

// request is one operation that is asked for, before anything is known of it.
type request struct {
	// document is set where it is this server's own, as for the REST routes.
	document *document
	// public is true for a GET, whose answer may be kept by who asks; key names
	// the answer if it may be kept here, and is empty if not.
	public bool
	key    string
	// client sent the request.
	client netip.Addr
	// size bounds the answer, with those of the whole batch.
	size *answerSize
	// query is a document, or empty where one is named.
	query         string
	operationName string
	variables     map[string]any
	// documentID names a trusted document, hash one by its SHA-256 in hex.
	documentID, hash string
	// refused says what is wrong with this request alone.
	refused *refusal
}

// readJSON reads the body of a POST: a JSON object, or an array of them, which
// is a batch. What is wrong with the JSON refuses the whole; what is wrong with
// one object, that one.
func readJSON(body *bytes.Buffer, mostRequests int) (list []request, batch bool, refused *refusal) {
	p := &jsonReader{dec: jsontext.NewDecoder(body), what: "body"}
	switch kind := p.dec.PeekKind(); {
	case kind == '[':
		batch = true
		list, refused = p.batch(mostRequests)
	case kind == '{':
		list = make([]request, 1)
		refused = p.request(&list[0])
	case kind == jsontext.KindInvalid:
		_, err := p.dec.ReadToken()
		refused = p.broken(err)
	default:
		refused = malformed("the body is neither a JSON object nor an array: want an operation, or an array of operations")
	}
	if refused == nil {
		refused = p.end()
	}
	return list, batch, refused
}

// readURL reads the parameters of a GET. Specification: GraphQL over HTTP,
// "GET".
func readURL(rawQuery string) (r request, refused *refusal) {
	values, err := url.ParseQuery(rawQuery)
	if err != nil {
		return r, malformed(badParameters)
	}
	for _, name := range []string{"query", "operationName", "variables", "extensions", "documentId"} {
		if len(values[name]) > 1 {
			return r, malformed("the parameter %s is given twice: want it once", name)
		}
	}
	r.query, r.operationName, r.documentID = values.Get("query"), values.Get("operationName"), values.Get("documentId")
	for name, read := range map[string]func(*jsonReader, *request) *refusal{
		"variables": (*jsonReader).variables, "extensions": (*jsonReader).extensions,
	} {
		if text := values.Get(name); text != "" {
			p := &jsonReader{dec: jsontext.NewDecoder(bytes.NewBufferString(text)), what: "parameter " + name}
			if refused := read(p, &r); refused != nil {
				return r, refused
			}
			if refused := p.end(); refused != nil {
				return r, refused
			}
		}
	}
	r.public = true
	r.check()
	return r, nil
}

// badParameters says what is wrong with a query string.
const badParameters = "the address has parameters that can't be read: want NAME=VALUE with percent-encoding"

// check refuses a request that asks for nothing.
func (r *request) check() {
	if r.refused == nil && r.query == "" && r.hash == "" && r.documentID == "" {
		r.refused = malformed("the request has no query: want query, or the hash or id of a document")
	}
}

// malformed refuses what is no GraphQL request.
func malformed(format string, args ...any) *refusal {
	return refuseWith(http.StatusBadRequest, nft.BadUserInput, format, args...)
}

// readBody reads a request's body into b. Memory is taken for what has
// arrived, whatever length was announced.
func (e *endpoint) readBody(w http.ResponseWriter, r *http.Request, b *buffer) *refusal {
	if r.ContentLength > int64(e.limits.Body) {
		// What follows would have to be read to use the connection again.
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
			return refuseWith(http.StatusRequestTimeout, nft.Timeout, "the body took too long to arrive")
		case err != nil:
			return refuseWith(http.StatusBadRequest, nft.BadUserInput, "the body did not arrive whole: want as many bytes as announced")
		case !e.budget.take(b, smallBuffer):
			return busy("too many large bodies")
		}
	}
}

func (e *endpoint) tooLarge() *refusal {
	return refuseWith(http.StatusRequestEntityTooLarge, nft.BadUserInput, "the body is too large: want at most %d bytes", e.limits.Body)
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

// end refuses anything that follows.
func (p *jsonReader) end() *refusal {
	at := p.dec.InputOffset()
	if _, err := p.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return malformed("the %s goes on after its JSON value, which has %d bytes: want one value", p.what, at)
	}
	return nil
}

// broken says what is wrong with the JSON and where, without repeating it.
func (p *jsonReader) broken(err error) *refusal {
	var at *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.EOF):
		return malformed("the %s is empty: want JSON", p.what)
	case !errors.As(err, &at):
		return malformed("the %s is not JSON: want JSON in UTF-8", p.what)
	case errors.Is(at.Err, io.ErrUnexpectedEOF):
		return malformed("the %s is JSON that ends too early, after %d bytes: want all of it", p.what, at.ByteOffset)
	case errors.Is(at.Err, jsontext.ErrDuplicateName):
		return malformed("the %s is JSON with a name that is there twice, at byte %d: want each name once", p.what, at.ByteOffset)
	default:
		return malformed("the %s is not JSON in UTF-8, from byte %d on: want JSON in UTF-8", p.what, at.ByteOffset)
	}
}

// batch reads an array of requests.
func (p *jsonReader) batch(most int) (list []request, refused *refusal) {
	if _, err := p.dec.ReadToken(); err != nil {
		return nil, p.broken(err)
	}
	for p.dec.PeekKind() != ']' {
		if len(list) == most {
			return nil, refuseWith(http.StatusBadRequest, nft.QueryTooCostly, "the batch has more than %d operations", most)
		}
		list = append(list, request{})
		r := &list[len(list)-1]
		if kind := p.dec.PeekKind(); kind != '{' && kind != jsontext.KindInvalid {
			r.refused = malformed("the batch has an element that is no JSON object: want operations alone")
			if err := p.dec.SkipValue(); err != nil {
				return nil, p.broken(err)
			}
			continue
		}
		if refused := p.request(r); refused != nil {
			return nil, refused
		}
	}
	if len(list) == 0 {
		return nil, malformed("the batch is empty: want one operation or more")
	}
	_, err := p.dec.ReadToken()
	if err != nil {
		return nil, p.broken(err)
	}
	return list, nil
}

// request reads one request.
func (p *jsonReader) request(r *request) *refusal {
	refused := p.object(func(name string) *refusal {
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
	return refused
}

// object reads an object; member must read the value of each name.
func (p *jsonReader) object(member func(name string) *refusal) *refusal {
	if _, err := p.dec.ReadToken(); err != nil {
		return p.broken(err)
	}
	for p.dec.PeekKind() != '}' {
		name, err := p.dec.ReadToken()
		if err != nil {
			return p.broken(err)
		}
		if refused := member(name.String()); refused != nil {
			return refused
		}
	}
	if _, err := p.dec.ReadToken(); err != nil {
		return p.broken(err)
	}
	return nil
}

func (p *jsonReader) skip() *refusal {
	if err := p.dec.SkipValue(); err != nil {
		return p.broken(err)
	}
	return nil
}

// wrong refuses a request because of its next value, and goes on after it.
func (p *jsonReader) wrong(r *request, format string, args ...any) *refusal {
	if refused := p.skip(); refused != nil {
		return refused
	}
	if r.refused == nil {
		r.refused = malformed(format, args...)
	}
	return nil
}

// text reads a string; null is as good as none.
func (p *jsonReader) text(r *request, name string, into *string) *refusal {
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
func (p *jsonReader) variables(r *request) *refusal {
	switch p.dec.PeekKind() {
	case '{':
		value, refused := p.value(0)
		r.variables, _ = value.(map[string]any)
		return refused
	case 'n':
		return p.skip()
	default:
		return p.wrong(r, "variables is not a JSON object: want an object or null")
	}
}

// value reads a variable's value; numbers stay as they are written.
func (p *jsonReader) value(depth int) (any, *refusal) {
	if p.values++; p.values > maxValues {
		return nil, refuseWith(http.StatusBadRequest, nft.QueryTooCostly, "the variables have more than %d values", maxValues)
	}
	kind := p.dec.PeekKind()
	if depth >= maxNesting && (kind == '{' || kind == '[') {
		return nil, refuseWith(http.StatusBadRequest, nft.QueryTooCostly, "the variables nest deeper than %d levels", maxNesting)
	}
	if kind == '{' {
		members := map[string]any{}
		return members, p.object(func(name string) (refused *refusal) {
			members[name], refused = p.value(depth + 1)
			return refused
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
func (p *jsonReader) list(depth int) (any, *refusal) {
	list := []any{}
	for p.dec.PeekKind() != ']' {
		element, refused := p.value(depth + 1)
		if refused != nil {
			return nil, refused
		}
		list = append(list, element)
	}
	if _, err := p.dec.ReadToken(); err != nil {
		return nil, p.broken(err)
	}
	return list, nil
}

// extensions reads the one extension that means something here.
func (p *jsonReader) extensions(r *request) *refusal {
	switch p.dec.PeekKind() {
	case '{':
	case 'n':
		return p.skip()
	default:
		return p.wrong(r, "extensions is not a JSON object: want an object or null")
	}
	return p.object(func(name string) *refusal {
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
func (p *jsonReader) persistedQuery(r *request) *refusal {
	version := ""
	refused := p.object(func(name string) *refusal {
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
	case refused != nil || r.refused != nil:
	case version != "1":
		r.refused = malformed("persistedQuery has another version than 1: want version 1")
	case r.hash == "":
		r.refused = malformed("persistedQuery has no sha256Hash: want that of the query")
	}
	return refused
}
