package parse

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi/failure"
)

// maxValues is the maximum number of JSON values in the variables of all requests of a body,
// maxNesting their maximum depth.
const maxValues, maxNesting = 20_000, 32

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
func (p *jsonReader) batch(most int) (list []Request) {
	for p.token(); p.more(']'); {
		if len(list) == most {
			p.failed = failure.WithStatus(http.StatusBadRequest, apierror.QueryTooCostly, "the batch has more than %d operations", most)
			return nil
		}
		list = append(list, Request{})
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
func (p *jsonReader) request(r *Request) {
	p.object(func(name string) {
		switch name {
		case "query":
			p.text(r, name, &r.Query)
		case "operationName":
			p.text(r, name, &r.OperationName)
		case "documentId":
			p.text(r, name, &r.DocumentID)
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
func (p *jsonReader) wrong(r *Request, format string, args ...any) {
	p.skip()
	if r.Failed == nil {
		r.Failed = failure.BadRequest(format, args...)
	}
}

// text reads a string. null counts as absent.
func (p *jsonReader) text(r *Request, name string, into *string) {
	p.member(r, name, '"', "a string: want a string", func() { *into = p.token().String() })
}

// member calls read for a value that must have a kind. null counts as absent.
func (p *jsonReader) member(r *Request, name string, kind jsontext.Kind, want string, read func()) {
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
func (p *jsonReader) variables(r *Request) {
	p.member(r, "variables", '{', objectWanted, func() { r.Variables, _ = p.value(0).(map[string]any) })
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

// extensions reads the supported extensions, persistedQuery and chain.
func (p *jsonReader) extensions(r *Request) {
	p.member(r, "extensions", '{', objectWanted, func() {
		p.object(func(name string) {
			switch name {
			case "persistedQuery":
				p.member(r, name, '{', objectWanted, func() { p.persistedQuery(r) })
			case "chain":
				p.text(r, name, &r.Chain)
			default:
				p.skip()
			}
		})
	})
}

// persistedQuery reads the extension of Apollo's automatic persisted queries.
func (p *jsonReader) persistedQuery(r *Request) {
	version := ""
	p.object(func(name string) {
		switch kind := p.dec.PeekKind(); {
		case name == "sha256Hash":
			p.text(r, name, &r.Hash)
		case name == "version" && kind == '0':
			version = p.token().String()
		default:
			p.skip()
		}
	})
	switch {
	case r.Failed != nil:
	case version != "1":
		r.Failed = failure.BadRequest("persistedQuery has a version other than 1: want version 1")
	case r.Hash == "":
		r.Failed = failure.BadRequest("persistedQuery has no sha256Hash: want the SHA-256 of the query")
	}
}
