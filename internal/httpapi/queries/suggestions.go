package queries

import (
	"regexp"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"mintburn/internal/httpapi/documented"
)

// unknownName matches the errors of validation about an unknown field, argument or field of an
// input object, with its name, its type and, for an argument, its field.
var unknownName = regexp.MustCompile(`^(?:Cannot query field|Unknown argument|Field) "(\w+)" (?:on type|on field|is not defined by type) "(\w+)(?:\.(\w+))?"`)

// suggestOurs makes the errors about unknown names suggest ours, where a name is known from the
// documented operations or another API. Validation alone suggests names that look alike.
func suggestOurs(schema *ast.Schema, list gqlerror.List) {
	for _, e := range list[:min(len(list), 100)] {
		found := unknownName.FindStringSubmatch(e.Message)
		if found == nil || schema.Types[found[2]] == nil {
			continue
		}
		fields := schema.Types[found[2]].Fields
		known := func(name string) bool {
			if found[3] == "" {
				return fields.ForName(name) != nil
			}
			field := fields.ForName(found[3])
			return field != nil && field.Arguments.ForName(name) != nil
		}
		if names := documented.OurNames(found[1]); slices.ContainsFunc(names, known) {
			e.Message = found[0] + `. Did you mean "` + names[slices.IndexFunc(names, known)] + `"?`
		}
	}
}
