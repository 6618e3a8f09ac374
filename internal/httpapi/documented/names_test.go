package documented

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/testing/expect"
)

var code = regexp.MustCompile("`([^`]+)`")

// TestNames_Documented compares the names with the tables of docs/migrate.md: the rows whose
// first cells are only names.
func TestNames_Documented(t *testing.T) {
	text, err := os.ReadFile("../../../docs/migrate.md")
	expect.NoError(t, err)
	listed := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, " |")
		if len(cells) < 3 {
			continue
		}
		theirs, ours := code.FindAllStringSubmatch(cells[0], -1), code.FindAllStringSubmatch(cells[1], -1)
		for i, found := range theirs {
			name := found[1]
			listed[name] = true
			// Other rows explain more than a name.
			plain := regexp.MustCompile(`^\w+$`).MatchString(name) && strings.HasPrefix(cells[1], " `")
			if !plain || len(theirs) != len(ours) && !strings.Contains(cells[1], " or ") {
				continue
			}
			our := regexp.MustCompile(`^\w+`).FindString(ours[min(i, len(ours)-1)][1])
			if our != name && our != "GET" && !slices.Contains(OurNames(name), our) {
				t.Errorf("docs/migrate.md has %s for %s, the program %q", our, name, OurNames(name))
			}
		}
	}
	routes, err := os.ReadFile("../routes/routes.go")
	expect.NoError(t, err)
	for name := range foreignNames {
		if !strings.Contains(string(text), name) && !strings.Contains(string(routes), `{id: "`+name+`"`) {
			t.Errorf("neither docs/migrate.md nor routes.go has %s", name)
		}
	}
	if len(listed) < 80 {
		t.Errorf("%d names", len(listed))
	}
}
