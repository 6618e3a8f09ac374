package fastql

import (
	"context"
	"math"
	"strconv"

	"github.com/99designs/gqlgen/graphql"
)

// AppendNull appends null.
func AppendNull(b []byte) []byte { return append(b, "null"...) }

// appendNull appends null where the schema allows it.
func appendNull(b []byte, nonNull bool) ([]byte, error) {
	if nonNull {
		return nil, errUnwritten
	}
	return AppendNull(b), nil
}

// AppendName appends the name of an enum value, which needs no escapes.
func AppendName[T ~string](b []byte, name T) []byte {
	return append(append(append(b, '"'), name...), '"')
}

// AppendFloat appends a float as gqlgen does. One that is not finite is an
// error there.
func AppendFloat(b []byte, f float64) ([]byte, error) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return nil, errUnwritten
	}
	return strconv.AppendFloat(b, f, 'g', -1, 64), nil
}

// buffer is an [io.Writer] that appends.
type buffer []byte

func (w *buffer) Write(b []byte) (int, error) {
	*w = append(*w, b...)
	return len(b), nil
}

// AppendMarshaler appends a value that can only write itself. nonNull says that
// the schema forbids null, which gqlgen's marshal functions return for some
// values.
func AppendMarshaler(b []byte, m graphql.Marshaler, nonNull bool) ([]byte, error) {
	if m == graphql.Null {
		return appendNull(b, nonNull)
	}
	w := buffer(b)
	m.MarshalGQL(&w)
	return w, nil
}

// AppendContextMarshaler is [AppendMarshaler] for a value that needs a context.
func AppendContextMarshaler(ctx context.Context, b []byte, m graphql.ContextMarshaler, nonNull bool) ([]byte, error) {
	if m == graphql.Null {
		return appendNull(b, nonNull)
	}
	w := buffer(b)
	if err := m.MarshalGQLContext(ctx, &w); err != nil {
		return nil, errUnwritten
	}
	return w, nil
}

// AppendString appends a string with gqlgen's escapes. U+007F and everything
// above it, valid or not, stays as it is.
func AppendString(b []byte, text string) []byte {
	const digits = "0123456789ABCDEF"
	if len(text) > growthStep {
		b = reserve(b, len(text)+2)
	}
	b = append(b, '"')
	start := 0
	for i := range len(text) {
		c := text[i]
		if c >= 0x20 && c != '\\' && c != '"' {
			continue
		}
		b = append(b, text[start:i]...)
		start = i + 1
		switch c {
		case '\t':
			b = append(b, `\t`...)
		case '\r':
			b = append(b, `\r`...)
		case '\n':
			b = append(b, `\n`...)
		case '\\', '"':
			b = append(b, '\\', c)
		default:
			b = append(b, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		}
	}
	return append(append(b, text[start:]...), '"')
}
