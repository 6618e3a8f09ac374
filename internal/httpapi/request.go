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
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/negotiate"
)

// request is a request for one operation, not checked yet.
type request struct {
	// document is set if the server provides it, as for the REST routes.
	document *document
	// public is true for a GET, whose answer every cache may store. key is the key in the
	// response cache, or empty if the answer is not cached there.
	public bool
	key    string
	// stream is the form in which the client accepts several answers, or "".
	stream negotiate.MediaType
	// bytes is the length of the request, set if it has a stream.
	bytes int
	// client is the client that sent the request.
	client netip.Addr
	// size bounds the answer, together with the others of a batch.
	size *admit.AnswerSize
	// query is a document, or empty if the request refers to one.
	query         string
	operationName string
	variables     map[string]any
	// documentID is the id of a trusted document. hash is the SHA-256 of a document in hex.
	documentID, hash string
	// paid is true if the client was charged for the operation, or must not be.
	paid bool
	// failed is the error of this request only.
	failed *failure.Error
}

// readJSON parses the body of a POST: a JSON object, or an array of objects, which is a batch.
// Invalid JSON is an error of the whole body, an invalid object only of its own operation.
func readJSON(body *bytes.Buffer, mostRequests int) (list []request, batch bool, failed *failure.Error) {
	p := &jsonReader{dec: jsontext.NewDecoder(body), what: "body"}
	switch p.dec.PeekKind() {
	case '[':
		batch = true
		list = p.batch(mostRequests)
	case '{':
		list = make([]request, 1)
		p.request(&list[0])
	case jsontext.KindInvalid:
		p.token()
	default:
		p.failed = failure.BadRequest("the body is neither a JSON object nor an array: want an operation, or an array of operations")
	}
	return list, batch, p.end()
}

// readURL parses the parameters of a GET. Specification: GraphQL over HTTP, "GET".
func readURL(rawQuery string) (r request, failed *failure.Error) {
	values, err := url.ParseQuery(rawQuery)
	if err != nil {
		return r, failure.BadRequest(badParameters)
	}
	for _, name := range []string{"query", "operationName", "variables", "extensions", "documentId"} {
		if len(values[name]) > 1 {
			return r, failure.BadRequest("the parameter %s is given twice: want it once", name)
		}
	}
	r.query, r.operationName, r.documentID = values.Get("query"), values.Get("operationName"), values.Get("documentId")
	for name, read := range map[string]func(*jsonReader, *request){
		"variables": (*jsonReader).variables, "extensions": (*jsonReader).extensions,
	} {
		if text := values.Get(name); text != "" {
			p := &jsonReader{dec: jsontext.NewDecoder(bytes.NewBufferString(text)), what: "parameter " + name}
			read(p, &r)
			if failed := p.end(); failed != nil {
				return r, failed
			}
		}
	}
	r.public = true
	r.check()
	return r, nil
}

// badParameters is the error of an invalid query string.
const badParameters = "the URL has invalid parameters: want NAME=VALUE with percent-encoding"

// check reads a hash in the document's id, and sets an error if the request has no document.
// Specification: GraphQL over HTTP, "Persisted Documents".
func (r *request) check() {
	if hash, ok := strings.CutPrefix(r.documentID, hashPrefix); ok && r.hash == "" {
		r.hash = hash
	}
	if r.failed == nil && r.query == "" && r.hash == "" && r.documentID == "" {
		r.failed = failure.BadRequest("the request has no query: want query, or the hash or id of a document")
	}
}

// readBody reads a request's body into b. It reserves memory for the received bytes, not for
// the announced length.
func (e *endpoint) readBody(w http.ResponseWriter, r *http.Request, b *admit.Buffer) *failure.Error {
	if r.ContentLength > int64(e.Limits.Body) {
		// The connection could be reused only after reading the whole body.
		w.Header().Set("Connection", "close")
		return e.tooLarge()
	}
	if r.ContentLength > 0 {
		b.Grow(int(min(r.ContentLength, admit.SmallBuffer)))
	}
	body := http.MaxBytesReader(w, r.Body, int64(e.Limits.Body))
	full, err := e.budget.Fill(b, body)
	switch large := new(*http.MaxBytesError); {
	case full:
		return failure.Busy("too many large bodies")
	case err == nil:
		return nil
	case errors.As(err, large):
		return e.tooLarge()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return failure.WithStatus(http.StatusRequestTimeout, apierror.Timeout, "the body took too long to arrive")
	default:
		return failure.WithStatus(http.StatusBadRequest, apierror.BadUserInput, "the body is incomplete: want as many bytes as announced")
	}
}

func (e *endpoint) tooLarge() *failure.Error {
	return failure.WithStatus(http.StatusRequestEntityTooLarge, apierror.BadUserInput, "the body is too large: want at most %d bytes", e.Limits.Body)
}

// jsonReader parses requests from JSON. Its methods begin before a value and end after it.
// After an error they do nothing.
type jsonReader struct {
	dec *jsontext.Decoder
	// what names the JSON in error messages.
	what string
	// values counts the values in the variables of all requests.
	values int
	// failed is the error of the JSON as a whole.
	failed *failure.Error
}

// end returns the error. Further data after the value is an error too.
func (p *jsonReader) end() *failure.Error {
	if p.failed == nil {
		at := p.dec.InputOffset()
		if _, err := p.dec.ReadToken(); !errors.Is(err, io.EOF) {
			p.failed = failure.BadRequest("the %s continues after its JSON value, which has %d bytes: want one value", p.what, at)
		}
	}
	return p.failed
}

// token reads a token.
func (p *jsonReader) token() (token jsontext.Token) {
	if p.failed == nil {
		var err error
		token, err = p.dec.ReadToken()
		p.check(err)
	}
	return token
}

// skip reads a value.
func (p *jsonReader) skip() {
	if p.failed == nil {
		p.check(p.dec.SkipValue())
	}
}

// more reports whether the object or array has another element. If not, it reads the end.
func (p *jsonReader) more(end jsontext.Kind) bool {
	if p.failed == nil && p.dec.PeekKind() == end {
		p.token()
		return false
	}
	return p.failed == nil
}

// check records an error of invalid JSON with its position, without quoting the JSON.
func (p *jsonReader) check(err error) {
	if err == nil {
		return
	}
	var at *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.EOF):
		p.failed = failure.BadRequest("the %s is empty: want JSON", p.what)
	case !errors.As(err, &at):
		p.failed = failure.BadRequest("the %s is not JSON: want JSON in UTF-8", p.what)
	case errors.Is(at.Err, io.ErrUnexpectedEOF):
		p.failed = failure.BadRequest("the %s ends too early, after %d bytes: want complete JSON", p.what, at.ByteOffset)
	case errors.Is(at.Err, jsontext.ErrDuplicateName):
		p.failed = failure.BadRequest("the %s has a duplicate name at byte %d: want each name once", p.what, at.ByteOffset)
	default:
		p.failed = failure.BadRequest("the %s is not JSON in UTF-8, from byte %d on: want JSON in UTF-8", p.what, at.ByteOffset)
	}
}

// batch reads an array of requests.
func (p *jsonReader) batch(most int) (list []request) {
	for p.token(); p.more(']'); {
		if len(list) == most {
			p.failed = failure.WithStatus(http.StatusBadRequest, apierror.QueryTooCostly, "the batch has more than %d operations", most)
			return nil
		}
		list = append(list, request{})
		r := &list[len(list)-1]
		if kind := p.dec.PeekKind(); kind == '{' || kind == jsontext.KindInvalid {
			p.request(r)
		} else {
			p.wrong(r, "the batch has an element that is not a JSON object: want only operations")
		}
	}
	if p.failed == nil && len(list) == 0 {
		p.failed = failure.BadRequest("the batch is empty: want one operation or more")
	}
	return list
}

// request reads one request.
func (p *jsonReader) request(r *request) {
	p.object(func(name string) {
		switch name {
		case "query":
			p.text(r, name, &r.query)
		case "operationName":
			p.text(r, name, &r.operationName)
		case "documentId":
			p.text(r, name, &r.documentID)
		case "variables":
			p.variables(r)
		case "extensions":
			p.extensions(r)
		default:
			p.skip()
		}
	})
	r.check()
}

// object reads an object. It calls member for each name, which must read the value.
func (p *jsonReader) object(member func(name string)) {
	for p.token(); p.more('}'); {
		if name := p.token().String(); p.failed == nil {
			member(name)
		}
	}
}

// wrong sets the error of a request because of its next value, and skips that value.
func (p *jsonReader) wrong(r *request, format string, args ...any) {
	p.skip()
	if r.failed == nil {
		r.failed = failure.BadRequest(format, args...)
	}
}

// text reads a string. null counts as absent.
func (p *jsonReader) text(r *request, name string, into *string) {
	p.member(r, name, '"', "a string: want a string", func() { *into = p.token().String() })
}

// member calls read for a value that must have a kind. null counts as absent.
func (p *jsonReader) member(r *request, name string, kind jsontext.Kind, want string, read func()) {
	switch p.dec.PeekKind() {
	case kind:
		read()
	case 'n':
		p.skip()
	default:
		p.wrong(r, "%s is not %s or null", name, want)
	}
}

// objectWanted is the end of the error of a member that must be an object.
const objectWanted = "a JSON object: want an object"

// variables reads the variables of a request.
func (p *jsonReader) variables(r *request) {
	p.member(r, "variables", '{', objectWanted, func() { r.variables, _ = p.value(0).(map[string]any) })
}

// value reads a value within the variables. It keeps numbers as text, and writes whole ones as
// integers.
func (p *jsonReader) value(depth int) any {
	kind := p.dec.PeekKind()
	switch p.values++; {
	case p.values > maxValues:
		p.failed = failure.WithStatus(http.StatusBadRequest, apierror.QueryTooCostly, "the variables have more than %d values", maxValues)
		return nil
	case depth >= maxNesting && (kind == '{' || kind == '['):
		p.failed = failure.WithStatus(http.StatusBadRequest, apierror.QueryTooCostly, "the variables nest deeper than %d levels", maxNesting)
		return nil
	case kind == '{':
		members := map[string]any{}
		p.object(func(name string) { members[name] = p.value(depth + 1) })
		return members
	case kind == '[':
		list := []any{}
		for p.token(); p.more(']'); {
			list = append(list, p.value(depth+1))
		}
		return list
	}
	switch token := p.token(); token.Kind() {
	case '"':
		return token.String()
	case '0':
		return json.Number(wholeNumber(token.String()))
	case 't', 'f':
		return token.Bool()
	default:
		return nil
	}
}

// maxExponent is the largest exponent of an integer of 256 bits in decimal.
const maxExponent = 77

// wholeNumber returns a JSON number without fraction and exponent if its value is an integer,
// because some languages write 2 as 2.0 or 2e0. It returns other numbers unchanged, and those
// with an exponent beyond [maxExponent], which would take much memory.
// Specification: GraphQL, section 3.5.1, "Input Coercion".
func wholeNumber(text string) string {
	mantissa, exponent := text, 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		n, err := strconv.Atoi(text[i+1:])
		if err != nil || n < -maxExponent || n > maxExponent {
			return text
		}
		mantissa, exponent = text[:i], n
	}
	whole, fraction, fractional := strings.Cut(mantissa, ".")
	if mantissa == text && !fractional {
		return text
	}
	sign := whole[:len(whole)-len(strings.TrimPrefix(whole, "-"))]
	digits := whole[len(sign):] + fraction + strings.Repeat("0", max(0, exponent))
	point := max(0, len(whole)-len(sign)+exponent)
	if strings.Trim(digits[point:], "0") != "" {
		return text
	}
	if digits = strings.TrimLeft(digits[:point], "0"); digits == "" {
		return "0"
	}
	return sign + digits
}

// extensions reads the only supported extension, persistedQuery.
func (p *jsonReader) extensions(r *request) {
	p.member(r, "extensions", '{', objectWanted, func() {
		p.object(func(name string) {
			if name == "persistedQuery" {
				p.member(r, name, '{', objectWanted, func() { p.persistedQuery(r) })
			} else {
				p.skip()
			}
		})
	})
}

// persistedQuery reads the extension of Apollo's automatic persisted queries.
func (p *jsonReader) persistedQuery(r *request) {
	version := ""
	p.object(func(name string) {
		switch kind := p.dec.PeekKind(); {
		case name == "sha256Hash":
			p.text(r, name, &r.hash)
		case name == "version" && kind == '0':
			version = p.token().String()
		default:
			p.skip()
		}
	})
	switch {
	case r.failed != nil:
	case version != "1":
		r.failed = failure.BadRequest("persistedQuery has a version other than 1: want version 1")
	case r.hash == "":
		r.failed = failure.BadRequest("persistedQuery has no sha256Hash: want the SHA-256 of the query")
	}
}
