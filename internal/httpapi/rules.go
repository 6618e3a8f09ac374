package httpapi

import (
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// validationRules returns GraphQL's rules, and one for number literals that
// gqlparser can not hold: it reads integers as int64 and panics at larger ones.
// Without introspection, the schema can not be asked for, and errors do not
// suggest names of it.
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

// noIntrospection refuses the fields that tell of the schema; __typename tells
// nothing that the answer does not show.
func noIntrospection(observers *core.Events, addError core.AddErrFunc) {
	observers.OnField(func(_ *core.Walker, field *ast.Field) {
		if field.Name == "__schema" || field.Name == "__type" {
			addError(core.Message("introspection is turned off here"), core.At(field.Position))
		}
	})
}
