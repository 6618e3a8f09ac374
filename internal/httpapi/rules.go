package httpapi

import (
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

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
