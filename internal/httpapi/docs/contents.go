package docs

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Groups of README.md: that of the generated pages, and that for users of a server.
const (
	referenceGroup = "Reference"
	useGroup       = "Use the API"
)

// group is a group of pages in the navigation.
type group struct {
	Name  string
	Pages []*page
}

// entry is a document in the table of documents.
type entry struct{ name, group, about string }

var (
	tableRow = regexp.MustCompile(`(?m)^\| (?:\*\*(.+)\*\*|(.+?)) \| (.*)\|$`)
	link     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
)

// contents reads the table of documents in README.md, where the groups have rows.
func contents(text string) (list []entry) {
	_, text, _ = strings.Cut(text, "\n## Documentation\n")
	group := ""
	for _, row := range tableRow.FindAllStringSubmatch(text, -1) {
		if row[1] != "" {
			group = row[1]
		}
		for _, target := range link.FindAllStringSubmatch(row[3], -1) {
			name, _, _ := strings.Cut(target[1], "#")
			if !slices.ContainsFunc(list, func(e entry) bool { return e.name == name }) {
				list = append(list, entry{name, group, row[2]})
			}
		}
	}
	return list
}

// arranged returns the groups of the pages of documents, in the order of the table. A page
// that is not in the table is the last of the last group.
func arranged(pages []*page, table []entry) (groups []group) {
	for _, e := range table {
		if len(groups) == 0 || groups[len(groups)-1].Name != e.group {
			groups = append(groups, group{Name: e.group})
		}
		if i := slices.IndexFunc(pages, func(p *page) bool { return p.document == e.name }); i >= 0 {
			g := &groups[len(groups)-1]
			g.Pages = append(g.Pages, pages[i])
			pages[i].Group, pages[i].About = g.Name, e.about
		}
	}
	for _, p := range pages {
		if p.Group == "" && p.Path != "" && len(groups) > 0 {
			g := &groups[len(groups)-1]
			g.Pages = append(g.Pages, p)
			p.Group = g.Name
		}
	}
	return groups
}

// index returns /llms.txt, in the form of llmstxt.org.
func index(groups []group, overview string) []byte {
	var text strings.Builder
	_, summary, _ := strings.Cut(overview, "\n\n")
	summary, _, _ = strings.Cut(summary, "\n\n")
	fmt.Fprintf(&text, "# Mintburn\n\n> %s\n", strings.ReplaceAll(summary, "\n", " "))
	for _, g := range groups {
		fmt.Fprintf(&text, "\n## %s\n\n", g.Name)
		for _, p := range g.Pages {
			about := ""
			if p.About != "" {
				about = ": " + p.About
			}
			fmt.Fprintf(&text, "- [%s](%s)%s\n", p.Title, path.Join("docs", p.Source), about)
		}
	}
	return []byte(text.String())
}
