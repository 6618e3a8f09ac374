package httpapi_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
)

var nodeFields = `
	fragment T on Transfer { id subIndex metadata { ...M } ` + apitest.Fields("Transfer") + ` }
	fragment M on TokenMetadata { id uri raw fetchedAt ` + apitest.Fields("TokenMetadata") + ` { ` + apitest.Fields("Attribute") + ` } }
	fragment N on Node { __typename id ...T ...M }`

// TestNode_Refetch fetches every kind of object by the id on a page.
func TestNode_Refetch(t *testing.T) {
	s := serve(t)
	var all, ids []any
	for _, field := range []string{"mints(first: 1000)", "mints(last: 218)", "burns(first: 300)"} {
		got := s.Get(t, fmt.Sprintf("{ page: %s { data { ...N } } } %s", field, nodeFields), "")
		all = append(all, apitest.At(got, "page", "data").([]any)...)
	}
	seen, types := map[any]bool{}, map[any]int{}
	for _, object := range all {
		if metadata, ok := object.(map[string]any)["metadata"].(map[string]any); ok && !seen[metadata["id"]] {
			seen[metadata["id"]] = true
			whole := map[string]any{"__typename": "TokenMetadata"}
			for name, value := range metadata {
				whole[name] = value
			}
			all = append(all, whole)
		}
	}
	for _, object := range all {
		id := object.(map[string]any)["id"]
		types[object.(map[string]any)["__typename"]]++
		ids = append(ids, id)
	}
	if types["Mint"] != 1218 || types["Burn"] != 270 || types["TokenMetadata"] < 100 {
		t.Fatalf("the pages gave %v", types)
	}
	for from := 0; from < len(ids); from += 1000 {
		to := min(from+1000, len(ids))
		variables, err := json.Marshal(map[string]any{"ids": ids[from:to]})
		expect.NoError(t, err)
		got := s.Get(t, "query($ids: [ID!]!) { nodes(ids: $ids) { ...N } }"+nodeFields, string(variables))
		if diff := cmp.Diff(all[from:to], got["nodes"]); diff != "" {
			t.Errorf("nodes (-as listed +by id):\n%s", diff)
		}
	}
	for _, i := range []int{0, 1217, 1218, len(all) - 1} {
		got := s.Get(t, "query($id: ID!) { node(id: $id) { ...N } }"+nodeFields, fmt.Sprintf(`{"id": %q}`, ids[i]))
		if diff := cmp.Diff(all[i], got["node"]); diff != "" {
			t.Errorf("node (-as listed +by id):\n%s", diff)
		}
	}
	unique := map[any]bool{}
	for _, id := range ids {
		if unique[id] {
			t.Errorf("two objects have the id %v", id)
		}
		unique[id] = true
	}
}

// TestNode_NotThere uses ids of records that only another database contains.
func TestNode_NotThere(t *testing.T) {
	s, other := serve(t), serveStore(t, storeOf(t, recordedBlocks(t)[:100]))
	got := s.Get(t, `{ mints(last: 1) { data { id metadata { id } } } burns(last: 1) { data { id } } early: mints(first: 1) { data { id } }
		tokenMetadata(address: "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0") { page } }`, "")
	gone := []string{}
	for _, field := range []string{"mints", "burns"} {
		gone = append(gone, apitest.At(got, field, "data", 0, "id").(string))
	}
	early := apitest.At(got, "early", "data", 0, "id").(string)
	token := base64.RawURLEncoding.EncodeToString(append(append([]byte{'T'}, bytes.Repeat([]byte{7}, 20)...), 1, 5))
	// An id with the same position on another branch: the block hash differs.
	branch, err := base64.RawURLEncoding.DecodeString(early)
	expect.NoError(t, err)
	branch[len(branch)-1] ^= 1
	gone = append(gone, token, base64.RawURLEncoding.EncodeToString(branch))
	for _, id := range gone {
		got := other.Get(t, fmt.Sprintf("{ node(id: %q) { id } nodes(ids: [%q]) { id } }", id, id), "")
		if diff := cmp.Diff(map[string]any{"node": nil, "nodes": []any{nil}}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
	there := other.Get(t, fmt.Sprintf("{ node(id: %q) { id } }", early), "")
	expect.Equal(t, "a record in both databases", map[string]any{"node": map[string]any{"id": early}}, there)
}

// TestNodes_OneBad checks that a bad id is null, with an error at its path, and that the other
// ids are answered.
func TestNodes_OneBad(t *testing.T) {
	s := serve(t)
	got := s.Get(t, "{ mints(first: 2) { data { id } } }", "")
	first, second := apitest.At(got, "mints", "data", 0, "id"), apitest.At(got, "mints", "data", 1, "id")
	a := s.Ask(t, fmt.Sprintf(`{ list: nodes(ids: [%q, "bad", %q, "", %q]) { id } chain { head { number } } }`, first, second, first), "")
	want := map[string]any{
		"list":  []any{map[string]any{"id": first}, nil, map[string]any{"id": second}, nil, map[string]any{"id": first}},
		"chain": map[string]any{"head": map[string]any{"number": json.Number("824")}},
	}
	expect.Equal(t, "data", want, a.Data)
	var paths []any
	for _, e := range a.Errors {
		paths = append(paths, e.Path)
		if e.Extensions["code"] != "BAD_USER_INPUT" || len(e.Locations) != 1 {
			t.Errorf("error %+v: want the code BAD_USER_INPUT and a location", e)
		}
	}
	expect.Equal(t, "paths of the errors", []any{[]any{"list", json.Number("1")}, []any{"list", json.Number("3")}}, paths)
	a.CheckMessages(t)
}
