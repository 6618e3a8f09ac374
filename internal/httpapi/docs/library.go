package docs

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// library has all pages.
type library struct {
	groups []group
	// front is the front page, and pages are all pages in the order of the navigation.
	front  *page
	pages  []*page
	byPath map[string]*page
	// made has the Markdown that is not a file, by its path below /docs/.
	made map[string]*page
	// generated are the pages that are no documents.
	generated []*page
	// where has the path of the page with a heading, by document and id.
	where map[string]string
	// files has the paths of all files in the repository, by their paths below /docs/.
	files map[string]string
	rest  *reference
	llms  []byte
}

// newLibrary reads and renders all documents.
func newLibrary(c Config) (*library, error) {
	l := &library{byPath: map[string]*page{}, made: map[string]*page{}, where: map[string]string{}, files: map[string]string{}}
	if err := l.list(c.Files); err != nil {
		return nil, err
	}
	overview, err := fs.ReadFile(c.Files, readme)
	if err != nil {
		return nil, err
	}
	if l.rest, err = newReference(c.OpenAPI); err != nil {
		return nil, err
	}
	var documents []*page
	for _, at := range slices.Sorted(maps.Keys(l.files)) {
		name := l.files[at]
		if path.Ext(name) != markdown {
			continue
		}
		p := &page{Path: pagePath(name), Source: at, document: name}
		if p.text, err = fs.ReadFile(c.Files, name); err != nil {
			return nil, err
		}
		documents = append(documents, p)
	}
	if schema, err := fs.ReadFile(c.Files, schemaFile); err == nil {
		p := &page{Path: pagePath(schemaDocument), Source: located(schemaDocument), About: "look up a query, a type, an argument or a price", document: schemaDocument}
		if p.text, err = describe(string(schema), documents); err != nil {
			return nil, err
		}
		l.files[p.Source], l.made[p.Source] = schemaDocument, &page{document: schemaDocument, text: p.text}
		l.generated = append(l.generated, p)
	}
	for _, p := range slices.Concat(documents, l.generated) {
		l.divide(p)
	}
	for _, p := range slices.Concat(documents, l.generated) {
		used := map[string]int{}
		for _, p := range append([]*page{p}, p.Parts...) {
			l.byPath[p.Path] = p
			if err := p.render(l.relinked(p.document, p.Path, p.text, true), used); err != nil {
				return nil, fmt.Errorf("%s: %w", p.Source, err)
			}
		}
	}
	for _, at := range reserved {
		if l.byPath[at] != nil || l.files[at] != "" {
			return nil, fmt.Errorf("/docs/%s is a document, but that path is reserved", at)
		}
	}
	if l.front = l.byPath[""]; l.front == nil {
		return nil, fmt.Errorf("there is no %s", front)
	}
	l.generated = append(l.generated, l.rest.page)
	l.arrange(documents, string(overview))
	l.llms = index(l.groups, string(overview))
	return l, nil
}

// list finds the files.
func (l *library) list(files fs.FS) error {
	return fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if other, twice := l.files[located(name)]; twice {
			return fmt.Errorf("%s and %s have one path below /docs/", other, name)
		}
		l.files[located(name)] = name
		return nil
	})
}

// divide makes parts of the sections of a document, if it is one of [split], and notes where its
// headings are.
func (l *library) divide(p *page) {
	headings := outline(parsed(p.text), p.text, map[string]int{})
	at := p
	for i, h := range headings {
		if h.Level == 2 && slices.Contains(split, p.document) {
			end := len(p.text)
			if next := slices.IndexFunc(headings[i+1:], func(h heading) bool { return h.Level <= 2 }); next >= 0 {
				end = headings[i+1+next].start
			}
			at = &page{Path: p.Path + "/" + h.ID, Source: p.Path + "/" + h.ID + markdown, document: p.document, Parent: p, text: promoted(p.text[h.start:end])}
			p.Parts = append(p.Parts, at)
			l.made[at.Source] = at
		}
		l.where[p.document+"#"+h.ID] = at.Path
		if at != p {
			p.Moved = append(p.Moved, moved{h, l.at(p.document, h.ID)})
		}
	}
	if len(p.Parts) > 0 {
		p.text = p.text[:headings[1].start]
	}
}

// at returns the URL below /docs/ of a heading of a document. The heading of a part is the part.
func (l *library) at(document, id string) string {
	at, ok := l.where[document+"#"+id]
	if !ok {
		at = pagePath(document)
	}
	if id == "" || at != pagePath(document) && path.Base(at) == id {
		return at
	}
	return at + "#" + id
}

// promoted returns Markdown whose headings are one level higher.
func promoted(text []byte) []byte {
	return eachLine(text, func(line string) string {
		if strings.HasPrefix(line, "##") {
			return line[1:]
		}
		return line
	})
}

// eachLine changes the lines of Markdown that are not in a block of code.
func eachLine(text []byte, change func(string) string) []byte {
	inCode := false
	var changed strings.Builder
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			inCode = !inCode
		}
		if !inCode {
			line = change(line)
		}
		changed.WriteString(line)
	}
	return []byte(changed.String())
}

// arrange puts the pages into the groups of README.md, and those that are no documents before the
// others of their group.
func (l *library) arrange(documents []*page, overview string) {
	l.groups = arranged(documents, contents(overview))
	at := slices.IndexFunc(l.groups, func(g group) bool { return g.Name == referenceGroup })
	if at < 0 {
		at, l.groups = len(l.groups), append(l.groups, group{Name: referenceGroup})
	}
	for _, p := range l.generated {
		p.Group = referenceGroup
	}
	l.groups[at].Pages = slices.Concat(l.generated, l.groups[at].Pages)
	l.pages = []*page{l.front}
	for _, g := range l.groups {
		for _, p := range g.Pages {
			for _, part := range p.Parts {
				part.Group = p.Group
			}
			l.pages = append(append(l.pages, p), p.Parts...)
		}
	}
	for i, p := range l.pages[1:] {
		p.Previous, l.pages[i].Next = l.pages[i], p
	}
	// The front page was README.md.
	for _, h := range l.byPath[strings.TrimSuffix(readme, markdown)].Headings {
		l.front.Moved = append(l.front.Moved, moved{h, l.at(readme, h.ID)})
	}
}

// relinked returns Markdown of a document, to be read at a path below /docs/. Its relative links lead to
// other pages, if paged, or otherwise to files at /docs. Links in code blocks, to other servers
// and to files that the binary does not contain stay as they are.
func (l *library) relinked(document, from string, text []byte, paged bool) []byte {
	return eachLine(text, func(line string) string {
		return link.ReplaceAllStringFunc(line, func(found string) string {
			target, anchor, _ := strings.Cut(found[len("]("):len(found)-1], "#")
			to := document
			if target != "" {
				to = path.Join(path.Dir(document), target)
			}
			at := located(to)
			switch {
			case to == openAPIFile && paged:
				at = l.rest.page.Path
			case to == openAPIFile:
				at = l.rest.page.Source
			case to == schemaFile && paged && document != schemaDocument && l.files[located(schemaDocument)] != "":
				at = l.at(schemaDocument, "")
			case l.files[at] != to:
				return found
			case path.Ext(to) == markdown && paged:
				at = l.at(to, anchor)
				anchor = ""
			}
			if anchor != "" {
				at += "#" + anchor
			}
			if here, within := strings.CutPrefix(at, from+"#"); within {
				return "](#" + here + ")"
			}
			return "](" + upFrom(from) + at + ")"
		})
	})
}
