package docs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mintburn/internal/httpapi/openapi"
)

// reference shows the description of the REST routes. Routes are the operations of its paths, and
// Failures the responses that are errors or have no body. page is the page's place among the
// documents.
type reference struct {
	*openapi.Document
	Routes   []route
	Failures []failure
	page     *page
}

// route is an operation with its responses.
type route struct {
	openapi.Operation
	Path, Curl string
	// Success describes what the route answers with, Body. Failures are the other statuses.
	Success  string
	Body     openapi.Schema
	Failures []failure
}

// failure is a response that is an error or has no body.
type failure struct{ Status, Name, Description string }

// examples are values of path parameters and required parameters that the demo has data for.
var examples = map[string]string{
	"block_number_or_hash": "82",
	"address":              "0x5fbdb2315678afecb367f032d93f642f64180aa3",
	"token_id":             "124",
	"transaction_hash":     "0x3d54252e2bfff6dc0cf76fe017f9d478e1943fa6c92acdb67b209aa7ac0624d9",
	"from_block":           "1",
	"to_block":             "300",
	"keys":                 "0x5fbdb2315678afecb367f032d93f642f64180aa3:124",
}

// server is the address in examples, as in the documents.
const server = "http://127.0.0.1:8080"

// newReference fails if a response is not described, or a required parameter has no example.
func newReference(described *openapi.Document) (*reference, error) {
	d := &reference{Document: described, page: &page{Path: restPath, Source: "../openapi.json", Title: "REST reference", About: "look up a REST route, its parameters and its answers"}}
	d.page.Headings = []heading{{Level: 1, ID: "content", Text: d.page.Title}}
	for _, at := range d.Paths {
		r, err := d.route(at.Name, at.Value.Get)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", at.Name, err)
		}
		d.Routes = append(d.Routes, r)
		words := []string{r.Path}
		for _, p := range r.Parameters {
			words = append(words, p.Name+":", p.Description)
		}
		d.list(2, r.OperationID, r.Summary, strings.Join(words, " "))
	}
	d.list(2, "errors", "Errors", "")
	d.list(2, "types", "Types", "")
	for _, s := range d.Components.Schemas {
		words := []string{s.Value.Description}
		for _, p := range s.Value.Properties {
			words = append(words, p.Name+":", p.Value.Description)
		}
		d.list(3, "type-"+s.Name, s.Name, strings.Join(words, " "))
	}
	return d, nil
}

// list adds a heading to the table of contents, and the text below it to what is searched.
func (d *reference) list(level int, id, title, text string) {
	d.page.Headings = append(d.page.Headings, heading{Level: level, ID: id, Text: title})
	d.page.sections = append(d.page.sections, section{page: d.page, Heading: title, ID: id, text: text})
}

// route resolves the references of an operation.
func (d *reference) route(path string, o openapi.Operation) (route, error) {
	r, target := route{Path: path, Operation: o}, path
	for _, p := range o.Parameters {
		if !p.Required {
			continue
		}
		value := examples[p.Name]
		if value == "" {
			return r, fmt.Errorf("%s has no example", p.Name)
		}
		if p.In == "path" {
			target = strings.ReplaceAll(target, "{"+p.Name+"}", value)
			continue
		}
		mark := "&"
		if !strings.Contains(target, "?") {
			mark = "?"
		}
		target += mark + p.Name + "=" + value
	}
	r.Curl = "curl '" + server + target + "'"
	for _, status := range o.Responses {
		name := lastOf(status.Value.Ref)
		known, ok := d.Components.Responses.Get(name)
		if !ok {
			return r, fmt.Errorf("status %s is not described", status.Name)
		}
		if status.Name == "200" {
			r.Success, r.Body = known.Description, known.Content[0].Value.Schema
			continue
		}
		f := failure{status.Name, name, known.Description}
		r.Failures = append(r.Failures, f)
		if !slices.Contains(d.Failures, f) {
			d.Failures = append(d.Failures, f)
			slices.SortStableFunc(d.Failures, func(a, b failure) int { return cmp.Compare(a.Status, b.Status) })
		}
	}
	return r, nil
}

// lastOf returns the name at the end of a reference.
func lastOf(reference string) string { return reference[strings.LastIndex(reference, "/")+1:] }

// part is a part of a type's name. Type is the name of a described type, or "".
type part struct{ Text, Type string }

// TypeName returns the parts of the name of a schema's type.
func (d *reference) TypeName(s openapi.Schema) []part {
	switch {
	case s.Ref != "":
		return []part{{lastOf(s.Ref), lastOf(s.Ref)}}
	case s.Const != "":
		return []part{{Text: s.Const}}
	case len(s.Enum) > 0:
		return []part{{Text: strings.Join(s.Enum, " or ")}}
	case s.Items != nil:
		return append([]part{{Text: "array of "}}, d.TypeName(*s.Items)...)
	case len(s.AnyOf) > 0:
		var parts []part
		for i, option := range s.AnyOf {
			if i > 0 {
				parts = append(parts, part{Text: " or "})
			}
			parts = append(parts, d.TypeName(option)...)
		}
		return parts
	case s.Minimum != nil && s.Maximum != nil:
		return []part{{Text: fmt.Sprintf("%s, %d to %d", s.Type, *s.Minimum, *s.Maximum)}}
	default:
		return []part{{Text: cmp.Or(s.Type, "any")}}
	}
}
