package docs

import (
	"cmp"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// The extension of the documents, the document whose page is at /docs/, and the file that the
// page of the REST routes shows.
const (
	markdown    = ".md"
	readme      = "README.md"
	openAPIFile = "internal/httpapi/routes/openapi.go"
)

// The paths below /docs/ of pages that are no documents.
const (
	searchPath = "search"
	restPath   = "rest"
	stylePath  = "style.css"
)

// page is a page below /docs/.
type page struct {
	// Path is its path below /docs/, "" for the first page.
	Path string
	// Source is the path of its Markdown or JSON below /docs/.
	Source string
	Title  string
	// About says what the page is for.
	About    string
	HTML     template.HTML
	Headings []heading
	sections []section
}

// heading is a heading of a page.
type heading struct {
	Level    int
	ID, Text string
}

// library has all pages.
type library struct {
	// pages are the pages of documents in their order, and that of the REST routes.
	pages  []*page
	byPath map[string]*page
	// files has the paths of all files in the repository, by their paths below /docs/.
	files map[string]string
	rest  *reference
	llms  []byte
}

// newLibrary reads and renders all documents.
func newLibrary(c Config) (*library, error) {
	l := &library{byPath: map[string]*page{}, files: map[string]string{}}
	err := fs.WalkDir(c.Files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if other, twice := l.files[located(name)]; twice {
			return fmt.Errorf("%s and %s have one path below /docs/", other, name)
		}
		l.files[located(name)] = name
		return nil
	})
	if err != nil {
		return nil, err
	}
	if l.rest, err = newReference(c.OpenAPI); err != nil {
		return nil, err
	}
	overview, err := fs.ReadFile(c.Files, readme)
	if err != nil {
		return nil, err
	}
	order, about := contents(string(overview))
	for at, name := range l.files {
		if path.Ext(name) != markdown {
			continue
		}
		p := &page{Path: pagePath(name), Source: at, About: about[name]}
		l.byPath[p.Path] = p
		l.pages = append(l.pages, p)
	}
	slices.SortFunc(l.pages, func(a, b *page) int {
		return cmp.Or(cmp.Compare(position(order, l.files[a.Source]), position(order, l.files[b.Source])), cmp.Compare(a.Path, b.Path))
	})
	for _, p := range l.pages {
		name := l.files[p.Source]
		text, err := fs.ReadFile(c.Files, name)
		if err == nil {
			err = p.render(l.relinked(name, text, true))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, reserved := range []string{searchPath, restPath, stylePath} {
		if l.byPath[reserved] != nil || l.files[reserved] != "" {
			return nil, fmt.Errorf("/docs/%s is a document, but that path is reserved", reserved)
		}
	}
	l.pages = append(l.pages, l.rest.page)
	l.llms = l.index(string(overview))
	return l, nil
}

// position returns the index of a name, or the number of names for an unknown one.
func position(names []string, name string) int {
	if i := slices.Index(names, name); i >= 0 {
		return i
	}
	return len(names)
}

// located returns the path below /docs/ of a file of the repository.
func located(name string) string { return strings.TrimPrefix(name, "docs/") }

// pagePath returns the path below /docs/ of a document's page.
func pagePath(name string) string {
	if name == readme {
		return ""
	}
	return strings.TrimSuffix(located(name), markdown)
}

// upFrom returns the relative URL of /docs/ at a path below it.
func upFrom(at string) string {
	return cmp.Or(strings.Repeat("../", strings.Count(at, "/")), "./")
}

var (
	tableRow = regexp.MustCompile(`(?m)^\| (.+?) \| (.+) \|$`)
	link     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
)

// contents reads the table of documents in README.md: their order, and what each is for.
func contents(text string) (order []string, about map[string]string) {
	order, about = []string{readme}, map[string]string{}
	for _, row := range tableRow.FindAllStringSubmatch(text, -1) {
		for _, target := range link.FindAllStringSubmatch(row[2], -1) {
			name, _, _ := strings.Cut(target[1], "#")
			if !slices.Contains(order, name) {
				order, about[name] = append(order, name), row[1]
			}
		}
	}
	return order, about
}

// relinked returns a document whose relative links lead to other pages, if paged, or otherwise to
// files at /docs. Links in code blocks, to other servers and to files that the binary does not
// contain stay as they are.
func (l *library) relinked(name string, text []byte, paged bool) []byte {
	inCode := false
	var changed strings.Builder
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			inCode = !inCode
		}
		if !inCode {
			line = link.ReplaceAllStringFunc(line, func(found string) string {
				target, anchor, _ := strings.Cut(found[len("]("):len(found)-1], "#")
				to := path.Join(path.Dir(name), target)
				at := located(to)
				switch {
				case to == openAPIFile && paged:
					at = l.rest.page.Path
				case to == openAPIFile:
					at = l.rest.page.Source
				case target == "" || l.files[at] != to:
					return found
				case path.Ext(to) == markdown && paged:
					at = pagePath(to)
				}
				if anchor != "" {
					anchor = "#" + anchor
				}
				return "](" + upFrom(located(name)) + at + anchor + ")"
			})
		}
		changed.WriteString(line)
	}
	return []byte(changed.String())
}

// index returns /llms.txt, in the form of llmstxt.org.
func (l *library) index(overview string) []byte {
	var text strings.Builder
	_, summary, _ := strings.Cut(overview, "\n\n")
	summary, _, _ = strings.Cut(summary, "\n\n")
	fmt.Fprintf(&text, "# Mintburn\n\n> %s\n\n## Documentation\n\n", strings.ReplaceAll(summary, "\n", " "))
	for _, p := range l.pages {
		about := ""
		if p.About != "" {
			about = ": " + p.About
		}
		fmt.Fprintf(&text, "- [%s](%s)%s\n", p.Title, path.Join("docs", p.Source), about)
	}
	return []byte(text.String())
}
