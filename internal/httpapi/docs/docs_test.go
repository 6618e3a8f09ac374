package docs_test

import (
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"mintburn/internal/httpapi/docs"
	"mintburn/internal/httpapi/openapi"
	"mintburn/internal/testing/expect"
)

const overview = `# Mintburn

An API for
NFTs.

## Try it

## Documentation

| you want to | read |
| --- | --- |
| **Start** | |
| count | [counting](docs/count-it.md) |
| **Reference** | |
| know all | [docs/api.md](docs/api.md) |
| **Project** | |
| see | [docs/see-it.md](docs/see-it.md#the-list) |
`

const see = "# See\n\n[one](#the-list) [two](count-it.md#one--c) [three](../README.md) [four](../ops/x.yaml) [five](https://example.org) [six](gone.md) [eight](api.md#deep) [nine](api.md#lists) [ten](api.md#the-api) [seven](../internal/httpapi/routes/openapi.go)\n\n" +
	"## The `list`\n\nIt is <b>bold</b> & short.\n\n## The list\n\n```text\n[code](count-it.md)\n```\n\n| a | b |\n| --- | ---: |\n| 1<br>2 | 3 |\n\n![A picture](images/p.webp)\n"

// api is a document whose sections are pages of their own.
const api = "# The API\n\nSee [lists](#lists).\n\n## Lists\n\n[here](#deep), [there](#lists-1), [up](see-it.md#the-list), [all](api.md)\n\n```text\n## no heading\n```\n\n### Deep\n\nWater.\n\n## Lists\n\nMore.\n"

var someFiles = fstest.MapFS{
	"README.md":          {Data: []byte(overview)},
	"docs/index.md":      {Data: []byte("# Documentation\n\nWelcome.\n")},
	"docs/api.md":        {Data: []byte(api)},
	"docs/see-it.md":     {Data: []byte(see)},
	"docs/count-it.md":   {Data: []byte("# Count\n\n## One & c.\n\nWords like list <script>alert(1)</script>.\n")},
	"docs/an-other.md":   {Data: []byte("# Another\n\nNot in the table.\n")},
	"docs/images/p.webp": {Data: []byte("RIFF")},
	"ops/x.yaml":         {Data: []byte("a: 1\n")},
	"examples/README.md": {Data: []byte("# Examples\n\n[up](../docs/see-it.md)\n")},
}

// someRoute describes a route with each kind of types.
func someRoute() *openapi.Document {
	d := &openapi.Document{}
	fields := openapi.Map[openapi.Schema]{}
	fields.Add("of", openapi.Nullable(openapi.List(openapi.To("Thing"), 9)))
	fields.Add("n", openapi.Integer(0, 7).About("A <number>."))
	fields.Add("kind", openapi.Schema{Const: "one"})
	fields.Add("any", openapi.Schema{})
	d.Components.Schemas.Add("Thing", openapi.Object(fields))
	d.Components.Schemas.Add("Id", openapi.String("^[0-9]$", 1))
	d.Components.Responses.Add("Thing", openapi.Response{Description: "A thing.", Content: openapi.Map[openapi.Media]{{Name: "application/json", Value: openapi.Media{Schema: openapi.To("Thing")}}}})
	d.Components.Responses.Add("Gone", openapi.Response{Description: "It is gone."})
	o := openapi.Operation{OperationID: "mintsByBlock", Summary: "Mints", Parameters: []openapi.Parameter{
		{Name: "block_number_or_hash", In: "path", Required: true, Schema: openapi.To("Id")},
		{Name: "from_block", In: "query", Required: true}, {Name: "to_block", In: "query", Required: true},
		{Name: "order", In: "query", Schema: openapi.Schema{Type: "string", Enum: []string{"ASC", "DESC"}}.Or("ASC")},
	}}
	o.Responses.Add("200", openapi.Reference{Ref: "#/components/responses/Thing"})
	o.Responses.Add("410", openapi.Reference{Ref: "#/components/responses/Gone"})
	d.Paths.Add("/v1/block/{block_number_or_hash}/nft/mints", openapi.Path{Get: o})
	return d
}

func newDocs(files fs.FS) http.Handler {
	return docs.New(docs.Config{Files: files, OpenAPI: someRoute(), Log: slog.New(slog.DiscardHandler)})
}

func get(h http.Handler, method, target string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestDocs_Responses(t *testing.T) {
	const page, plain = "text/html; charset=utf-8", "text/plain; charset=utf-8"
	h := newDocs(someFiles)
	for _, test := range []struct {
		target, wantType string
		status           int
	}{
		{"/docs/", page, 200}, {"/docs/see-it", page, 200}, {"/docs/examples/README", page, 200}, {"/docs/rest", page, 200}, {"/docs/search", page, 200}, {"/docs/search?q=list", page, 200},
		{"/docs/search?q=" + strings.Repeat("%C3%A9", 100), page, 200}, {"/docs/search?q=" + strings.Repeat("x", 101), page, 400}, {"/docs/search?q=%ff%00(", page, 200},
		{"/docs/see-it.md", "text/markdown; charset=utf-8", 200}, {"/docs/README.md", "text/markdown; charset=utf-8", 200}, {"/docs/ops/x.yaml", plain, 200}, {"/llms.txt", plain, 200},
		{"/docs/images/p.webp", "image/webp", 200}, {"/docs/style.css", "text/css; charset=utf-8", 200}, {"/docs/script.js", "text/javascript; charset=utf-8", 200},
		{"/docs/api/lists", page, 200}, {"/docs/api/lists.md", "text/markdown; charset=utf-8", 200}, {"/docs/api/lists-1", page, 200}, {"/docs/api%2Flists", page, 404}, {"/docs/api/deep", page, 404},
		{"/docs/a%2fb", page, 404}, {"/docs/examples%2FREADME", page, 404}, {"/docs/images%2fp.webp", page, 404}, {"/docs/" + strings.Repeat("a/", 20), page, 404}, {"/docs/see%2Dit", page, 200},
		{"/docs/gone", page, 404}, {"/docs/see-it/", page, 404}, {"/docs/images", page, 404}, {"/docs/ops/..%2F..%2Fgo.mod", page, 404}, {"/docs/docs/see-it.md", page, 404},
	} {
		w := get(h, "GET", test.target)
		if w.Code != test.status || w.Header().Get("Content-Type") != test.wantType || w.Header().Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: status %d, %v, want %d, %s", test.target, w.Code, w.Header(), test.status, test.wantType)
		}
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin"} {
			expect.Equal(t, test.target+": "+name, want, w.Header().Get(name))
		}
		if policy := w.Header().Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'; script-src 'self'; style-src 'self';") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: policy %q", test.target, policy)
		}
		if tag := w.Header().Get("ETag"); test.status == 200 {
			if again := get(h, "GET", test.target, "If-None-Match", tag); again.Code != http.StatusNotModified || again.Body.Len() > 0 {
				t.Errorf("%s: status %d, want 304", test.target, again.Code)
			}
		} else if tag != "" {
			t.Errorf("%s: an error has the tag %s", test.target, tag)
		}
	}
	if w := get(h, "GET", "/docs"); w.Code != http.StatusMovedPermanently || w.Header().Get("Location") != "docs/" {
		t.Errorf("/docs: status %d, %v", w.Code, w.Header())
	}
	if w := get(h, "GET", "/docs/rest", "Accept-Encoding", "gzip"); w.Header().Get("Content-Encoding") != "gzip" {
		t.Errorf("/docs/rest: %v", w.Header())
	}
}

// TestDocs_Page checks the links, the ids and the list of pages.
func TestDocs_Page(t *testing.T) {
	h := newDocs(someFiles)
	body := get(h, "GET", "/docs/see-it").Body.String()
	for _, want := range []string{
		`<h2 id="the-list">The <code>list</code></h2>`, `<h2 id="the-list-1">The list</h2>`, `<b>bold</b> &amp; short`, `<div class="wide" tabindex="0"><table>`, `<td align="right">3</td>`,
		`<a href="#the-list">one</a>`, `<a href="./count-it#one--c">two</a>`, `<a href="./README">three</a>`, `<a href="./api/lists#deep">eight</a>`, `<a href="./api/lists">nine</a>`, `<a href="./api#the-api">ten</a>`, `<a href="./ops/x.yaml">four</a>`, `<a href="https://example.org">five</a>`, `<a href="gone.md">six</a>`, `<a href="./rest">seven</a>`,
		"[code](count-it.md)", `<img src="./images/p.webp" alt="A picture">`, `<a href="./see-it.md">This page as Markdown</a>`, `<a href="./see-it" aria-current="page">See</a>`, `<a href="../explore">Explore</a>`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("/docs/see-it has no %s: %s", want, body)
		}
	}
	var titles []string
	for _, found := range regexp.MustCompile(`<li><a href="[^"#]+"[^>]*>(.*?)</a></li>`).FindAllStringSubmatch(body, -1) {
		titles = append(titles, found[1])
	}
	expect.Equal(t, "pages", []string{"Documentation", "Count", "REST reference", "The API", "See", "Mintburn", "Another", "Examples"}, titles)
	if text := get(h, "GET", "/docs/examples/README").Body.String(); !strings.Contains(text, `<a href="../see-it">up</a>`) || !strings.Contains(text, `href="../style.css"`) || !strings.Contains(text, `href="../../explore"`) {
		t.Error(text)
	}
	if text := get(h, "GET", "/docs/examples/README.md").Body.String(); !strings.Contains(text, "[up](../see-it.md)") {
		t.Error(text)
	}
	if text := get(h, "GET", "/docs/see-it.md").Body.String(); !strings.Contains(text, "[three](./README.md)") || !strings.Contains(text, "[seven](./../openapi.json)") {
		t.Error(text)
	}
	want := "# Mintburn\n\n> An API for NFTs.\n\n## Start\n\n- [Count](docs/count-it.md): count\n\n## Reference\n\n- [REST reference](openapi.json): look up a REST route, its parameters and its answers\n- [The API](docs/api.md): know all\n\n" +
		"## Project\n\n- [See](docs/see-it.md): see\n- [Mintburn](docs/" + "README.md)\n- [Another](docs/an-other.md)\n- [Examples](docs/examples/README.md)\n"
	expect.Equal(t, "/llms.txt", want, get(h, "GET", "/llms.txt").Body.String())
}

// TestDocs_Parts checks the pages of a document's sections, and that its own page leads to them.
func TestDocs_Parts(t *testing.T) {
	h := newDocs(someFiles)
	for target, wants := range map[string][]string{
		"/docs/api":          {`<p>See <a href="./api/lists">lists</a>.</p>`, `<li class="level-2" id="lists"><a href="./api/lists">Lists</a></li>`, `<li class="level-3" id="deep"><a href="./api/lists#deep">Deep</a></li>`, `id="lists-1"><a href="./api/lists-1">`},
		"/docs/api/lists":    {`<h1 id="lists">Lists</h1>`, `<h2 id="deep">Deep</h2>`, `<a href="#deep">here</a>, <a href="../api/lists-1">there</a>, <a href="../see-it#the-list">up</a>, <a href="../api">all</a>`, "## no heading", "<title>Lists · The API · Mintburn</title>", `<a rel="next" href="../api/lists-1">`, `href="../api/lists.md"`, `<a href="../api/lists" aria-current="page">`},
		"/docs/api/lists-1":  {`<h1 id="lists-1">Lists</h1>`, `<a rel="prev" href="../api/lists">`},
		"/docs/api/lists.md": {"# Lists\n\n[here](../api.md#deep), [there](../api.md#lists-1), [up](../see-it.md#the-list), [all](../api.md)\n\n```text\n## no heading\n```\n\n## Deep\n"},
		"/docs/":             {`<span id="try-it"><a href="./README#try-it">Try it</a></span>`, `<li><a href="./count-it">Count</a> count</li>`},
	} {
		body := get(h, "GET", target).Body.String()
		for _, want := range wants {
			if !strings.Contains(body, want) {
				t.Errorf("%s has no %s: %s", target, want, body)
			}
		}
	}
}

// TestDocs_Reference checks the page of the REST routes.
func TestDocs_Reference(t *testing.T) {
	body := get(newDocs(someFiles), "GET", "/docs/rest").Body.String()
	for _, want := range []string{
		`<h2 id="mintsByBlock">Mints</h2>`, `curl &#39;http://127.0.0.1:8080/v1/block/82/nft/mints?from_block=1&amp;to_block=300&#39;`, `<td><code>block_number_or_hash</code><br>required</td><td><a href="#type-Id">Id</a></td>`,
		`<td>ASC or DESC<br>default ASC</td>`, `200: <a href="#type-Thing">Thing</a>. A thing. Other statuses: <a href="#failure-Gone">410</a>.`, `<tr id="failure-Gone"><td>410</td><td>It is gone.</td>`,
		`<td>array of <a href="#type-Thing">Thing</a> or null</td>`, `<td>integer, 0 to 7</td><td>A &lt;number&gt;.</td>`, `<td>one</td>`, `<td>any</td>`, `<p>string, <code>^[0-9]$</code>.</p>`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("/docs/rest has no %s: %s", want, body)
		}
	}
}

const someSchema = `"About it."
schema { query: Query subscription: Subscription }
type Subscription { thing: Thing }
type Query {
  "Lists things. BLOCK_NOT_INDEXED without them."
  things("How many, a|b." first: Int = 3 "Where." after: Cursor only: [Cursor!]): ThingConnection
  "One thing."
  thing: Thing
}
"A place."
scalar Cursor
interface Node { id: ID! }
type ThingConnection { data: [Thing!]! totalItems: Int! pageInfo: Int }
type Thing implements Node { id: ID! kind: Kind "Some." parts(first: Int): [Part!] }
type Part { of: Thing }
enum Kind { "The first." ONE }
`

// TestDocs_Schema checks the reference of a schema: its prices, errors, examples and links.
func TestDocs_Schema(t *testing.T) {
	files := maps.Clone(someFiles)
	files["schema.graphqls"] = &fstest.MapFile{Data: []byte(someSchema)}
	files["docs/see-it.md"] = &fstest.MapFile{Data: []byte("# See\n\n[schema](../schema.graphqls)\n\n```graphql\n{ thing { id } }\n```\n\n```json\n{\n  \"errors\": []}\n```\n\n```graphql\n{ nothing }\n```\n\n```graphql\n{ thing { kind } }\n```\n")}
	h := newDocs(files)
	for target, wants := range map[string][]string{
		"/docs/see-it":               {`<a href="./graphql">schema</a>`},
		"/docs/see-it.md":            {"[schema](./schema.graphqls)"},
		"/docs/graphql":              {`<a href="./schema.graphqls">schema.graphqls</a>`, `<li class="level-2" id="query-things"><a href="./graphql/query-things">Query: things</a></li>`, `<li class="level-3" id="kind"><a href="./graphql/enums#kind">Kind</a></li>`},
		"/docs/graphql.md":           {"# GraphQL reference\n", "\n## Query: things\n", "\n## Scalars\n"},
		"/docs/graphql/query-things": {"<title>Query: things · GraphQL reference · Mintburn</title>", "costs 20 plus 1 for every 10 items plus 10 for each value of <code>only</code>", `<td>How many, a|b.</td>`, `<td><code>Int</code> = <code>3</code></td>`, `<a href="../graphql/scalars#cursor"><code>[Cursor!]</code></a>`, `<code>BAD_USER_INPUT</code>, <code>INVALID_CURSOR</code>, <code>BLOCK_NOT_INDEXED</code>.`},
		"/docs/graphql/query-thing":  {"{ thing { kind } }", "which costs 21", `Returns <a href="../graphql/type-thing"><code>Thing</code></a>`, "of this field: none."},
		"/docs/graphql/type-thing":   {`Implements <a href="../graphql/interfaces#node"><code>Node</code></a>`, `<h2 id="part">Part</h2>`, "Arguments of <code>parts</code>"},
		"/docs/graphql/enums":        {"<td><code>ONE</code></td>\n<td>The first.</td>"},
	} {
		body := get(h, "GET", target).Body.String()
		for _, want := range wants {
			if !strings.Contains(body, want) {
				t.Errorf("%s has no %s: %s", target, want, body)
			}
		}
	}
	files["schema.graphqls"] = &fstest.MapFile{Data: []byte("type {")}
	if w := get(newDocs(files), "GET", "/docs/"); w.Code != http.StatusInternalServerError {
		t.Errorf("no schema: status %d", w.Code)
	}
}

// TestDocs_Search checks what a search finds, in which order, and that nothing in a query or a
// document becomes HTML.
func TestDocs_Search(t *testing.T) {
	h := newDocs(someFiles)
	found := func(query string) (links []string) {
		body := get(h, "GET", "/docs/search?q="+query).Body.String()
		for _, l := range regexp.MustCompile(`(?s)<li><a href="([^"]+#[^"]+)">`).FindAllStringSubmatch(body, -1) {
			links = append(links, l[1])
		}
		return links
	}
	expect.Equal(t, "list", []string{"./api/lists#lists", "./api/lists-1#lists-1", "./see-it#the-list", "./see-it#the-list-1", "./api/lists#deep", "./count-it#one--c", "./api#the-api"}, found("LIST"))
	expect.Equal(t, "two words", []string{"./count-it#one--c"}, found("alert+words"))
	expect.Equal(t, "a title and a word", []string{"./see-it#the-list"}, found("see+short"))
	expect.Equal(t, "a title and a heading", []string{"./api/lists#deep"}, found("api+deep"))
	expect.Equal(t, "a route", []string{"./rest#mintsByBlock"}, found("block_number_or_hash%7D"))
	expect.Equal(t, "no page", []string(nil), found("list+nowhere"))
	body := get(h, "GET", "/docs/search?q=alert%281%29").Body.String()
	if !strings.Contains(body, "<mark>alert(1)</mark>") || strings.Contains(body, "<script>") {
		t.Error(body)
	}
	body = get(h, "GET", "/docs/search?q=%22%3E%3Cscript%3E").Body.String()
	if strings.Contains(body, "<script>") || strings.Contains(body, `value="">`) {
		t.Error(body)
	}
	if body := get(h, "GET", "/docs/search?q="+strings.Repeat("x", 101)).Body.String(); !strings.Contains(body, "q: got 101 characters, want at most 100") {
		t.Error(body)
	}
}

// unreadable fails to open a file.
type unreadable struct{}

func (unreadable) Open(string) (fs.File, error) { return nil, errors.New("disk on fire") }

// TestDocs_Invalid checks that a fault of the program becomes status 500, without the reason.
func TestDocs_Invalid(t *testing.T) {
	for name, files := range map[string]fs.FS{
		"unreadable":        unreadable{},
		"no README.md":      fstest.MapFS{},
		"no index.md":       fstest.MapFS{"README.md": {Data: []byte("# A")}},
		"two with one path": fstest.MapFS{"README.md": {Data: []byte("# A")}, "docs/" + "README.md": {Data: []byte("# B")}},
		"a reserved path":   fstest.MapFS{"README.md": {Data: []byte("# A")}, "docs/index.md": {Data: []byte("# C")}, "docs/" + "rest.md": {Data: []byte("# B")}},
		"no title":          fstest.MapFS{"README.md": {Data: []byte("A")}, "docs/index.md": {Data: []byte("# C")}},
	} {
		if w := get(newDocs(files), "GET", "/docs/"); w.Code != http.StatusInternalServerError || w.Body.String() != "internal error\n" {
			t.Errorf("%s: status %d, %s", name, w.Code, w.Body)
		}
	}
}

// TestDocs_Depth checks that the links of a page lead to /docs, at the depth that a browser sees.
func TestDocs_Depth(t *testing.T) {
	h := newDocs(someFiles)
	for target, want := range map[string]string{
		"/docs/a%2fb": "./", "/docs/a%2Fb%2fc": "./", "/docs/x/a%2fb": "../", "/docs/examples%2fREADME": "./", "/docs/examples/README": "../", "/docs/a/b/": "../../", "/docs/none": "./", "/docs/see-it": "./",
	} {
		for range 2 {
			if body := get(h, "GET", target).Body.String(); !strings.Contains(body, `href="`+want+`style.css"`) {
				t.Errorf("%s: want the style sheet at %sstyle.css: %.600s", target, want, body)
			}
		}
	}
	if w := get(h, "GET", "/docs/"+strings.Repeat("a/", 21)); w.Code != 404 || w.Body.Len() > 100 {
		t.Errorf("far below: status %d: %s", w.Code, w.Body)
	}
}

// TestDocs_RenderedOnce checks that a page is not rendered again, whose file may be gone by then.
func TestDocs_RenderedOnce(t *testing.T) {
	files := maps.Clone(someFiles)
	h := newDocs(files)
	for _, coding := range []string{"", "gzip", "zstd"} {
		for _, target := range []string{"/docs/see-it", "/docs/rest", "/docs/none", "/docs/see-it.md", "/llms.txt"} {
			first := get(h, "GET", target, "Accept-Encoding", coding)
			if target == "/docs/see-it.md" {
				delete(files, "docs/see-it.md")
			}
			second := get(h, "GET", target, "Accept-Encoding", coding)
			if first.Code != second.Code || first.Body.String() != second.Body.String() || first.Header().Get("Content-Encoding") != second.Header().Get("Content-Encoding") {
				t.Errorf("%s, %s: status %d, then %d: %.200s", target, coding, first.Code, second.Code, second.Body)
			}
			if coding != "" && target == "/docs/rest" && first.Header().Get("Content-Encoding") != coding {
				t.Errorf("%s: %v, want %s", target, first.Header(), coding)
			}
		}
	}
	rendered := testing.AllocsPerRun(10, func() { get(h, "GET", "/docs/rest") })
	if rendered > 200 {
		t.Errorf("a page takes %.0f allocations", rendered)
	}
}
