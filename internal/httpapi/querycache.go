package httpapi

import (
	"context"
	"errors"
	"hash/maphash"
	"net/netip"
	"strconv"
	"sync/atomic"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"mintburn/internal/fastql"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/failure"
)

// document is a parsed document that is valid and within the limits. It is shared, and only
// its plans change.
type document struct {
	text  string
	query *ast.QueryDocument
	plans fastql.Plans
	// route is the REST route that the document belongs to, or "".
	route string
	// weight is the approximate memory of the document, in bytes.
	weight int
}

// scalars maps the name of each scalar or enum to a function that returns why a value is
// invalid.
type scalars = map[string]func(ctx context.Context, v any) error

// queryCache reads documents, and caches those that were seen before. Clients that write
// values into their documents send each document once, and would evict useful ones.
type queryCache struct {
	schema  *ast.Schema
	scalars scalars
	rules   *rules.Rules
	limits  Limits
	// suggests reports that errors may name parts of the schema.
	suggests bool
	cache    *admit.Cache[*document]
	seen     seenBefore
}

// newQueryCache returns an empty cache. scalars are those of [Config].Schema.
func newQueryCache(schema *ast.Schema, scalars scalars, introspection bool, limits Limits) *queryCache {
	return &queryCache{
		schema: schema, scalars: scalars, rules: validationRules(introspection), limits: limits, suggests: introspection,
		cache: admit.NewCache[*document](cachedDocuments, cachedBytes), seen: make(seenBefore, 4096),
	}
}

// read returns the document of a text. The cheap checks come first, because the time of
// validation grows with the square of some numbers that CheckShape bounds. Before validation,
// read calls raise with its cost, and stops if raise fails. A cached document belongs to the
// client that sent it first.
func (d *queryCache) read(text string, client netip.Addr, raise func(cost int) *failure.Error) (*document, *failure.Error) {
	if known, ok := d.cache.Get(text); ok {
		return known, nil
	}
	query, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: text}, d.limits.Tokens)
	if err != nil {
		var at *gqlerror.Error
		if !errors.As(err, &at) {
			at = gqlerror.Wrap(err)
		}
		return nil, failure.InDocument(failure.ParseFailed, gqlerror.List{at})
	}
	if len(query.Operations) == 0 {
		return nil, failure.New(failure.ValidationFailed, "the document has no operation")
	}
	fields, failed := d.limits.CheckShape(query)
	if failed != nil {
		return nil, failed
	}
	if failed := raise(validationCost * fields); failed != nil {
		return nil, failed
	}
	if list := validator.ValidateWithRules(d.schema, query, d.rules); len(list) > 0 {
		if d.suggests {
			suggestOurs(d.schema, list)
		}
		return nil, failure.InDocument(failure.ValidationFailed, list)
	}
	read := &document{text: text, query: query, weight: 4*len(text) + bytesPerField*fields}
	if d.seen.again(text) {
		d.cache.Put(text, read, read.weight, client)
	}
	return read, nil
}

// seenBefore holds the hashes of recent texts, one per slot: a newer text replaces an older
// one. It is safe for concurrent use.
type seenBefore []atomic.Uint64

// seed prevents clients from choosing texts that share a slot.
var seed = maphash.MakeSeed()

// again records a text and reports whether it was recorded before. It may have forgotten the
// text, and mistakes one other text in 2^64 for it.
func (l seenBefore) again(text string) bool {
	hash := maphash.String(seed, text)
	return l[hash%uint64(len(l))].Swap(hash) == hash
}

// validationCost is the cost of validating a field, rounded up: the slowest document takes a
// tenth of a second.
const validationCost = 10

// free is the raise function for documents that no client waits for.
func free(int) *failure.Error { return nil }

// bytesPerField is the approximate memory of a parsed field, measured with arguments.
const bytesPerField = 1_000

// operation returns the operation that a request names. Specification: GraphQL, section 6.1,
// GetOperation.
func (d *document) operation(name string) (*ast.OperationDefinition, *failure.Error) {
	switch operation := d.query.Operations.ForName(name); {
	case operation != nil:
		return operation, nil
	case name == "":
		return nil, failure.New(failure.ValidationFailed, "the document has several operations: name one as operationName")
	default:
		return nil, failure.New(failure.ValidationFailed, "the document has no operation %s", failure.Brief(name, 80))
	}
}

// find returns the document of a request: the server's own, a trusted, a persisted or a sent
// one.
func (e *endpoint) find(ctx context.Context, s *admit.Slot, r *request) (*document, *failure.Error) {
	raise := func(cost int) *failure.Error { return s.Raise(ctx, cost) }
	switch {
	case r.document != nil:
		return r.document, nil
	case e.trusted != nil:
		return e.trusted.find(r)
	case r.Hash != "":
		return e.findPersisted(r, raise)
	case r.DocumentID != "" && r.Query == "":
		return nil, failure.New(failure.PersistedQueryNotFound, "the documentId names no document: this server has no trusted documents; want sha256: and the SHA-256 of a document in hex")
	default:
		return e.queries.read(r.Query, r.client, raise)
	}
}

// validationRules returns GraphQL's rules, and one for number literals that gqlparser cannot
// hold: it reads integers as int64 and panics on larger ones. Without introspection,
// introspection fields are errors, and errors do not suggest names of the schema.
func validationRules(introspection bool) *rules.Rules {
	all := rules.NewDefaultRules()
	all.AddRule("NumberLiterals", numberLiterals)
	if introspection {
		return all
	}
	all.AddRule("NoIntrospection", noIntrospection)
	for _, quiet := range []struct{ loud, rule core.Rule }{
		{rules.FieldsOnCorrectTypeRule, rules.FieldsOnCorrectTypeRuleWithoutSuggestions},
		{rules.KnownArgumentNamesRule, rules.KnownArgumentNamesRuleWithoutSuggestions},
		{rules.KnownTypeNamesRule, rules.KnownTypeNamesRuleWithoutSuggestions},
		{rules.ScalarLeafsRule, rules.ScalarLeafsRuleWithoutSuggestions},
		{rules.ValuesOfCorrectTypeRule, rules.ValuesOfCorrectTypeRuleWithoutSuggestions},
	} {
		all.RemoveRule(quiet.loud.Name)
		all.AddRule(quiet.rule.Name, quiet.rule.RuleFunc)
	}
	return all
}

// noIntrospection rejects the fields that describe the schema. It accepts __typename, which
// reveals nothing beyond the answer.
func noIntrospection(observers *core.Events, addError core.AddErrFunc) {
	observers.OnField(func(_ *core.Walker, field *ast.Field) {
		if field.Name == "__schema" || field.Name == "__type" {
			addError(core.Message("introspection is turned off here"), core.At(field.Position))
		}
	})
}

// numberLiterals rewrites large integer literals of custom scalars as strings, which BigInt,
// Long and BlockNumberOrHash also accept, and rejects every other number out of range. It may
// modify the document, which is validated only once, before it is shared.
func numberLiterals(observers *core.Events, addError core.AddErrFunc) {
	observers.OnValue(func(_ *core.Walker, value *ast.Value) {
		if readable(value) {
			return
		}
		if value.Kind == ast.IntValue && isCustomScalar(value) {
			value.Kind = ast.StringValue
			return
		}
		addError(core.Message("%s is out of range.", failure.Brief(value.Raw, 80)), core.At(value.Position))
	})
}

// readable reports whether gqlparser can hold a value. It is true for all but out-of-range
// numbers.
func readable(value *ast.Value) bool {
	var err error
	switch value.Kind {
	case ast.IntValue:
		_, err = strconv.ParseInt(value.Raw, 10, 64)
	case ast.FloatValue:
		_, err = strconv.ParseFloat(value.Raw, 64)
	}
	return err == nil
}

func isCustomScalar(value *ast.Value) bool {
	d := value.Definition
	return d != nil && d.Kind == ast.Scalar && !d.OneOf("Int", "Float", "String", "Boolean", "ID")
}
