package foreign

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/99designs/gqlgen/graphql"
)

// Date is a scalar with a function that appends it.
type Date int

// MarshalDate writes a date.
func MarshalDate(d Date) graphql.Marshaler { return text(string(AppendDate(nil, d))) }

// AppendDate appends the same bytes as MarshalDate.
func AppendDate(b []byte, d Date) []byte { return fmt.Appendf(b, `"day %d"`, d) }

// UnmarshalDate reads a date of at most 1000.
func UnmarshalDate(v any) (Date, error) {
	day, err := graphql.UnmarshalInt(v)
	if day == 666 {
		panic("a day of panic")
	}
	if err == nil && day > 1000 {
		err = errors.New("too late")
	}
	return Date(day), err
}

func text(s string) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) { _, _ = io.WriteString(w, s) })
}

// Money is a scalar that is written only by a function.
type Money float64

// MarshalMoney writes money.
func MarshalMoney(m Money) graphql.Marshaler { return text(fmt.Sprintf(`"$%.2f"`, m)) }

// UnmarshalMoney reads money.
func UnmarshalMoney(v any) (Money, error) {
	f, err := graphql.UnmarshalFloat(v)
	return Money(f), err
}

// Point is a scalar with a method that appends it.
type Point struct{ X, Y int }

// AppendGQL appends the same bytes as MarshalGQL.
func (p Point) AppendGQL(b []byte) []byte { return fmt.Appendf(b, "[%d,%d]", p.X, p.Y) }

// MarshalGQL implements [graphql.Marshaler].
func (p Point) MarshalGQL(w io.Writer) { _, _ = w.Write(p.AppendGQL(nil)) }

// UnmarshalGQL implements [graphql.Unmarshaler].
func (p *Point) UnmarshalGQL(any) error { return nil }

// Place is written differently from its embedded point.
type Place struct{ Point }

// MarshalGQL implements [graphql.Marshaler].
func (p Place) MarshalGQL(w io.Writer) { _, _ = fmt.Fprintf(w, `"%d/%d"`, p.X, p.Y) }

// UnmarshalGQL implements [graphql.Unmarshaler].
func (p *Place) UnmarshalGQL(any) error { return nil }

// Hex is a scalar that is written only by a method.
type Hex uint

// MarshalGQL implements [graphql.Marshaler].
func (h Hex) MarshalGQL(w io.Writer) { _, _ = fmt.Fprintf(w, `"%#x"`, uint(h)) }

// UnmarshalGQL implements [graphql.Unmarshaler].
func (h *Hex) UnmarshalGQL(any) error { return nil }

// Secret is a scalar that needs a context; an empty one cannot be written.
type Secret string

// MarshalSecret writes a secret.
func MarshalSecret(s Secret) graphql.ContextMarshaler {
	return graphql.ContextWriterFunc(func(ctx context.Context, w io.Writer) error {
		if s == "" {
			return errors.New("an empty secret")
		}
		graphql.MarshalString(graphql.GetOperationContext(ctx).RawQuery + strings.Repeat("*", len(s))).MarshalGQL(w)
		return nil
	})
}

// UnmarshalSecret reads a secret.
func UnmarshalSecret(_ context.Context, v any) (Secret, error) {
	s, err := graphql.UnmarshalString(v)
	return Secret(s), err
}

// Rank is a scalar whose method needs a context; 13 cannot be written.
type Rank int

// MarshalGQLContext implements [graphql.ContextMarshaler].
func (r Rank) MarshalGQLContext(_ context.Context, w io.Writer) error {
	if r == 13 {
		return errors.New("no such rank")
	}
	_, err := io.WriteString(w, strconv.Itoa(int(r)))
	return err
}

// UnmarshalGQLContext implements [graphql.ContextUnmarshaler].
func (r *Rank) UnmarshalGQLContext(context.Context, any) error { return nil }

// Blank is a scalar whose value 0 is null.
type Blank int

// MarshalBlank writes a blank.
func MarshalBlank(b Blank) graphql.Marshaler {
	if b == 0 {
		return graphql.Null
	}
	return graphql.MarshalInt(int(b))
}

// UnmarshalBlank reads a blank.
func UnmarshalBlank(v any) (Blank, error) {
	i, err := graphql.UnmarshalInt(v)
	return Blank(i), err
}

// Note is a scalar that needs a context; an empty note is null.
type Note string

// MarshalNote writes a note.
func MarshalNote(n Note) graphql.ContextMarshaler {
	if n == "" {
		return graphql.Null
	}
	return graphql.ContextWriterFunc(func(_ context.Context, w io.Writer) error {
		graphql.MarshalString(string(n)).MarshalGQL(w)
		return nil
	})
}

// UnmarshalNote reads a note.
func UnmarshalNote(_ context.Context, v any) (Note, error) {
	s, err := graphql.UnmarshalString(v)
	return Note(s), err
}

// Mark is a scalar whose function takes a pointer.
type Mark struct{ By string }

// MarshalMark writes a mark.
func MarshalMark(m *Mark) graphql.Marshaler { return graphql.MarshalString("by " + m.By) }

// UnmarshalMark reads a mark.
func UnmarshalMark(any) (*Mark, error) { return &Mark{}, nil }

// Code is a scalar with a function AppendCode that is not an appender of it.
type Code int

// MarshalCode writes a code.
func MarshalCode(c Code) graphql.Marshaler { return graphql.MarshalInt(int(c)) }

// UnmarshalCode reads a code.
func UnmarshalCode(v any) (Code, error) {
	i, err := graphql.UnmarshalInt(v)
	return Code(i), err
}

// AppendCode appends to a list of codes.
func AppendCode(list []Code, c Code) []Code { return append(list, c) }

// Level is an enum bound to constants.
type Level int

// The levels.
const (
	Low Level = iota
	High
)
