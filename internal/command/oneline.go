package command

import (
	"regexp"
	"slices"
	"strings"

	"mintburn/internal/evm"
)

// addresses and assignments match what may contain secrets in the text of an error.
var (
	addresses   = regexp.MustCompile("[A-Za-z][A-Za-z0-9+.-]*://[^\\s\"'`]+")
	assignments = regexp.MustCompile(`(?i)(\w*(?:password|passwd|secret|token|key))(\s*=\s*)('[^']*'|"[^"]*"|[^\s&;,"'` + "`" + `]*[^\s&;,:"'` + "`" + `])`)
)

// oneLine returns the text of an error as one printable line without secrets. It joins the
// lines of an error, such as one for each host of a PostgreSQL address, and drops repetitions.
func oneLine(err error) string {
	var lines []string
	for line := range strings.Lines(err.Error()) {
		if line = evm.Printable(line); line != "" && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	text := strings.ReplaceAll(strings.Join(lines, "; "), ":; ", ": ")
	text = addresses.ReplaceAllStringFunc(text, func(address string) string {
		bare := strings.TrimRight(address, ".,:;)")
		if !strings.ContainsAny(bare, "@?#") {
			return address
		}
		return withoutSecrets("", bare) + address[len(bare):]
	})
	return assignments.ReplaceAllString(text, "${1}${2}"+hidden)
}
