package console

import (
	"strings"
	"testing"
)

func TestContinued(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"export mints":                     "mintburn export mints --after NEW",
		"export --after=OLD mints":         "mintburn export mints --after NEW",
		"export --after OLD mints":         "mintburn export mints --after NEW",
		"export mints --after":             "mintburn export mints --after NEW",
		"export --db o'clock? burns":       `mintburn export --db 'o'\''clock?' burns --after NEW`,
		"export --db a%b/c.db --to-block=": "mintburn export --db a%b/c.db --to-block= --after NEW",
	} {
		if got := Continued(strings.Fields(args), "NEW"); got != want {
			t.Errorf("%s: got %s, want %s", args, got, want)
		}
	}
	if got, want := Continued([]string{"export", "--db", "my data.db"}, "NEW"), "mintburn export --db 'my data.db' --after NEW"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
