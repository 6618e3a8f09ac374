package graph

import (
	"context"
	"strconv"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// object is a compiled selection on an object of type T: its steps in the
// order of the answer. It never changes and holds nothing of the document that
// it was compiled from.
type object[T any] []step[T]

// step writes one field: the response key, then the value, by write or else by
// ask.
type step[T any] struct {
	// key is what stands before the value: `"key":` or `,"key":`.
	key   string
	write func(b []byte, of T) []byte
	// ask is for values that may take a statement, or fail.
	ask func(ctx context.Context, b []byte, of T) ([]byte, error)
}

// append writes an object. After an error, what it has written is worthless.
func (o object[T]) append(ctx context.Context, b []byte, of T) (_ []byte, err error) {
	b = append(b, '{')
	for i := range o {
		s := &o[i]
		b = append(b, s.key...)
		if s.write != nil {
			b = s.write(b, of)
		} else if b, err = s.ask(ctx, b, of); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

// appendList writes a list of n objects.
func appendList[T any](ctx context.Context, b []byte, n int, o object[T], item func(i int) T) (_ []byte, err error) {
	b = append(b, '[')
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = o.append(ctx, b, item(i)); err != nil {
			return nil, err
		}
	}
	return append(b, ']'), nil
}

// compiler compiles one operation, for the values that its variables have in
// @skip and @include.
type compiler struct {
	operation *graphql.OperationContext
	// unknown says that there is something which only the generated code can
	// answer.
	unknown bool
}

// compile compiles a selection on the type of the first name in implements,
// the generated list of what the type is. Which fields count, in which order,
// and what is selected of those that occur twice is what gqlgen makes of it.
// field returns the step for a field without its key, or an empty step for a
// field that it does not know.
func compile[T any](c *compiler, selections ast.SelectionSet, implements []string, field func(graphql.CollectedField) step[T]) object[T] {
	fields := graphql.CollectFields(c.operation, selections, implements)
	o := make(object[T], 0, len(fields))
	for _, f := range fields {
		var s step[T]
		if f.Name == "__typename" {
			s = constant[T](`"` + implements[0] + `"`)
		} else {
			s = field(f)
		}
		c.unknown = c.unknown || s.write == nil && s.ask == nil || f.IsDeferred()
		s.key = `"` + f.Alias + `":`
		if len(o) > 0 {
			s.key = "," + s.key
		}
		o = append(o, s)
	}
	return o
}

// constant writes the same for each object.
func constant[T any](text string) step[T] {
	return step[T]{write: func(b []byte, _ T) []byte { return append(b, text...) }}
}

// compileOperation returns the program of an operation, or nil if the generated
// code is to answer it.
func compileOperation(o *graphql.OperationContext) object[request] {
	c := &compiler{operation: o}
	program := c.query()
	if c.unknown {
		return nil
	}
	return program
}

// query compiles the operation.
func (c *compiler) query() object[request] {
	return compile(c, c.operation.Operation.SelectionSet, queryImplementors, func(f graphql.CollectedField) step[request] {
		switch f.Name {
		case "mints":
			return c.mints(f)
		case "burns":
			return c.burns(f)
		case "tokenMetadata":
			return c.tokens(f)
		default:
			return step[request]{}
		}
	})
}

func appendInt[N int | uint64](b []byte, n N) []byte {
	if n < 0 {
		return strconv.AppendInt(b, int64(n), 10)
	}
	return strconv.AppendUint(b, uint64(n), 10)
}

func appendNull(b []byte) []byte { return append(b, "null"...) }

// appendName writes an enum value, which needs no escapes.
func appendName[T ~string](b []byte, name T) []byte {
	return append(append(append(b, '"'), name...), '"')
}

// appendString writes a string with gqlgen's escapes: U+007F and what follows
// it, valid or not, is left as it is.
func appendString(b []byte, text string) []byte {
	const digits = "0123456789ABCDEF"
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

// appendText writes a string that may be null.
func appendText(b []byte, text *string) []byte {
	if text == nil {
		return appendNull(b)
	}
	return appendString(b, *text)
}
