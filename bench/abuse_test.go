package main

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"mintburn/internal/testing/expect"
)

// TestAbuse sends each abuse for a moment, and checks that another client still gets
// answers.
func TestAbuse(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server for each abuse")
	}
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc, and needs several addresses of this machine")
	}
	var out strings.Builder
	c := abuseCommand{For: 50 * time.Millisecond}
	expect.NoError(t, c.measure(t.Context(), program(t), t.TempDir(), &out))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 1+len(abuses("")) {
		t.Errorf("%d lines, want a heading and one for each abuse", len(lines))
	}
	for _, line := range lines[1:] {
		if !strings.Contains(line, " 0 of ") {
			t.Errorf("another client got no answer: %s", line)
		}
	}
	for abuse, answer := range map[string]string{
		"answers of 14 MB": "× 200,", "long alias ": "1 × 200 QUERY_TOO_COSTLY", "long alias, 1 MiB": "1 × 200 QUERY_TOO_COSTLY",
		"20,000 bad ids": "1 × 200 BAD_USER_INPUT", "batch of": "1 × 200 QUERY_TOO_COSTLY", "1,100 persisted": "1100 × 200",
		"names beside": "1 × 200,", "long images ": "1 × 200 QUERY_TOO_COSTLY", "long images, 3": "1 × 200 QUERY_TOO_COSTLY", "long documents that fit": "1 × 200,",
	} {
		if !strings.Contains(out.String(), "\n"+abuse) || !strings.Contains(out.String(), answer) {
			t.Errorf("%s: want %s in:\n%s", abuse, answer, &out)
		}
	}
}
