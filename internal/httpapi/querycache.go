package httpapi

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"net/netip"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/selection"
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

// coerce returns the values of an operation's variables. A value of another type
// is an error of the request. Specification: GraphQL, section 6.1.2.
func (d *queryCache) coerce(ctx context.Context, operation *ast.OperationDefinition, given map[string]any) (map[string]any, *requestError) {
	for _, v := range operation.VariableDefinitions {
		value, ok := given[v.Variable]
		if !ok && v.DefaultValue != nil {
			// Validation has read it.
			value, _ = v.DefaultValue.Value(nil)
		}
		if path, wrong := d.checkScalars(ctx, v.Type, value); wrong != "" {
			return nil, failf(nft.BadUserInput, "$%s%s: %s", v.Variable, path, wrong).at(v.Position)
		}
	}
	values, err := validator.VariableValues(d.schema, operation, given)
	if err == nil {
		return values, checkNulls(operation, values)
	}
	var at *gqlerror.Error
	if !errors.As(err, &at) || len(at.Path) < 2 {
		return nil, documentError(nft.BadUserInput, gqlerror.List{gqlerror.Wrap(err)})
	}
	// The path begins with the word variable: it is no path of the response.
	name, _ := at.Path[1].(ast.PathName)
	v := operation.VariableDefinitions.ForName(string(name))
	// The library's message names Go types, and may round the value.
	got := "a value of another type"
	switch {
	case at.Message == "must be defined":
		got = "no value"
	case at.Message == "cannot be null":
		got = "null"
	case len(at.Path) == 2:
		got = evm.Describe(given[v.Variable])
	}
	return nil, failf(nft.BadUserInput, "$%s: got %s, want %s", at.Path[1:], got, typeAt(v.Type, len(at.Path)-2)).at(v.Position)
}

// typeAt returns the type of the elements at a depth of lists.
func typeAt(typ *ast.Type, lists int) *ast.Type {
	for ; lists > 0 && typ.Elem != nil; lists-- {
		typ = typ.Elem
	}
	return typ
}

// checkNulls returns the error of a variable that is null where null is not
// accepted. A default makes such a use valid, and an explicit null overrides the
// default. Specification: GraphQL, section 6.4.1, CoerceArgumentValues.
func checkNulls(operation *ast.OperationDefinition, values map[string]any) (failed *requestError) {
	for _, value := range values {
		if value == nil {
			return findNull(operation.SelectionSet, values)
		}
	}
	return nil
}

func findNull(set ast.SelectionSet, values map[string]any) (failed *requestError) {
	inArguments := func(list ast.ArgumentList) bool {
		return slices.ContainsFunc(list, func(a *ast.Argument) bool {
			failed = checkNull(a.Value, values)
			return failed != nil
		})
	}
	selection.Any(set, func(s ast.Selection, directives ast.DirectiveList) bool {
		field, ok := s.(*ast.Field)
		return ok && inArguments(field.Arguments) ||
			slices.ContainsFunc(directives, func(d *ast.Directive) bool { return inArguments(d.Arguments) })
	})
	return failed
}

// checkNull returns the error of a variable in an argument that is null where null
// is not accepted.
func checkNull(v *ast.Value, values map[string]any) *requestError {
	for _, child := range v.Children {
		if failed := checkNull(child.Value, values); failed != nil {
			return failed
		}
	}
	// Validation has set the expected type.
	if v.Kind != ast.Variable || v.ExpectedType == nil || !v.ExpectedType.NonNull {
		return nil
	}
	if value, given := values[v.Raw]; !given || value != nil {
		return nil
	}
	return failf(nft.BadUserInput, "$%s: got null, want %s where it is used", v.Raw, v.ExpectedType).at(v.Position)
}

// checkScalars returns why a scalar in the value of a variable is wrong, and the
// path to it; both are empty if all scalars are right. Other mistakes are left to
// the validator.
func (d *queryCache) checkScalars(ctx context.Context, typ *ast.Type, value any) (path, wrong string) {
	if value == nil {
		return "", ""
	}
	if typ.Elem != nil {
		list, ok := value.([]any)
		if !ok {
			// Specification: GraphQL, section 3.12, "Input Coercion".
			return d.checkScalars(ctx, typ.Elem, value)
		}
		for i, item := range list {
			if path, wrong = d.checkScalars(ctx, typ.Elem, item); wrong != "" {
				return fmt.Sprintf("[%d]%s", i, path), wrong
			}
		}
		return "", ""
	}
	if read := d.scalars[typ.NamedType]; read != nil {
		if err := read(ctx, value); err != nil {
			return "", messageOf(err)
		}
		return "", ""
	}
	object, _ := value.(map[string]any)
	if definition := d.schema.Types[typ.NamedType]; definition != nil && definition.Kind == ast.InputObject {
		for _, f := range definition.Fields {
			if path, wrong = d.checkScalars(ctx, f.Type, object[f.Name]); wrong != "" {
				return "." + f.Name + path, wrong
			}
		}
	}
	return "", ""
}

// messageOf returns the message of an error, without a path.
func messageOf(err error) string {
	var at *gqlerror.Error
	if errors.As(err, &at) {
		return at.Message
	}
	return err.Error()
}

// validationRules returns GraphQL's rules, and one for number literals that
// gqlparser cannot hold: it reads integers as int64 and panics at larger ones.
// Without introspection, fields of introspection are errors, and no error suggests
// names of the schema.
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

// noIntrospection rejects the fields that describe the schema. __typename reveals
// nothing else than the answer.
func noIntrospection(observers *core.Events, addError core.AddErrFunc) {
	observers.OnField(func(_ *core.Walker, field *ast.Field) {
		if field.Name == "__schema" || field.Name == "__type" {
			addError(core.Message("introspection is turned off here"), core.At(field.Position))
		}
	})
}

// numberLiterals rewrites large integer literals of custom scalars as strings,
// which BigInt, Long and BlockNumberOrHash also read, and rejects every other
// number out of range. It may change the document, which is validated once, before
// it is shared.
func numberLiterals(observers *core.Events, addError core.AddErrFunc) {
	observers.OnValue(func(_ *core.Walker, value *ast.Value) {
		if readable(value) {
			return
		}
		if value.Kind == ast.IntValue && isCustomScalar(value) {
			value.Kind = ast.StringValue
			return
		}
		addError(core.Message("%s is out of range.", brief(value.Raw, 80)), core.At(value.Position))
	})
}

// readable reports whether gqlparser can hold a value, if it is a number.
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
