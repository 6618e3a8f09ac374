package parse

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mintburn/internal/httpapi/failure"
)

// Request is a request for one operation, not checked yet.
type Request struct {
	// Query is a document, or empty if the request refers to one.
	Query         string
	OperationName string
	Variables     map[string]any
	// DocumentID is the id of a trusted document. Hash is the SHA-256 of a document in hex.
	DocumentID, Hash string
	// Chain is the name of the chain whose data the request reads, or "".
	Chain string
	// Failed is the error of this request only.
	Failed *failure.Error
}

// HashPrefix begins a documentId that is the hash of a document.
const HashPrefix = "sha256:"

// Hash returns the SHA-256 of a document in hex.
func Hash(document string) string {
	sum := sha256.Sum256([]byte(document))
	return hex.EncodeToString(sum[:])
}

// JSON parses the body of a POST: a JSON object, or an array of objects, which is a batch.
// Invalid JSON is an error of the whole body, an invalid object only of its own operation.
func JSON(body *bytes.Buffer, mostRequests int) (list []Request, batch bool, failed *failure.Error) {
	p := &jsonReader{dec: jsontext.NewDecoder(body), what: "body"}
	switch p.dec.PeekKind() {
	case '[':
		batch = true
		list = p.batch(mostRequests)
	case '{':
		list = make([]Request, 1)
		p.request(&list[0])
	case jsontext.KindInvalid:
		p.token()
	default:
		p.failed = failure.BadRequest("the body is neither a JSON object nor an array: want an operation, or an array of operations")
	}
	return list, batch, p.end()
}

// URL parses the parameters of a GET. Specification: GraphQL over HTTP, "GET".
func URL(rawQuery string) (r Request, failed *failure.Error) {
	values, err := url.ParseQuery(rawQuery)
	if err != nil {
		return r, failure.BadRequest(BadParameters)
	}
	for _, name := range []string{"query", "operationName", "variables", "extensions", "documentId"} {
		if len(values[name]) > 1 {
			return r, failure.BadRequest("the parameter %s is given twice: want it once", name)
		}
	}
	r.Query, r.OperationName, r.DocumentID = values.Get("query"), values.Get("operationName"), values.Get("documentId")
	for name, read := range map[string]func(*jsonReader, *Request){
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
	r.check()
	return r, nil
}

// BadParameters is the error of an invalid query string.
const BadParameters = "the URL has invalid parameters: want NAME=VALUE with percent-encoding"

// check reads a hash in the document's id, and sets an error if the request has no document.
// Specification: GraphQL over HTTP, "Persisted Documents".
func (r *Request) check() {
	if hash, ok := strings.CutPrefix(r.DocumentID, HashPrefix); ok && r.Hash == "" {
		r.Hash = hash
	}
	if r.Failed == nil && r.Query == "" && r.Hash == "" && r.DocumentID == "" {
		r.Failed = failure.BadRequest("the request has no query: want query, or the hash or id of a document")
	}
}
