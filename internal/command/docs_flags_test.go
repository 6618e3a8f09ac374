package command

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"mintburn/internal/command/flags"
	"mintburn/internal/testing/expect"
)

// TestDocs_Flags checks that each flag has one row in docs/run.md, with its
// variable, its default and its commands.
func TestDocs_Flags(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "run.md"))
	expect.NoError(t, err)
	documented := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `--([a-z-]+)`<br>.*$").FindAllStringSubmatch(string(text), -1) {
		if documented[row[1]] != "" {
			t.Errorf("--%s has two rows", row[1])
		}
		documented[row[1]] = row[0]
	}
	for name, want := range flagRows(t) {
		if !strings.HasPrefix(documented[name], want) {
			t.Errorf("--%s: docs/run.md has %.120q, want %s", name, documented[name], want)
		}
		delete(documented, name)
	}
	for name := range documented {
		t.Errorf("docs/run.md has --%s, which no command has", name)
	}
}

// TestDocs_Variables checks that each MINTBURN_ variable in a document is that of a flag.
func TestDocs_Variables(t *testing.T) {
	t.Parallel()
	// FLAG and COMMAND_FLAG are placeholders; the others are those of examples and tests.
	var known []string
	for _, name := range []string{"FLAG", "COMMAND_FLAG", "URL", "KEY", "SEED", "REQUIRE_ALL"} {
		known = append(known, flags.Prefix+name)
	}
	root := model(t)
	for _, command := range append(root.Children, root.Node) {
		for _, flag := range command.Flags {
			own := strings.TrimPrefix(flags.Variable(flag.Name), flags.Prefix)
			known = append(known, flags.Prefix+own, flags.Prefix+"COMMAND_"+own, flags.Prefix+strings.ToUpper(command.Name)+"_"+own)
		}
	}
	files, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	expect.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		expect.NoError(t, err)
		for _, name := range regexp.MustCompile("MINTBURN_[A-Z_]*[A-Z]").FindAllString(string(text), -1) {
			if !slices.Contains(known, name) {
				t.Errorf("%s: no flag has the variable %s", file, name)
			}
		}
	}
}

// flagRows returns the beginning of each flag's row.
func flagRows(t *testing.T) map[string]string {
	t.Helper()
	commands := map[string][]string{}
	byName := map[string]*kong.Flag{}
	for _, command := range model(t).Children {
		for _, flag := range command.Flags {
			byName[flag.Name] = flag
			commands[flag.Name] = append(commands[flag.Name], command.Name)
		}
	}
	for _, flag := range model(t).Flags {
		if flag.Name != "help" && flag.Name != "version" {
			byName[flag.Name], commands[flag.Name] = flag, []string{"all"}
		}
	}
	rows := map[string]string{}
	for name, flag := range byName {
		variable := flags.Variable(name)
		if slices.Contains(flags.PerCommand, name) {
			variable = "MINTBURN_COMMAND_" + strings.TrimPrefix(variable, flags.Prefix)
		}
		byDefault := flag.Default
		if flag.IsBool() && byDefault == "" {
			byDefault = "off"
		}
		rows[name] = "| `--" + name + "`<br>`" + variable + "` | " + byDefault + " | " + strings.Join(commands[name], ", ") + " | "
		rows[name] = strings.ReplaceAll(rows[name], "|  |", "| |")
	}
	return rows
}
