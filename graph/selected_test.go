package graph_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mintburn/graph"
	"mintburn/internal/testing/expect"
)

// TestTokenMetadata_FieldsAlone checks that each field has the same value when it is selected
// alone and with all others, because only selected fields are read.
func TestTokenMetadata_FieldsAlone(t *testing.T) {
	s := open(t)
	values, _ := populate(t, s)
	schema := graph.NewSchema(s.MaxPageSize(), now)
	a := newAsker(s, schema)
	ask := func(text string) (answer any) {
		t.Helper()
		document, err := a.Parse(text)
		expect.NoError(t, err)
		r := a.Ask(t.Context(), document, nil)
		if len(r.Errors) > 0 {
			t.Fatalf("%.300s: %v", text, r.Errors)
		}
		expect.NoError(t, json.Unmarshal(r.Data, &answer))
		return answer
	}
	var paths [][]string
	for _, f := range schema.Schema().Types["TokenMetadata"].Fields {
		below := schema.Schema().Types[f.Type.Name()].Fields
		if list := below.ForName("data"); list != nil {
			for _, g := range schema.Schema().Types[list.Type.Name()].Fields {
				paths = append(paths, []string{f.Name, "data", g.Name})
			}
			continue
		}
		for _, g := range below {
			if schema.Schema().Types[g.Type.Name()].IsCompositeType() {
				continue // the token's objects are read separately
			}
			paths = append(paths, []string{f.Name, g.Name})
		}
		if len(below) == 0 && !strings.HasPrefix(f.Name, "__") {
			paths = append(paths, []string{f.Name})
		}
	}
	var all strings.Builder
	for _, path := range paths {
		all.WriteString(selecting(path) + " ")
	}
	vary := map[string]bool{}
	for _, around := range []string{
		"{ tokenMetadata(address: " + values["tokenMetadata.address"][0] + ", first: 1000) { data { %s } } }",
		"{ mints(partial: true, first: 1000) { data { metadata { %s } } } }",
		"{ nodes(ids: [" + strings.Join(slices.Concat(values["ID"][1:3], values["ID"][len(values["ID"])-3:]), ", ") + "]) { ... on TokenMetadata { %s } } }",
	} {
		whole := ask(fmt.Sprintf(around, all.String()))
		for _, path := range paths {
			want := valuesAt(whole, path)
			expect.Equal(t, selecting(path), want, valuesAt(ask(fmt.Sprintf(around, selecting(path))), path))
			vary[selecting(path)] = vary[selecting(path)] || slices.ContainsFunc(want, func(value any) bool { return value != want[0] })
		}
	}
	for field, varies := range vary {
		if !varies && field != "collectionType" && !strings.HasPrefix(field, "token {") {
			t.Errorf("%s: all values are the same", field)
		}
	}
}

func selecting(path []string) string {
	return strings.Join(path, " { ") + strings.Repeat(" }", len(path)-1)
}

// valuesAt returns the values of a field anywhere in an answer.
func valuesAt(answer any, path []string) (found []any) {
	switch answer := answer.(type) {
	case []any:
		for _, item := range answer {
			found = append(found, valuesAt(item, path)...)
		}
	case map[string]any:
		if value, here := answer[path[0]]; here && len(path) == 1 {
			return []any{value}
		} else if here {
			return valuesAt(value, path[1:])
		}
		for _, value := range answer {
			found = append(found, valuesAt(value, path)...)
		}
	}
	return found
}
