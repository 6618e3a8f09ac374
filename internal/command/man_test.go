package command

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// TestManual checks that mandoc has no warnings about the manual page, and that it shows each
// command, flag and environment variable.
func TestManual(t *testing.T) {
	t.Parallel()
	var page bytes.Buffer
	expect.NoError(t, writeManual(&page, model(t)))
	if _, err := exec.LookPath("mandoc"); err != nil {
		chaintest.Absent(t, "mandoc is not installed")
	}
	shown := func(args ...string) string {
		process := exec.CommandContext(t.Context(), "mandoc", args...)
		process.Stdin = bytes.NewReader(page.Bytes())
		out, err := process.CombinedOutput()
		if err != nil {
			t.Errorf("mandoc %v: %v: %.2000s", args, err, out)
		}
		return string(out)
	}
	shown("-Tlint", "-Wwarning")
	// HTML does not break names at the end of a line.
	text := shown("-Thtml", "-Ofragment")
	for _, command := range model(t).Children {
		if want := `<code class="Cm">` + command.Name + "</code>"; !strings.Contains(text, want) {
			t.Errorf("the page has no command %s", command.Name)
		}
		_, own, _ := strings.Cut(text, `id="mintburn_`+command.Name+`"`)
		own, _, _ = strings.Cut(own, `<h2 class="Ss"`)
		for _, flag := range command.Flags {
			if !strings.Contains(own, `<code class="Fl">--`+flag.Name+"</code>") {
				t.Errorf("the page has no flag %s --%s", command.Name, flag.Name)
			}
			for _, name := range flag.Envs {
				if !strings.Contains(own, name) {
					t.Errorf("the page has no variable %s", name)
				}
			}
		}
	}
}
