package httpapi

import (
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/core"
)

// numberLiterals rewrites large integer literals of custom scalars as strings,
// which BigInt, Long and BlockNumberOrHash read just as well, and refuses every
// other number out of range. A document is validated once, before it is
// shared, so that it may be changed here.
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
