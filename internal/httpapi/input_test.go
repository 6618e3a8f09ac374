package httpapi_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
)

// badInputs are literals that a scalar rejects. Each is also sent as a variable and as the
// default of a variable.
var badInputs = map[string]struct {
	field  string // with %s for the value
	values []string
}{
	"Address": {`mints(address: %s)`, []string{`""`, `"0x12"`, `"663f3ad617193148711d28f5334ee4ed07016602"`,
		`"0xe7f1725e7734ce288f8367e1bb143e90bb3f051"`, `"0xe7f1725e7734ce288f8367e1bb143e90bb3f05122"`,
		`"0xe7f1725e7734ce288f8367e1bb143e90bb3f051g"`, `5`, `true`, `1.5`, `99999999999999999999`, `[]`, `{}`, `"` + block3 + `"`}},
	"Bytes32": {`mints(transactionHash: %s)`, []string{`""`, `"0x12"`, `"` + block3 + `0"`, `"` + collection + `"`, `7`, `false`, `[[]]`}},
	"BigInt": {`mints(address: "` + collection + `", tokenId: %s)`, []string{`""`, `"-1"`, `-1`, `"1.5"`, `1.5`, `"0x"`, `"0xg"`, `"1e3"`, `" 1"`, `true`, `[]`,
		`"115792089237316195423570985008687907853269984665640564039457584007913129639936"`,
		`115792089237316195423570985008687907853269984665640564039457584007913129639936`,
		`"0x10000000000000000000000000000000000000000000000000000000000000000"`}},
	"Long": {`mints(fromBlock: %s)`, []string{`""`, `"x"`, `-1`, `"-1"`, `1.5`, `9007199254740992`, `"9007199254740992"`, `"0x20000000000000"`,
		`18446744073709551616`, `-18446744073709551616`, `true`, `{}`}},
	"BlockNumberOrHash": {`mints(block: %s)`, []string{`""`, `"safe"`, `"pending"`, `"LATEST"`, `" latest"`, `-1`, `"-1"`, `1.5`, `9007199254740992`, `99999999999999999999`,
		`"0x"`, `"` + block3[:65] + `"`, `"` + block3 + `0"`, `"` + block3[:65] + `g"`, `true`, `{}`}},
	"Cursor": {`mints(after: %s)`, []string{`5`, `true`, `{}`, `[]`}},
	"Int":    {`mints(first: %s)`, []string{`2147483648`, `-2147483649`}},
}

func TestInput_Bad(t *testing.T) {
	s := serve(t)
	for scalar, bad := range badInputs {
		name := regexp.MustCompile(`(\w+): %s`).FindStringSubmatch(bad.field)[1]
		for _, value := range bad.values {
			check := func(t *testing.T, query, variables string) {
				a := s.Ask(t, query, variables)
				e := a.OnlyError(t, "BAD_USER_INPUT")
				// An invalid literal is an error of its field, an invalid variable one of the
				// request.
				want, path := name+": got ", []any{"mints"}
				if variables != "" {
					want, path = "$v: got ", nil
					if strings.Contains(a.Text, `"data"`) {
						t.Errorf("%s has data", a.Text)
					}
				}
				if !strings.HasPrefix(e.Message, want) || !strings.Contains(e.Message, ", want ") {
					t.Errorf("message %q, want %s…, want …", e.Message, want)
				}
				expect.Equal(t, "path", path, e.Path)
				if len(e.Locations) != 1 {
					t.Errorf("locations %v, want one", e.Locations)
				}
			}
			t.Run(scalar+" literal "+value, func(t *testing.T) {
				check(t, "{ "+fmt.Sprintf(bad.field, value)+" { totalItems } }", "")
			})
			t.Run(scalar+" variable "+value, func(t *testing.T) {
				query := fmt.Sprintf("query($v: %s) { %s { totalItems } }", scalar, fmt.Sprintf(bad.field, "$v"))
				check(t, query, `{"v": `+value+`}`)
			})
			t.Run(scalar+" default "+value, func(t *testing.T) {
				query := fmt.Sprintf("query($v: %s = %s) { %s { totalItems } }", scalar, value, fmt.Sprintf(bad.field, "$v"))
				check(t, query, `{}`)
			})
		}
	}
}

// TestInput_Forms sends the same value in every form that a scalar accepts.
func TestInput_Forms(t *testing.T) {
	s := serve(t)
	const big = "115792089237316195423570985008687907853269984665640564039457584007913129639935"
	// largest is the collection with the largest token id.
	var largest string
	for _, item := range apitest.At(s.Get(t, "{ mints(first: 1000) { data { tokenAddress tokenId } } }", ""), "mints", "data").([]any) {
		if apitest.At(item, "tokenId") == big {
			largest = apitest.At(item, "tokenAddress").(string)
		}
	}
	for name, forms := range map[string]struct {
		scalar, field string
		values        []string
		want          string
	}{
		"Address": {"Address", `mints(address: %s)`, []string{`"` + collection + `"`, `"0x` + strings.ToUpper(collection[2:]) + `"`}, "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512"},
		"BigInt, small": {"BigInt", `mints(address: "` + collection + `", tokenId: %s)`,
			[]string{`1`, `"1"`, `"0x1"`, `"0x01"`, `"001"`}, `"tokenId":"1"`},
		"BigInt, the largest": {"BigInt", `mints(address: "` + largest + `", tokenId: %s)`,
			[]string{big, `"` + big + `"`, `"0x` + strings.Repeat("f", 64) + `"`}, `"tokenId":"` + big + `"`},
		"block":   {"BlockNumberOrHash", `mints(block: %s)`, []string{`3`, `"3"`, `"0x3"`, `"` + block3 + `"`, `"0x` + strings.ToUpper(block3[2:]) + `"`}, `"blockNumber":3`},
		"Long":    {"Long", `mints(toBlock: %s)`, []string{`3`, `"3"`, `"0x3"`}, `"blockNumber":3`},
		"toBlock": {"Long", `mints(fromBlock: 3, toBlock: %s)`, []string{`9007199254740991`, `"9007199254740991"`, `1000`}, `"blockNumber":3`},
		"Order":   {"Order", `mints(order: %s)`, []string{`ASC`, `null`}, `"blockNumber":3`},
	} {
		t.Run(name, func(t *testing.T) {
			seen := map[string][]string{}
			ask := func(query, variables, as string) {
				a := s.Ask(t, query, variables)
				if len(a.Errors) > 0 || !strings.Contains(a.Text, forms.want) {
					t.Errorf("%s %s: want %s in %s", query, variables, forms.want, a.Text)
				}
				seen[a.Text] = append(seen[a.Text], as)
			}
			const selection = `{ totalItems data { tokenAddress tokenId blockNumber logIndex } edges { cursor } }`
			for _, value := range forms.values {
				ask("{ "+fmt.Sprintf(forms.field, value)+selection+" }", "", "literal "+value)
				query := fmt.Sprintf("query($v: %s) { %s %s }", forms.scalar, fmt.Sprintf(forms.field, "$v"), selection)
				ask(query, `{"v": `+strings.ReplaceAll(value, "ASC", `"ASC"`)+`}`, "variable "+value)
			}
			if len(seen) != 1 && name != "toBlock" {
				t.Errorf("different answers: %v", seen)
			}
		})
	}
}

// TestInput_NullIsNotGiven compares explicit nulls with absent arguments.
func TestInput_NullIsNotGiven(t *testing.T) {
	s := serve(t)
	const selection = `{ cursor page limit totalItems data { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }`
	const arguments = "block:BlockNumberOrHash address:Address transactionHash:Bytes32 tokenId:BigInt account:Address " +
		"fromBlock:Long toBlock:Long order:Order first:Int after:Cursor last:Int before:Cursor"
	var literals, defined, used, variables []string
	for argument := range strings.FieldsSeq(arguments) {
		name, _, _ := strings.Cut(argument, ":")
		literals = append(literals, name+": null")
		defined = append(defined, "$"+argument)
		used = append(used, name+": $"+name)
		variables = append(variables, `"`+name+`": null`)
	}
	for _, field := range []string{"mints", "burns"} {
		want := s.Get(t, "{ "+field+selection+" }", "")
		query := fmt.Sprintf("query(%s) { %s(%s) %s }", strings.Join(defined, " "), field, strings.Join(used, " "), selection)
		for name, got := range map[string]map[string]any{
			"literals":         s.Get(t, fmt.Sprintf("{ %s(%s) %s }", field, strings.Join(literals, " "), selection), ""),
			"variables":        s.Get(t, query, "{"+strings.Join(variables, ", ")+"}"),
			"no variables":     s.Get(t, query, "{}"),
			"variables absent": s.Get(t, query, ""),
		} {
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %s (-not given +null):\n%s", field, name, diff)
			}
		}
	}
}

// TestInput_NullVariable checks that an explicit null is a request error where null is not
// accepted. A default makes such a use of a nullable variable valid.
func TestInput_NullVariable(t *testing.T) {
	s := serve(t)
	for name, c := range map[string]struct{ query, want string }{
		"@include":          {`query($u: Boolean = true) { mints(first: 1) { totalItems @include(if: $u) } }`, "Boolean!"},
		"@skip":             {`query($u: Boolean = true) { mints(first: 1) { totalItems @skip(if: $u) page } }`, "Boolean!"},
		"a root field":      {`query($u: Boolean = true) { mints(first: 1) @include(if: $u) { page } chain { lag } }`, "Boolean!"},
		"an inline one":     {`query($u: Boolean = true) { mints(first: 1) { ... @include(if: $u) { page } } }`, "Boolean!"},
		"a spread":          {`query($u: Boolean = true) { mints(first: 1) { ...F @skip(if: $u) page } } fragment F on MintConnection { page }`, "Boolean!"},
		"in a fragment":     {`query($u: Boolean = true) { mints(first: 1) { ...F } } fragment F on MintConnection { page @skip(if: $u) limit }`, "Boolean!"},
		"for gqlgen":        {`query($u: Boolean = true) { __schema { queryType { name @include(if: $u) } } }`, "Boolean!"},
		"an argument":       {`query($u: ID = "x") { node(id: $u) { id } }`, "ID!"},
		"an address":        {`query($u: Address = "` + collection + `") { tokenMetadata(address: $u) { page } }`, "Address!"},
		"a list":            {`query($u: [ID!] = []) { nodes(ids: $u) { id } }`, "[ID!]!"},
		"in a list":         {`query($u: ID = "x") { nodes(ids: [$u]) { id } }`, "ID!"},
		"a String argument": {`query($u: String = "Mint") { __type(name: $u) { name } }`, "String!"},
	} {
		a := s.Ask(t, c.query, `{"u": null}`)
		if e := a.OnlyError(t, "BAD_USER_INPUT"); e.Message != "$u: got null, want "+c.want+" where it is used" || len(e.Path) > 0 || strings.Contains(a.Text, `"data"`) || len(e.Locations) != 1 {
			t.Errorf("%s: %s", name, a.Text)
		}
		if got := s.Post(t, apitest.Request(c.query, `{"u": null}`), "Accept", asResponse); got.Status != http.StatusBadRequest {
			t.Errorf("%s: status %d, want 400", name, got.Status)
		}
	}
	for name, query := range map[string]string{
		"not used there":       `{ mints(first: 1) { page } ...F } fragment F on Query { chain { lag } } `,
		"where it is nullable": `query($u: Order = DESC, $n: Int = 5) { mints(first: 1, last: $n, order: $u) { page } }`,
		"includeDeprecated":    `query($u: Boolean = true) { __schema { types { fields(includeDeprecated: $u) { name } } } }`,
	} {
		if a := s.Ask(t, query, `{"u": null, "n": null}`); len(a.Errors) > 0 {
			t.Errorf("%s: %s", name, a.Text)
		}
	}
}

// TestInput_Messages checks that messages describe the received and the accepted values in the
// schema's terms.
func TestInput_Messages(t *testing.T) {
	s := serve(t)
	for _, c := range []struct{ query, variables, message string }{
		{"query($v: Int) { mints(first: $v) { page } }", `"x"`, `$v: got "x", want an integer from -2^31 to 2^31-1`},
		{"query($v: Int) { mints(first: $v) { page } }", `1.5`, `$v: got 1.5, want an integer from -2^31 to 2^31-1`},
		{"query($v: Long) { mints(fromBlock: $v) { page } }", `-1`, `$v: got "-1", want an integer from 0 to 2^53-1, decimal or 0x-hex`},
		{"query($v: Cursor) { mints(after: $v) { page } }", `5`, `$v: got 5, want a string that this API returned`},
		{"query($v: Address) { mints(address: $v) { page } }", `"0x12"`, `$v: got "0x12", want 0x and 40 hex digits`},
		{"query($v: Order) { mints(order: $v) { page } }", `"up"`, `$v: got "up", want ASC or DESC`},
		{"query($v: Boolean!) { mints { page @skip(if: $v) } }", `"yes"`, `$v: got "yes", want Boolean!`},
		{"query($v: Boolean!) { mints { page @skip(if: $v) } }", `1`, `$v: got 1, want Boolean!`},
		{"query($v: String!) { __type(name: $v) { name } }", `{"a": 1}`, `$v: got object, want String!`},
		{"query($v: String) { collections(search: $v) { page } }", `3`, `$v: got 3, want String`},
		{"query($v: ID!) { node(id: $v) { id } }", `null`, `$v: got null, want ID!`},
		{"query($v: [ID!]!) { nodes(ids: $v) { id } }", `["x", null]`, `$v[1]: got null, want ID!`},
		{"query($v: [ID!]!) { nodes(ids: $v) { id } }", `["x", true]`, `$v[1]: got a value of another type, want ID!`},
	} {
		if e := s.Ask(t, c.query, `{"v": `+c.variables+`}`).OnlyError(t, "BAD_USER_INPUT"); e.Message != c.message {
			t.Errorf("%s, %s: %q, want %q", c.query, c.variables, e.Message, c.message)
		}
	}
	if e := s.Ask(t, "query($v: ID!) { node(id: $v) { id } }", "{}").OnlyError(t, "BAD_USER_INPUT"); e.Message != "$v: got no value, want ID!" {
		t.Errorf("%q", e.Message)
	}
}
