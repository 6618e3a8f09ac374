package evm_test

import (
	"testing"
	"unicode"
	"unicode/utf8"

	"mintburn/internal/evm"
)

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "",
		"plain text":                   "plain text",
		" two\r\n lines\t\v\f ":        "two lines",
		"\x1b]0;title\x07\x1b[31mred":  "]0;title [31mred",
		"\u009b31mred\u0085next\x7f":   "31mred next",
		"zero\x00byte":                 "zero byte",
		"a\u202egnp.exe\u2066b\u200ec": "a\uFFFDgnp.exe\uFFFDb\uFFFDc",
		"zero\u200bwidth\uFEFF\u00AD":  "zero\uFFFDwidth\uFFFD\uFFFD",
		"line\u2028paragraph\u2029end": "line paragraph end",
		"\uE000 private \U000E0041tag": "\uFFFD private \uFFFDtag",
		"bad \xff\xfe utf-8":           "bad \uFFFD\uFFFD utf-8",
		"Grüße, 世界 ✓ 🎉":                "Grüße, 世界 ✓ 🎉",
		"no\u00A0break\u3000space":     "no break space",
	} {
		if got := evm.Printable(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestPrintable_AllCharacters checks that the result is visible and stays the same.
func TestPrintable_AllCharacters(t *testing.T) {
	for r := range rune(unicode.MaxRune) {
		got := evm.Printable("a" + string(r) + "b")
		if !utf8.ValidString(got) || evm.Printable(got) != got {
			t.Fatalf("%U: got %q", r, got)
		}
		for _, r := range got {
			if r != unicode.ReplacementChar && r != ' ' && !unicode.IsPrint(r) && !unicode.Is(unicode.Zs, r) {
				t.Fatalf("got %q", got)
			}
		}
	}
}
