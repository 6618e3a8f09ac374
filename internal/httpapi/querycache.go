package httpapi

import (
	"context"
	"errors"
	"hash/maphash"
	"net/netip"
	"sync/atomic"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// document is a parsed document, valid and within the limits. It is shared and
// never changes.
type document struct {
	text  string
	query *ast.QueryDocument
	// weight is about its size in memory, in bytes.
	weight int
}

// scalars return why a value is not of a scalar or enum, by name.
type scalars = map[string]func(ctx context.Context, v any) error

// queryCache reads documents, and caches those that were seen before. Clients that
// write values into their documents send each once, and would evict useful ones.
type queryCache struct {
	schema  *ast.Schema
	scalars scalars
	rules   *rules.Rules
	limits  Limits
	cache   *lru[*document]
	seen    seenBefore
}

// newQueryCache returns an empty cache; scalars are those of [Config].
func newQueryCache(schema *ast.Schema, scalars scalars, introspection bool, limits Limits) *queryCache {
	return &queryCache{
		schema: schema, scalars: scalars, rules: validationRules(introspection), limits: limits,
		cache: newLRU[*document](cachedDocuments, cachedBytes),
	}
}

// read returns the document of a text. The cheap checks come first: the time of
// validation grows with the square of some numbers that the shape bounds. raise is
// called before validation with its cost, and may return an error. A cached
// document belongs to the client that sent it first.
func (d *queryCache) read(text string, client netip.Addr, raise func(cost int) *requestError) (*document, *requestError) {
	if known, ok := d.cache.get(text); ok {
		return known, nil
	}
	query, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: text}, d.limits.Tokens)
	if err != nil {
		var at *gqlerror.Error
		if !errors.As(err, &at) {
			at = gqlerror.Wrap(err)
		}
		return nil, documentError(parseFailed, gqlerror.List{at})
	}
	if len(query.Operations) == 0 {
		return nil, failf(validationFailed, "the document has no operation")
	}
	fields, failed := d.limits.checkShape(query)
	if failed != nil {
		return nil, failed
	}
	if failed := raise(validationCost * fields); failed != nil {
		return nil, failed
	}
	if list := validator.ValidateWithRules(d.schema, query, d.rules); len(list) > 0 {
		return nil, documentError(validationFailed, list)
	}
	read := &document{text: text, query: query, weight: 4*len(text) + bytesPerField*fields}
	if d.seen.again(text) {
		d.cache.put(text, read, read.weight, client)
	}
	return read, nil
}

// seenBefore has the hashes of texts: of those that share a slot, the last. It is
// safe for concurrent use.
type seenBefore [4096]atomic.Uint64

// seed keeps clients from choosing texts that share a slot.
var seed = maphash.MakeSeed()

// again notes a text and reports whether it was noted before. It may have
// forgotten it, and mistakes one other text in 2^64 for it.
func (l *seenBefore) again(text string) bool {
	hash := maphash.String(seed, text)
	return l[hash%uint64(len(l))].Swap(hash) == hash
}

// validationCost is the cost of validating a field, rounded up: the slowest
// document takes a tenth of a second.
const validationCost = 10

// free is the raise of documents for which no client waits.
func free(int) *requestError { return nil }

// bytesPerField is about the memory of a parsed field, measured with arguments.
const bytesPerField = 1_000

// operation returns the operation that a request names. Specification:
// GraphQL, section 6.1, GetOperation.
func (d *document) operation(name string) (*ast.OperationDefinition, *requestError) {
	switch operation := d.query.Operations.ForName(name); {
	case operation != nil:
		return operation, nil
	case name == "":
		return nil, failf(validationFailed, "the document has several operations: name one as operationName")
	default:
		return nil, failf(validationFailed, "the document has no operation %s", brief(name, 80))
	}
}

// find returns the document of a request: its own, an automatically persisted one,
// or a trusted one.
func (e *endpoint) find(ctx context.Context, s *slot, r *request) (*document, *requestError) {
	raise := func(cost int) *requestError { return s.raise(ctx, cost) }
	switch {
	case r.document != nil:
		return r.document, nil
	case e.trusted != nil:
		return e.trusted.find(r)
	case r.hash != "":
		return e.findPersisted(r, raise)
	case r.documentID != "" && r.query == "":
		return nil, failf(persistedQueryNotFound, "the documentId names no document: this server has no trusted documents")
	default:
		return e.queries.read(r.query, r.client, raise)
	}
}
