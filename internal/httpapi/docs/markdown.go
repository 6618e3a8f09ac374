package docs

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

// converter renders as GitHub does. Style attributes would violate the policy.
var converter = goldmark.New(
	goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), extension.Linkify),
	goldmark.WithRendererOptions(html.WithUnsafe()),
)

// scrolling lets the keyboard scroll what may be wider than the page. It also makes cells of empty
// column titles, because screen readers would announce them.
var scrolling = strings.NewReplacer("<table>", `<div class="wide" tabindex="0"><table>`, "</table>", "</table></div>", "<pre>", `<pre tabindex="0">`, "<th></th>", "<td></td>")

// outline returns the headings of a document. used counts those with the same words, over the
// pages of the document.
func outline(document ast.Node, source []byte, used map[string]int) (list []heading) {
	for block := document.FirstChild(); block != nil; block = block.NextSibling() {
		title, ok := block.(*ast.Heading)
		if !ok {
			continue
		}
		words := words(block, source)
		start := bytes.LastIndexByte(source[:title.Lines().At(0).Start], '\n') + 1
		list = append(list, heading{title.Level, anchor(words, used), words, start})
	}
	return list
}

// parsed parses a document.
func parsed(source []byte) ast.Node { return converter.Parser().Parse(text.NewReader(source)) }

// render sets the title, the headings, the sections and the HTML of a page.
func (p *page) render(source []byte, used map[string]int) error {
	document := parsed(source)
	p.Headings = outline(document, source, used)
	if len(p.Headings) == 0 || p.Headings[0].Level != 1 {
		return errors.New("the first heading is not of level 1")
	}
	p.Title = p.Headings[0].Text
	for block := document.FirstChild(); block != nil; block = block.NextSibling() {
		if title, ok := block.(*ast.Heading); ok {
			h := p.Headings[len(p.sections)]
			title.SetAttributeString("id", []byte(h.ID))
			p.sections = append(p.sections, section{page: p, Heading: h.Text, ID: h.ID})
		} else if len(p.sections) > 0 {
			p.sections[len(p.sections)-1].text += words(block, source) + " "
		}
	}
	var written bytes.Buffer
	if err := converter.Renderer().Render(&written, source, document); err != nil {
		return err
	}
	p.HTML = template.HTML(scrolling.Replace(written.String())) //nolint:gosec // The documents are ours.
	return nil
}

// words returns the words of a block, without its markup.
func words(block ast.Node, source []byte) string {
	return strings.Join(strings.Fields(plain(block, source)), " ")
}

// plain returns the text of a block, without its markup.
func plain(block ast.Node, source []byte) string {
	var words strings.Builder
	// The walker returns no errors.
	_ = ast.Walk(block, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				words.Write(n.Segment.Value(source))
				if n.SoftLineBreak() {
					words.WriteByte(' ')
				}
			}
		case *ast.String:
			if entering {
				words.Write(n.Value)
			}
		case *ast.AutoLink:
			if entering {
				words.Write(n.Label(source))
			}
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			if entering {
				words.Write(n.Lines().Value(source))
			}
		case *ast.RawHTML, *ast.ListItem, *tables.TableCell:
			words.WriteByte(' ')
		}
		return ast.WalkContinue, nil
	})
	return words.String()
}

// anchor returns the id that GitHub gives to a heading. used counts the headings of the page with
// the same words.
func anchor(words string, used map[string]int) string {
	id := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', unicode.In(r, unicode.Letter, unicode.Mark, unicode.Number, unicode.Pc):
			return r
		}
		return -1
	}, strings.ToLower(words))
	used[id]++
	if n := used[id]; n > 1 {
		id = fmt.Sprintf("%s-%d", id, n-1)
	}
	return id
}
