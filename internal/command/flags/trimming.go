package flags

import (
	"encoding"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// trimming is the mapper of a flag that drops white space around its value and around the
// items of a list, as the end of a line in a Kubernetes secret. Its errors say what is accepted.
type trimming struct {
	kong.Mapper
	flag *kong.Flag
	bool bool
}

// trimValues makes the flags of a command trim their values.
func trimValues(node *kong.Node) {
	for _, flag := range node.Flags {
		flag.Mapper = trimming{flag.Mapper, flag, flag.IsBool()}
	}
}

// IsBool implements [kong.BoolMapper].
func (t trimming) IsBool() bool { return t.bool }

// Decode implements [kong.Mapper].
func (t trimming) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	token := ctx.Scan.Peek()
	text, given := token.Value.(string)
	// The token after a boolean flag is another argument.
	if given = given && (!t.bool || token.Type == kong.FlagValueToken); given {
		text = trimmed(t.flag, text)
		ctx.Scan.Pop()
		ctx.Scan.PushTyped(text, token.Type)
	}
	err := t.Mapper.Decode(ctx, target)
	if want := wanted(t.flag.Target.Type()); err != nil && given && want != "" {
		return fmt.Errorf("got %q, want %s", text, want)
	}
	return err
}

// wanted describes the values of a flag whose type kong parses, or returns "".
func wanted(typ reflect.Type) string {
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	switch kind := typ.Kind(); {
	case reflect.PointerTo(typ).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return ""
	case typ == reflect.TypeFor[time.Duration]():
		return "a duration such as 30s"
	case kind == reflect.Bool:
		return "true or false"
	case kind == reflect.Int:
		return "an integer"
	case kind == reflect.Uint64:
		return "an integer from 0 to 2^64-1"
	case kind == reflect.Float64:
		return "a number"
	}
	return ""
}

// trimmed returns the text of a flag's value without white space around it and its items.
func trimmed(flag *kong.Flag, text string) string {
	if !flag.IsSlice() || flag.Tag.Sep == -1 {
		return strings.TrimSpace(text)
	}
	items := kong.SplitEscaped(text, flag.Tag.Sep)
	for i, item := range items {
		items[i] = strings.TrimSpace(item)
	}
	return kong.JoinEscaped(items, flag.Tag.Sep)
}
