package command

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// TestNewLog_Printable checks that no log contains control or bidirectional characters of an
// error.
func TestNewLog_Printable(t *testing.T) {
	for _, format := range []string{"text", "json"} {
		var out bytes.Buffer
		newLog(format, &out).Warn("following", "error", errors.New("\x1b]0;owned\x07 \u009b31m \u202etxt"), "in", "2s")
		if text := out.String(); strings.ContainsAny(text, "\x1b\x07\u009b\u202e") || !strings.Contains(text, "]0;owned") || !strings.Contains(text, "2s") {
			t.Errorf("%s: %q", format, text)
		}
	}
}
