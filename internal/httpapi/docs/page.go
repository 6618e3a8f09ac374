package docs

import (
	"cmp"
	"html/template"
	"strings"
)

// The extension of the documents, the document that lists them, that of the front page, and the
// files that generated pages show.
const (
	markdown    = ".md"
	readme      = "README.md"
	front       = "docs/index.md"
	openAPIFile = "internal/httpapi/routes/openapi.go"
	schemaFile  = "schema.graphqls"
)

// schemaDocument is the document that [describe] makes of the schema.
const schemaDocument = "docs/" + "graphql.md"

// The paths below /docs/ of pages that are no documents.
const (
	searchPath = "search"
	restPath   = "rest"
	stylePath  = "style.css"
	scriptPath = "script.js"
)

// reserved are these paths.
var reserved = []string{searchPath, restPath, stylePath, scriptPath}

// split has the documents whose sections are pages of their own.
var split = []string{"docs/api.md", "docs/data.md", "docs/limits.md", schemaDocument}

// page is a page below /docs/.
type page struct {
	// Path is its path below /docs/, "" for the front page.
	Path string
	// Source is the path of its Markdown or JSON below /docs/.
	Source string
	Title  string
	// About says what the page is for, and Group where it is in the navigation.
	About, Group string
	// Parent is the page that it is a part of, or nil. Parts are its own parts.
	Parent *page
	Parts  []*page
	// Previous and Next are its neighbours in the order of the navigation, or nil.
	Previous, Next *page
	HTML           template.HTML
	Headings       []heading
	// Moved are headings that were on this page before, in their order.
	Moved    []moved
	sections []section
	// document is the file that it shows, and text its Markdown, with the links of the file.
	document string
	text     []byte
}

// heading is a heading of a page.
type heading struct {
	Level    int
	ID, Text string
	// start is where its line begins.
	start int
}

// section is the part of a page below a heading, up to the next heading.
type section struct {
	page        *page
	Heading, ID string
	text        string
}

// moved is a heading of another page.
type moved struct {
	heading
	// To is its URL below /docs/.
	To string
}

// Within reports whether the page is another one or a part of it.
func (p *page) Within(other *page) bool { return p == other || p.Parent == other }

// IsMarkdown reports whether the source is Markdown.
func (p *page) IsMarkdown() bool { return strings.HasSuffix(p.Source, markdown) }

// SourceName is the name of the source.
func (p *page) SourceName() string { return p.Source[strings.LastIndex(p.Source, "/")+1:] }

// IsAboutServer reports whether the examples of the page are for the server that shows it.
func (p *page) IsAboutServer() bool {
	return p.Path == "" || p.Group == useGroup || p.Group == referenceGroup
}

// located returns the path below /docs/ of a file of the repository.
func located(name string) string { return strings.TrimPrefix(name, "docs/") }

// pagePath returns the path below /docs/ of a document's page.
func pagePath(name string) string {
	if name == front {
		return ""
	}
	return strings.TrimSuffix(located(name), markdown)
}

// upFrom returns the relative URL of /docs/ at a path below it.
func upFrom(at string) string {
	return cmp.Or(strings.Repeat("../", strings.Count(at, "/")), "./")
}
