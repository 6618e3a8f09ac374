package docs

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// openAPI is the description of the REST routes, as far as the page shows it.
type openAPI struct {
	Info       struct{ Description string }
	Paths      ordered[struct{ Get operation }]
	Components struct {
		Parameters map[string]parameter
		Responses  ordered[response]
		Schemas    ordered[schema]
	}
	// Routes are the operations of Paths, and Failures the responses that are errors or
	// have no body. page is the page's place among the documents.
	Routes   []route
	Failures []failure
	page     *page
}

// operation is a GET request. References are not resolved.
type operation struct {
	OperationID, Summary string
	Parameters           []parameter
	Responses            map[string]response
}

type parameter struct {
	Ref                   string `json:"$ref"`
	Name, In, Description string
	Required              bool
	Schema                schema
}

type response struct {
	Ref         string `json:"$ref"`
	Description string
	Content     map[string]struct{ Schema schema }
}

// schema is a JSON schema. Type is a name or a list of names.
type schema struct {
	Ref                                   string `json:"$ref"`
	Type, Const, Default                  any
	Description, Pattern                  string
	Minimum, Maximum, MaxLength, MaxItems *json.Number
	Enum                                  []any
	Items                                 *schema
	AnyOf                                 []schema
	Required                              []string
	Properties                            ordered[schema]
}

// ordered is a JSON object in the order of its names.
type ordered[T any] []named[T]

type named[T any] struct {
	Name  string
	Value T
}

// UnmarshalJSON reads an object.
func (o *ordered[T]) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		member := named[T]{Name: fmt.Sprint(name)}
		if err := d.Decode(&member.Value); err != nil {
			return err
		}
		*o = append(*o, member)
	}
	return nil
}

// route is an operation with its references resolved.
type route struct {
	Path, ID, Summary, Curl string
	Parameters              []parameter
	// Success is what the route answers with, and Failures the other statuses.
	Success  response
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

// newOpenAPI reads openapi.json. It fails if a reference leads nowhere, or a required parameter
// has no example.
func newOpenAPI(text []byte) (*openAPI, error) {
	d := &openAPI{page: &page{Path: restPath, Source: "../openapi.json", Title: "REST routes", About: "look up a REST route, its parameters and its answers"}}
	if err := json.Unmarshal(text, d); err != nil {
		return nil, err
	}
	if err := d.resolveFields(); err != nil {
		return nil, err
	}
	d.page.Headings = []heading{{1, "content", d.page.Title}}
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
		d.list(2, r.ID, r.Summary, strings.Join(words, " "))
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

// resolveFields replaces each field that is described by a field of another type.
func (d *openAPI) resolveFields() error {
	fields := map[string]schema{}
	for _, s := range d.Components.Schemas {
		for _, p := range s.Value.Properties {
			fields["#/components/schemas/"+s.Name+"/properties/"+p.Name] = p.Value
		}
	}
	for _, s := range d.Components.Schemas {
		for i, p := range s.Value.Properties {
			if !strings.Contains(p.Value.Ref, "/properties/") {
				continue
			}
			described, known := fields[p.Value.Ref]
			if !known {
				return fmt.Errorf("%s.%s is not described", s.Name, p.Name)
			}
			described.Description = cmp.Or(p.Value.Description, described.Description)
			s.Value.Properties[i].Value = described
		}
	}
	return nil
}

// list adds a heading to the table of contents, and the text below it to what is searched.
func (d *openAPI) list(level int, id, title, text string) {
	d.page.Headings = append(d.page.Headings, heading{level, id, title})
	d.page.sections = append(d.page.sections, section{page: d.page, Heading: title, ID: id, text: text, lower: strings.ToLower(text)})
}

// route resolves the references of an operation.
func (d *openAPI) route(path string, o operation) (route, error) {
	r := route{Path: path, ID: o.OperationID, Summary: o.Summary}
	target := path
	for _, p := range o.Parameters {
		if p.Ref != "" {
			known := false
			if p, known = d.Components.Parameters[lastOf(p.Ref)]; !known {
				return r, fmt.Errorf("a parameter is not described")
			}
		}
		r.Parameters = append(r.Parameters, p)
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
	for _, status := range slices.Sorted(maps.Keys(o.Responses)) {
		name := lastOf(o.Responses[status].Ref)
		i := slices.IndexFunc(d.Components.Responses, func(r named[response]) bool { return r.Name == name })
		if i < 0 {
			return r, fmt.Errorf("status %s is not described", status)
		}
		known := d.Components.Responses[i].Value
		if status == "200" {
			r.Success = known
			continue
		}
		f := failure{status, name, known.Description}
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

// Body returns the schema of the JSON that a route answers with, or of its text.
func (r response) Body() schema {
	if json, ok := r.Content["application/json"]; ok {
		return json.Schema
	}
	return r.Content["text/plain"].Schema
}

// part is a part of a type's name. Type is the name of a described type, or "".
type part struct{ Text, Type string }

// Name returns the parts of the name of a schema's type.
func (s schema) Name() []part {
	switch types, several := s.Type.([]any); {
	case s.Ref != "":
		return []part{{lastOf(s.Ref), lastOf(s.Ref)}}
	case s.Const != nil:
		return []part{{Text: fmt.Sprint(s.Const)}}
	case len(s.Enum) > 0:
		return joined(s.Enum)
	case s.Items != nil:
		return append([]part{{Text: "array of "}}, s.Items.Name()...)
	case len(s.AnyOf) > 0:
		var parts []part
		for i, option := range s.AnyOf {
			if i > 0 {
				parts = append(parts, part{Text: " or "})
			}
			parts = append(parts, option.Name()...)
		}
		return parts
	case several:
		return joined(types)
	case s.Type == nil:
		return []part{{Text: "any"}}
	}
	if s.Minimum != nil && s.Maximum != nil {
		return []part{{Text: fmt.Sprintf("%v, %v to %v", s.Type, *s.Minimum, *s.Maximum)}}
	}
	return []part{{Text: fmt.Sprint(s.Type)}}
}

// joined returns values with "or" between them.
func joined(values []any) []part {
	var names []string
	for _, v := range values {
		names = append(names, fmt.Sprint(v))
	}
	return []part{{Text: strings.Join(names, " or ")}}
}
