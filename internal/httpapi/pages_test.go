package httpapi_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
)

// connection is a page in both of its shapes.
type connection struct {
	Edges []struct {
		Cursor string
		Node   struct{ ID string }
	}
	PageInfo struct {
		HasNextPage, HasPreviousPage bool
		StartCursor, EndCursor       *string
	}
	Cursor      *string
	Page, Limit int
	TotalItems  int
	Data        []struct{ ID string }
}

// connectionOf reads a page. field contains the arguments.
func connectionOf(t *testing.T, s *apitest.Client, field string) connection {
	t.Helper()
	got := s.Get(t, fmt.Sprintf(`{ page: %s { edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
		cursor page limit totalItems data { id } } }`, field), "")
	text, err := json.Marshal(got["page"])
	expect.NoError(t, err)
	var c connection
	apitest.Decode(t, string(text), &c)
	return c
}

// ids returns the ids on a page, and checks that its two shapes agree.
func (c connection) ids(t *testing.T, field string) []string {
	t.Helper()
	var edges, data []string
	for i := range c.Edges {
		edges = append(edges, c.Edges[i].Node.ID)
	}
	for i := range c.Data {
		data = append(data, c.Data[i].ID)
	}
	if !slices.Equal(edges, data) {
		t.Errorf("%s: edges are %v and data %v", field, edges, data)
	}
	if (c.Cursor != nil) != c.PageInfo.HasNextPage {
		t.Errorf("%s: cursor is there: %t, hasNextPage is %t", field, c.Cursor != nil, c.PageInfo.HasNextPage)
	}
	var first, last *string
	if n := len(c.Edges); n > 0 {
		first, last = &c.Edges[0].Cursor, &c.Edges[n-1].Cursor
		if c.Cursor != nil && *c.Cursor != *last {
			t.Errorf("%s: cursor is %s, want that of the last item", field, *c.Cursor)
		}
	}
	if diff := cmp.Diff([]*string{first, last}, []*string{c.PageInfo.StartCursor, c.PageInfo.EndCursor}); diff != "" {
		t.Errorf("%s: startCursor and endCursor (-want +got):\n%s", field, diff)
	}
	return edges
}

// TestConnection_BothWays pages through every kind of connection to its end, as Relay does,
// and back to its start.
func TestConnection_BothWays(t *testing.T) {
	s := serve(t)
	var withTokens string
	for _, item := range apitest.At(s.Get(t, "{ mints(first: 1000) { data { metadata { collectionAddress } } } }", ""), "mints", "data").([]any) {
		if m := apitest.At(item, "metadata"); m != nil {
			withTokens = apitest.At(m, "collectionAddress").(string)
		}
	}
	for _, field := range []string{
		"mints(order: ASC, ", "mints(order: DESC, ", `burns(address: "` + collection + `", `, "burns(fromBlock: 300, toBlock: 600, order: DESC, ",
		`tokenMetadata(address: "` + withTokens + `", `,
	} {
		t.Run(field, func(t *testing.T) {
			whole := connectionOf(t, s, field+"first: 1000)").ids(t, field)
			rest := connectionOf(t, s, field+"last: 300)").ids(t, field)
			total := connectionOf(t, s, field+"first: 0)").TotalItems
			if total > len(whole) {
				whole = append(whole, rest[len(rest)-(total-len(whole)):]...)
			}
			const size = 7
			var forth []string
			arguments := fmt.Sprintf("%sfirst: %d)", field, size)
			for page := 1; ; page++ {
				c := connectionOf(t, s, arguments)
				forth = append(forth, c.ids(t, arguments)...)
				if c.Page != page || c.Limit != size || c.TotalItems != total || c.PageInfo.HasPreviousPage != (page > 1) {
					t.Fatalf("%s: %+v", arguments, c)
				}
				if !c.PageInfo.HasNextPage {
					break
				}
				arguments = fmt.Sprintf("%sfirst: %d, after: %q)", field, size, *c.PageInfo.EndCursor)
			}
			if diff := cmp.Diff(whole, forth); diff != "" || len(forth) != total || total < 2*size {
				t.Fatalf("forward, %d of %d items (-want +got):\n%s", len(forth), total, diff)
			}
			var back []string
			arguments = fmt.Sprintf("%slast: %d)", field, size)
			for page := 1; ; page++ {
				c := connectionOf(t, s, arguments)
				back = append(c.ids(t, arguments), back...)
				if c.PageInfo.HasNextPage != (page > 1) || c.TotalItems != total {
					t.Fatalf("%s: %+v", arguments, c)
				}
				if !c.PageInfo.HasPreviousPage {
					break
				}
				arguments = fmt.Sprintf("%slast: %d, before: %q)", field, size, *c.PageInfo.StartCursor)
			}
			expect.Equal(t, "backward", forth, back)
		})
	}
}

// TestConnection_EmptyCursor checks that an empty cursor is not given, in every list.
func TestConnection_EmptyCursor(t *testing.T) {
	s := serve(t)
	cursor := *connectionOf(t, s, "burns(first: 1)").PageInfo.EndCursor
	ask := func(field, arguments, definition, variables string) string {
		return s.Ask(t, fmt.Sprintf("query%s { %s }", definition, fmt.Sprintf(field, arguments)), variables).Text
	}
	for _, field := range []string{
		"mints(%s) { page data { id } cursor }", "burns(order: DESC, %s) { page edges { cursor } }", "collections(%s) { page data { address } }",
		`tokenMetadata(address: "` + collection + `", %s) { page data { tokenId } }`, `collection(address: "` + collection + `") { tokens(%s) { page data { tokenId } } }`,
		`token(address: "` + collection + `", tokenId: 1) { mints(%s) { page totalItems } }`,
	} {
		for arguments, same := range map[string]string{
			`first: 2, after: ""`: "first: 2", `last: 2, before: ""`: "last: 2", `before: ""`: "first: 20", `first: 1, after: "", before: ""`: "first: 1",
			`last: 1, after: ""`: "last: 1",
		} {
			if got, want := ask(field, arguments, "", ""), ask(field, same, "", ""); got != want || strings.Contains(got, "errors") {
				t.Errorf("%s: %s, want %s", fmt.Sprintf(field, arguments), got, want)
			}
		}
		if got, want := ask(field, "first: 2, after: $c", "($c: Cursor)", `{"c": ""}`), ask(field, "first: 2", "", ""); got != want {
			t.Errorf("%s with an empty variable: %s, want %s", field, got, want)
		}
	}
	if got, want := ask("burns(%s) { page }", `first: 1, after: "`+cursor+`", before: ""`, "", ""), `{"data":{"burns":{"page":2}}}`; got != want {
		t.Errorf("a cursor and an empty one: %s, want %s", got, want)
	}
	s.Ask(t, `{ mints(after: " ") { page } }`, "").OnlyError(t, "INVALID_CURSOR")
}

// TestConnection_Edges checks pages at both ends of a list.
func TestConnection_Edges(t *testing.T) {
	s := serve(t)
	all := connectionOf(t, s, "burns(first: 1000)").ids(t, "burns")
	last := connectionOf(t, s, "burns(last: 1)")
	for name, test := range map[string]struct {
		field      string
		want       []string
		next, prev bool
		page       int
	}{
		"after the last item": {fmt.Sprintf("burns(first: 5, after: %q)", *last.PageInfo.EndCursor), nil, false, true, 2},
		"exactly the rest":    {"burns(first: 270)", all, false, false, 1},
		"one less":            {"burns(first: 269)", all[:269], true, false, 1},
		"first 0":             {"burns(first: 0)", nil, true, false, 1},
		"last 0":              {"burns(last: 0)", nil, false, true, 1},
		"default size":        {"burns", all[:20], true, false, 1},
		"before alone returns the items next to it": {fmt.Sprintf("burns(before: %q)", *last.PageInfo.StartCursor),
			all[len(all)-21 : len(all)-1], true, true, 1},
		"first and before":       {fmt.Sprintf("burns(first: 2, before: %q)", *last.PageInfo.StartCursor), all[:2], true, false, 1},
		"an empty block":         {"burns(block: 0)", nil, false, false, 1},
		"an unknown collection":  {`burns(address: "0x00000000000000000000000000000000000000ff")`, nil, false, false, 1},
		"an unknown transaction": {`mints(transactionHash: "` + noHash + `")`, nil, false, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			c := connectionOf(t, s, test.field)
			expect.Equal(t, "items", test.want, c.ids(t, test.field))
			if c.PageInfo.HasNextPage != test.next || c.PageInfo.HasPreviousPage != test.prev || c.Page != test.page {
				t.Errorf("%s: hasNextPage %t, hasPreviousPage %t, page %d: want %t, %t, %d", test.field,
					c.PageInfo.HasNextPage, c.PageInfo.HasPreviousPage, c.Page, test.next, test.prev, test.page)
			}
		})
	}
}
