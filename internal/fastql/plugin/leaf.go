package plugin

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/99designs/gqlgen/codegen/config"
	"github.com/99designs/gqlgen/codegen/templates"
)

// appenders maps the marshal functions of gqlgen's own scalars to code that appends
// the same bytes.
var appenders = map[string]string{
	"MarshalString":  "b = fastql.AppendString(b, string(%s))",
	"MarshalID":      "b = fastql.AppendString(b, string(%s))",
	"MarshalBoolean": "b = strconv.AppendBool(b, bool(%s))",
	"MarshalUint64":  "b = strconv.AppendUint(b, uint64(%s), 10)",
	"MarshalInt64":   "b = strconv.AppendInt(b, int64(%s), 10)",
}

const gqlgenScalars = "github.com/99designs/gqlgen/graphql"

// leaf returns the code that appends a scalar or enum value named v to b.
func leaf(ref *config.TypeReference) string {
	if ref.IsNilable() {
		return fmt.Sprintf("if v == nil {\nb = fastql.AppendNull(b)\n} else {\n%s\n}", appendCall(ref, "*v", templates.Call))
	}
	return appendCall(ref, "v", templates.Call)
}

// appendCall returns the code that appends a value by the method AppendGQL of its type,
// or by the function AppendX next to MarshalX, which call names. It returns "" if there is
// neither.
func appendCall(ref *config.TypeReference, v string, call func(*types.Func) string) string {
	marshal := ref.Marshaler
	switch {
	case ref.IsMarshaler && appends(ref.GO):
		return fmt.Sprintf("b = %s.AppendGQL(b)", strings.TrimPrefix(v, "*"))
	case marshal == nil:
		return ""
	case marshal.Pkg().Path() == gqlgenScalars && appenders[marshal.Name()] != "":
		return fmt.Sprintf(appenders[marshal.Name()], v)
	}
	if function := appender(marshal); function != nil {
		return fmt.Sprintf("b = %s(b, %s)", call(function), v)
	}
	return ""
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
