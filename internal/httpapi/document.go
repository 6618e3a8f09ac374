package httpapi

import (
	"errors"
	"hash/maphash"
	"strings"
	"sync/atomic"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"mintburn/internal/nft"
)

// document is a parsed document that is valid and within the limits. It is
// shared and never changes.
type document struct {
	text  string
	query *ast.QueryDocument
	// weight is about how many bytes it takes.
	weight int
}

// documents reads documents, and keeps those that were asked for more than once
// lately. Clients that write values into their documents send each but once:
// to keep those would take memory, and put the others out.
type documents struct {
	schema *ast.Schema
	rules  *rules.Rules
	limits Limits
	cache  *lru[*document]
	// lately are the documents that were read lately.
	lately lately
}

func newDocuments(schema *ast.Schema, introspection bool, limits Limits) *documents {
	return &documents{
		schema: schema, rules: validationRules(introspection), limits: limits,
		cache: newLRU[*document](cachedDocuments, cachedBytes),
	}
}

// read returns the document that a text is. What is cheap to ask is asked
// first: validation takes time that grows with the square of some numbers that
// the shape bounds.
func (d *documents) read(text string) (*document, *refusal) {
	if known, ok := d.cache.get(text); ok {
		return known, nil
	}
	query, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: text}, d.limits.Tokens)
	if err != nil {
		var at *gqlerror.Error
		if !errors.As(err, &at) {
			at = gqlerror.Wrap(err)
		}
		return nil, refuseErrors(parseFailed, gqlerror.List{at})
	}
	if len(query.Operations) == 0 {
		return nil, refuse(validationFailed, "the document has no operation")
	}
	fields, refused := d.limits.checkShape(query)
	if refused != nil {
		return nil, refused
	}
	if list := validator.ValidateWithRules(d.schema, query, d.rules); len(list) > 0 {
		return nil, refuseErrors(validationFailed, list)
	}
	undefer(query)
	read := &document{text: text, query: query, weight: 4*len(text) + bytesPerField*fields}
	if d.lately.again(text) {
		d.cache.put(text, read, read.weight)
	}
	return read, nil
}

// lately knows texts by their hashes: of those that share a place, the last. It
// is safe for concurrent use.
type lately [4096]atomic.Uint64

// seed keeps callers from choosing texts that share a place.
var seed = maphash.MakeSeed()

// again notes a text and reports whether it had been noted, which it may have
// forgotten. One other text in 2^64 is taken for it.
func (l *lately) again(text string) bool {
	hash := maphash.String(seed, text)
	return l[hash%uint64(len(l))].Swap(hash) == hash
}

// bytesPerField is about what a parsed field takes, measured with arguments.
const bytesPerField = 1_000

// operation returns the operation that a request names. Specification:
// GraphQL, section 6.1, GetOperation.
func (d *document) operation(name string) (*ast.OperationDefinition, *refusal) {
	switch operation := d.query.Operations.ForName(name); {
	case operation != nil:
		return operation, nil
	case name == "":
		return nil, refuse(validationFailed, "the document has several operations: name one as operationName")
	default:
		return nil, refuse(validationFailed, "the document has no operation %s", brief(name, 80))
	}
}

// coerce reads the variables of an operation, but for custom scalars, which
// are read where they are used. Specification: GraphQL, section 6.1.2.
func (d *documents) coerce(operation *ast.OperationDefinition, given map[string]any) (map[string]any, *refusal) {
	values, err := validator.VariableValues(d.schema, operation, given)
	if err == nil {
		return values, nil
	}
	var at *gqlerror.Error
	if !errors.As(err, &at) {
		at = gqlerror.Wrap(err)
	}
	shown := &gqlerror.Error{Message: at.Message}
	if value, typ, found := strings.Cut(at.Message, " as "); found && strings.HasPrefix(value, "cannot use ") {
		// The library's words are of Go's types, and may round the value.
		shown.Message = "invalid " + typ
	}
	// The path begins with the word variable: it is none of the response.
	if len(at.Path) > 1 {
		shown.Message = "$" + at.Path[1:].String() + ": " + shown.Message
		name, _ := at.Path[1].(ast.PathName)
		if v := operation.VariableDefinitions.ForName(string(name)); v != nil && v.Position != nil {
			shown.Locations = []gqlerror.Location{{Line: v.Position.Line, Column: v.Position.Column}}
		}
	}
	return nil, refuseErrors(nft.BadUserInput, gqlerror.List{shown})
}

// undefer removes @defer from a document: this server answers at once, as the
// directive allows it to.
func undefer(query *ast.QueryDocument) {
	for _, o := range query.Operations {
		undeferAll(o.SelectionSet)
	}
	for _, f := range query.Fragments {
		undeferAll(f.SelectionSet)
	}
}

func undeferAll(selections ast.SelectionSet) {
	for _, selection := range selections {
		switch s := selection.(type) {
		case *ast.Field:
			undeferAll(s.SelectionSet)
		case *ast.InlineFragment:
			s.Directives = withoutDefer(s.Directives)
			undeferAll(s.SelectionSet)
		case *ast.FragmentSpread:
			s.Directives = withoutDefer(s.Directives)
		}
	}
}

func withoutDefer(list ast.DirectiveList) ast.DirectiveList {
	if list.ForName("defer") == nil {
		return list
	}
	var others ast.DirectiveList
	for _, d := range list {
		if d.Name != "defer" {
			others = append(others, d)
		}
	}
	return others
}
