package console

import (
	"fmt"
	"net/url"
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

// OneLine returns the text of an error as one printable line without secrets. It joins the
// lines of an error, such as one for each host of a PostgreSQL address, and drops repetitions.
func OneLine(err error) string {
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
		return WithoutSecrets("", bare) + address[len(bare):]
	})
	return assignments.ReplaceAllString(text, "${1}${2}"+hidden)
}

// hidden replaces the parts of a URL that may be secret.
const hidden = "hidden"

// WithoutSecrets returns the value of a flag with possible secrets hidden: the user, password,
// query and fragment of a URL, and the path of a node's URL.
func WithoutSecrets(flag, text string) string {
	scheme, _, found := strings.Cut(text, "://")
	if !found {
		return text
	}
	u, err := url.Parse(text)
	if err != nil {
		return scheme + "://" + hidden
	}
	clean := u.Scheme + "://"
	if u.User != nil {
		clean += hidden + "@"
	}
	clean += u.Host
	switch path := u.EscapedPath(); {
	case !strings.HasSuffix(flag, "rpc"):
		clean += path
	case strings.Trim(path, "/") != "":
		clean += "/" + hidden
	}
	if u.RawQuery != "" || u.Fragment != "" {
		clean += "?" + hidden + "=" + hidden
	}
	return clean
}

// Count returns a number and what it counts, a noun whose plural ends in s.
func Count[N int | int64 | uint64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
