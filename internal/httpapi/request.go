package httpapi

import (
	"bytes"
	"net/http"
	"net/url"

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
		refused = malformed("the body is neither a JSON object nor an array of objects")
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
		return r, malformed("the address has parameters that can't be read")
	}
	for _, name := range []string{"query", "operationName", "variables", "extensions", "documentId"} {
		if len(values[name]) > 1 {
			return r, malformed("the parameter %s is given twice", name)
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

// check refuses a request that asks for nothing.
func (r *request) check() {
	if r.refused == nil && r.query == "" && r.hash == "" && r.documentID == "" {
		r.refused = malformed("the request has no query")
	}
}

// malformed refuses what is no GraphQL request.
func malformed(format string, args ...any) *refusal {
	return refuseWith(http.StatusBadRequest, nft.BadUserInput, format, args...)
}
