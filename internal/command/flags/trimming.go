package flags

import (
	"reflect"
	"strings"

	"github.com/alecthomas/kong"
)

// trimming is the mapper of a flag that drops white space around its value and around the
// items of a list, as the end of a line in a Kubernetes secret.
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
	// The token after a boolean flag is another argument.
	if text, ok := token.Value.(string); ok && (!t.bool || token.Type == kong.FlagValueToken) {
		ctx.Scan.Pop()
		ctx.Scan.PushTyped(trimmed(t.flag, text), token.Type)
	}
	return t.Mapper.Decode(ctx, target)
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
