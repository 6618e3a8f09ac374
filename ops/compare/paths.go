package main

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// others are requests that no file of the repository lists.
var others = []request{
	{path: "/healthz"}, {path: "/readyz"}, {path: "/schema.graphql"}, {path: "/openapi.json"}, {path: "/nope"}, {path: "/v1"}, {path: "/v1/nope"}, {path: "/docs/nope"},
	{path: "/graphql"}, {path: "/graphql", header: []string{"Accept", "text/html"}}, {path: "/graphql?query={chain{head{number}}}"}, {path: "/graphql?query={"},
	{path: "/graphql?query=query($b:BlockNumberOrHash){mints(block:$b){totalItems}}&variables={\"b\":1}"}, {method: http.MethodPut, path: "/graphql"},
	{method: http.MethodDelete, path: "/"}, {method: http.MethodPost, path: "/"}, {method: http.MethodOptions, path: "/graphql", header: []string{"Origin", "https://a.example"}},
	{path: "/graphql", body: "{"}, {path: "/graphql", body: "[]"}, {path: "/graphql", body: "{}"}, {path: "/graphql", body: `{"query":1}`}, {path: "/graphql", body: `{"query":"{chain{head{number}}}","variables":[]}`},
	{path: "/graphql", body: `[{"query":"{chain{head{number}}}"},{"query":"{"}]`}, {path: "/graphql", body: "query", header: []string{"Content-Type", "text/plain"}},
	{path: "/graphql", body: `{"query":"{chain{head{hash}}}"}`, header: []string{"Accept", "image/png"}}, {path: "/graphql", body: `{"query":"{chain{head{hash}}}"}`, header: []string{"Accept-Encoding", "gzip"}},
}

// links matches the links of a page.
var links = regexp.MustCompile(`(?:href|src)="([^"#]+)`)

// paths follows the links of the pages, and sends the requests that no file lists.
func (c *comparison) paths(ctx context.Context, k *known) {
	for _, r := range others {
		c.request(ctx, "path", strings.TrimSpace(r.method+" "+r.path+" "+r.body), r)
	}
	s := k.mints[0]
	list := []string{"/", "/docs/?q=mint", "/docs/search?q=mint", "/explore", "/explore/", "/explore/state", "/explore/nope", "/explore?address=" + s["address"], "/explore/block/" + s["block"],
		"/explore/tx/" + s["hash"], "/explore/account/" + s["account"], "/explore/" + s["address"], "/explore/" + s["address"] + "/" + s["tokenid"], "/metrics"}
	seen := map[string]bool{}
	for i := 0; i < len(list); i++ {
		if seen[list[i]] {
			continue
		}
		seen[list[i]] = true
		answers := c.request(ctx, "path", list[i], request{path: list[i]})
		at, _ := url.Parse(list[i])
		for _, link := range links.FindAllSubmatch(answers[0], -1) {
			if to, err := at.Parse(string(link[1])); err == nil && to.Host == "" && to.Scheme == "" {
				list = append(list, to.RequestURI())
			}
		}
	}
}
