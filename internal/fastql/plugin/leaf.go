package plugin

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/99designs/gqlgen/codegen/config"
	"github.com/99designs/gqlgen/codegen/templates"
)

// statement is code that appends a value to b.
type statement struct {
	code string
	// fails reports that the code may return an error.
	fails bool
}

// appenders maps the marshal functions of gqlgen's own scalars to code that appends
// the same bytes.
var appenders = map[string]string{
	"MarshalString":  "b = fastql.AppendString(b, string(%s))",
	"MarshalID":      "b = fastql.AppendString(b, string(%s))",
	"MarshalBoolean": "b = strconv.AppendBool(b, bool(%s))",
	"MarshalInt":     "b = strconv.AppendInt(b, int64(%s), 10)",
	"MarshalInt32":   "b = strconv.AppendInt(b, int64(%s), 10)",
	"MarshalInt64":   "b = strconv.AppendInt(b, int64(%s), 10)",
	"MarshalUint":    "b = strconv.AppendUint(b, uint64(%s), 10)",
	"MarshalUint32":  "b = strconv.AppendUint(b, uint64(%s), 10)",
	"MarshalUint64":  "b = strconv.AppendUint(b, uint64(%s), 10)",
}

const gqlgenScalars = "github.com/99designs/gqlgen/graphql"

// leaf returns the statement for a scalar or enum value named v, and reports
// false for a type that is left to gqlgen.
func leaf(ref *config.TypeReference, v string) (statement, bool) {
	if ref.IsOmittable || ref.HasEnumValues() || ref.IsPtrToPtr() || ref.IsPtrToSlice() || ref.IsPtrToIntf() || ref.IsMap() {
		return statement{}, false
	}
	s, ok := leafValue(ref, v)
	switch {
	case !ref.IsNilable() || !ok:
		return s, ok
	case ref.GQL.NonNull:
		return statement{fmt.Sprintf("if %s == nil { return nil, fastql.ErrUnwritten() }\n%s", v, s.code), true}, true
	default:
		return statement{fmt.Sprintf("if %s == nil {\nb = fastql.AppendNull(b)\n} else {\n%s\n}", v, s.code), s.fails}, true
	}
}

// leafValue returns the statement for a value that is not nil. The value is appended
// by the method AppendGQL of its type, by the function AppendX next to MarshalX,
// or else by its marshaler for gqlgen.
func leafValue(ref *config.TypeReference, v string) (statement, bool) {
	value := v
	switch {
	case ref.IsTargetNilable() && !ref.IsNilable():
		value = "&" + v
	case !ref.IsTargetNilable() && ref.IsNilable():
		value = "*" + v
	}
	if ref.CastType != nil {
		value = templates.CurrentImports.LookupType(ref.CastType) + "(" + value + ")"
	}
	marshal := ref.Marshaler
	switch {
	case ref.IsMarshaler && appends(ref.GO):
		return statement{fmt.Sprintf("b = %s.AppendGQL(b)", v), false}, true
	case ref.IsMarshaler && ref.IsContext:
		return failing("fastql.AppendContextMarshaler(ctx, b, %s, %t)", v, ref.GQL.NonNull)
	case ref.IsMarshaler:
		return failing("fastql.AppendMarshaler(b, %s, %t)", v, ref.GQL.NonNull)
	case marshal == nil:
		return statement{}, false
	case marshal.Pkg().Path() == gqlgenScalars && appenders[marshal.Name()] != "":
		return statement{fmt.Sprintf(appenders[marshal.Name()], value), false}, true
	case marshal.Pkg().Path() == gqlgenScalars && marshal.Name() == "MarshalFloatContext":
		return failing("fastql.AppendFloat(b, float64(%s))", value)
	}
	if function := appender(marshal); function != nil {
		return statement{fmt.Sprintf("b = %s(b, %s)", templates.Call(function), value), false}, true
	}
	if ref.IsContext {
		return failing("fastql.AppendContextMarshaler(ctx, b, %s(%s), %t)", templates.Call(marshal), value, ref.GQL.NonNull)
	}
	return failing("fastql.AppendMarshaler(b, %s(%s), %t)", templates.Call(marshal), value, ref.GQL.NonNull)
}

func failing(call string, args ...any) (statement, bool) {
	return statement{fmt.Sprintf("if b, err = %s; err != nil { return nil, err }", fmt.Sprintf(call, args...)), true}, true
}

// appends reports whether a type itself declares a method AppendGQL(b []byte) []byte.
// The method of an embedded type would append another value.
func appends(t types.Type) bool {
	named, ok := elem(t).(*types.Named)
	if !ok {
		return false
	}
	for method := range named.Methods() {
		if method.Name() == "AppendGQL" {
			return isAppender(method.Signature())
		}
	}
	return false
}

// appender returns the function AppendX(b []byte, v T) []byte in the package of
// MarshalX, or nil.
func appender(marshal *types.Func) *types.Func {
	name := "Append" + strings.TrimPrefix(marshal.Name(), "Marshal")
	function, ok := marshal.Pkg().Scope().Lookup(name).(*types.Func)
	if !ok || !isAppender(function.Signature(), marshal.Signature().Params().At(0).Type()) {
		return nil
	}
	return function
}

// isAppender reports whether a signature is func(b []byte, ...) []byte, with a
// parameter of each type after b.
func isAppender(s *types.Signature, values ...types.Type) bool {
	bytes := types.NewSlice(types.Typ[types.Byte])
	if s.Params().Len() != 1+len(values) || s.Results().Len() != 1 ||
		!types.Identical(s.Params().At(0).Type(), bytes) || !types.Identical(s.Results().At(0).Type(), bytes) {
		return false
	}
	for i, value := range values {
		if !types.Identical(s.Params().At(1+i).Type(), value) {
			return false
		}
	}
	return true
}
