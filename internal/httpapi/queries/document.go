package queries

import (
	"context"
	"errors"
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"mintburn/internal/fastql"
	"mintburn/internal/httpapi/cost"
	"mintburn/internal/httpapi/failure"
)

// Document is a parsed document that is valid and within the limits. It is shared, and only
// its plans change.
type Document struct {
	Text  string
	Query *ast.QueryDocument
	Plans fastql.Plans
	// Route is the REST route that the document belongs to, or "".
	Route string
	// weight is the approximate memory of the document, in bytes.
	weight int
}

// reader reads documents, and the variables of their operations.
type reader struct {
	schema *ast.Schema
	// scalars maps the name of each scalar or enum to a function that returns why a value is
	// invalid.
	scalars map[string]func(ctx context.Context, v any) error
	rules   *rules.Rules
	limits  cost.Limits
	// suggests reports that errors may name parts of the schema.
	suggests bool
}

// read returns the document of a text. The cheap checks come first, because the time of
// validation grows with the square of some numbers that CheckShape bounds. Before validation,
// read calls raise with its cost, and stops if raise fails.
func (r *reader) read(text string, raise func(cost int) *failure.Error) (*Document, *failure.Error) {
	query, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: text}, r.limits.Tokens)
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
	fields, failed := r.limits.CheckShape(query)
	if failed != nil {
		return nil, failed
	}
	if failed := raise(validationCost * fields); failed != nil {
		return nil, failed
	}
	if list := validator.ValidateWithRules(r.schema, query, r.rules); len(list) > 0 {
		if r.suggests {
			suggestOurs(r.schema, list)
		}
		return nil, failure.InDocument(failure.ValidationFailed, list)
	}
	return &Document{Text: text, Query: query, weight: 4*len(text) + bytesPerField*fields}, nil
}

// Own returns the document of a REST route. The configured limits apply to the documents of
// clients.
func Own(schema *ast.Schema, text, route string) (*Document, *failure.Error) {
	r := reader{schema: schema, rules: validationRules(false), limits: cost.Limits{Tokens: 1_000, Depth: 10, Aliases: 100, RootFields: 4}}
	read, failed := r.read(text, free)
	if failed == nil {
		read.Route = route
	}
	return read, failed
}

// validationCost is the cost of validating a field, rounded up: the slowest document takes a
// tenth of a second.
const validationCost = 10

// free is the raise function for documents that no client waits for.
func free(int) *failure.Error { return nil }

// bytesPerField is the approximate memory of a parsed field, measured with arguments.
const bytesPerField = 1_000

// Operation returns the operation that a request names. Specification: GraphQL, section 6.1,
// GetOperation.
func (d *Document) Operation(name string) (*ast.OperationDefinition, *failure.Error) {
	switch operation := d.Query.Operations.ForName(name); {
	case operation != nil:
		return operation, nil
	case name == "":
		return nil, failure.New(failure.ValidationFailed, "the document has several operations: name one as operationName")
	default:
		return nil, failure.New(failure.ValidationFailed, "the document has no operation %s", failure.Brief(name, 80))
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
