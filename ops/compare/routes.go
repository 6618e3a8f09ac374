package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// A parameter is one of a route in /openapi.json.
type parameter struct {
	Name, In string
	Required bool
}

// nextPage matches the cursor of a page of a REST route.
var nextPage = regexp.MustCompile(`"cursor":"([^"]+)"`)

// routes sends the routes of the new program's /openapi.json, without optional parameters, with each one, and with
// each two.
func (c *comparison) routes(ctx context.Context, k *known) error {
	var api struct {
		Paths map[string]struct {
			Get *struct{ Parameters []parameter }
		}
	}
	_, text, _ := bytes.Cut(c.sides[1].ask(ctx, request{path: "/openapi.json"}), []byte("\r\n\n"))
	if err := json.Unmarshal(text, &api); err != nil {
		return fmt.Errorf("/openapi.json: %w", err)
	}
	for _, route := range slices.Sorted(maps.Keys(api.Paths)) {
		s, at, required, optional := k.pick(route), route, url.Values{}, []string{}
		if api.Paths[route].Get == nil {
			continue
		}
		for _, p := range api.Paths[route].Get.Parameters {
			value := s[canonical(p.Name)]
			switch {
			case p.In == "path":
				at = strings.ReplaceAll(at, "{"+p.Name+"}", value)
			case p.Required:
				required.Set(p.Name, value)
			case p.Name != "cursor":
				optional = append(optional, p.Name)
			}
		}
		for i, one := range append(optional, "") {
			for _, two := range append(optional[i:], "") {
				query := maps.Clone(required)
				for _, name := range []string{one, two} {
					if name != "" {
						query.Set(name, s[canonical(name)])
					}
				}
				r := request{path: at + "?" + query.Encode()}
				c.walk(ctx, "route", r.path, r, request{path: r.path + "&cursor={PAGE}"}, nextPage)
			}
		}
		for _, accept := range []string{"application/json", "application/x-ndjson", "text/csv", "text/html", "application/xml", "*/*;q=0.1, text/*"} {
			c.request(ctx, "route", at+" as "+accept, request{path: at + "?" + required.Encode(), header: []string{"Accept", accept}})
		}
		for _, method := range []string{http.MethodHead, http.MethodPost, http.MethodOptions, http.MethodDelete} {
			c.request(ctx, "route", method+" "+at, request{method: method, path: at, header: []string{"Origin", "https://a.example"}})
		}
	}
	return nil
}
