package plugin

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/codegen"
	"github.com/99designs/gqlgen/codegen/config"
	"github.com/google/go-cmp/cmp"
	gql "github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/testing/expect"
)

// wrongSchema and wrongConfig have each binding that the plugin does not support.
const wrongSchema = `
directive @upper on FIELD_DEFINITION

type Query {
	text: String @upper
	long: ID
	yes: Boolean!
	number(of: Long): Float
	time: Time
	extra: Extra
	method: Method
	grid: [[String!]]
	self: Query
	address: Address
	user: User
	raw: Raw
	shown: Shown
	replacer: Replacer
	metadata: Metadata
	either: Either
}
scalar Time
scalar Long
scalar Extra
enum Method { GET }
type Address { string: String! prefix(b: Int!): Prefix! }
type Prefix { string: String! }
type User { password: String username: String! }
type Raw { name: String }
type Shown { string: String! }
type Replacer { replace(times: Int, s: String!): String! }
type Metadata { name: String! image: String uri: String }
union Either = Address | Prefix
type Mutation { text: String }
`

const wrongConfig = `
schema: []
exec: {filename: generated.go, package: plugin}
autobind_getter_haser: true
models:
  Query: {model: mintburn/internal/nft.TokenKey}
  Mutation: {model: mintburn/internal/nft.TokenKey}
  Time: {model: github.com/99designs/gqlgen/graphql.Time}
  Long: {model: mintburn/internal/evm.Long}
  Extra: {model: github.com/99designs/gqlgen/graphql.Map}
  Method: {model: github.com/99designs/gqlgen/graphql.String, enum_values: {GET: {value: net/http.MethodGet}}}
  Address: {model: net/netip.Addr}
  Prefix: {model: net/netip.Prefix}
  User: {model: net/url.Userinfo}
  Raw: {model: "map[string]any"}
  Shown: {model: fmt.Stringer}
  Replacer: {model: strings.Replacer}
  Metadata: {model: mintburn/internal/nft.TokenMetadata, fields: {image: {resolver: true}}}
  Either: {model: fmt.Stringer}`

const wantLeaf = ": want String, ID, Boolean, Uint64 or Int64 of gqlgen, a type with the method AppendGQL(b []byte) []byte, or MarshalX with AppendX(b []byte, v T) []byte"

// TestCheck checks the error for each binding that the plugin does not support.
func TestCheck(t *testing.T) {
	cfg, err := config.ReadConfig(strings.NewReader(wrongConfig))
	expect.NoError(t, err)
	cfg.Sources = []*gql.Source{{Name: "schema.graphqls", Input: wrongSchema}}
	expect.NoError(t, cfg.Init())
	data, err := codegen.BuildData(cfg)
	expect.NoError(t, err)
	generator{data}.scalars()["Long"].IsContext = true
	want := []string{
		"the schema has mutations: want queries and subscriptions",
		"gqlgen.yml has autobind_getter_haser: want it off",
		"@upper has an implementation: want skip_runtime, or no directive",
		"Address.prefix returns net/netip.Prefix and an error: want a pointer",
		"Metadata.name is bound to *string: want a value, because the schema forbids null",
		"Metadata.image has a resolver for one object: want batch: true, or a field or a method of the Go type",
		"Query.yes forbids null: want a nullable type, so that the other fields keep their data if it fails",
		"Query.number is bound to *float64" + wantLeaf,
		"Query.time is bound to *time.Time" + wantLeaf,
		"Query.extra is bound to map[string]any" + wantLeaf,
		"Query.method is bound to *string" + wantLeaf,
		"Query.grid is a list of lists: want a list",
		"Query.self returns the query type: want another type",
		"Raw is bound to map[string]any: want a struct",
		"Replacer.replace has a method with parameters in another order: want that of the arguments",
		"Shown is bound to fmt.Stringer: want a struct",
		"User.password has a method that returns a value and a bool: want a value, or a value and an error",
		"Either is a union: want an interface",
		"Long is read with a context: want UnmarshalGQL, or a function UnmarshalX without one",
	}
	if diff := cmp.Diff(want, strings.Split(Plugin{}.GenerateCode(data).Error(), "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestAppends checks which methods and functions append a scalar.
func TestAppends(t *testing.T) {
	const source = `package p
		type Point struct{}
		func (*Point) AppendGQL(b []byte) []byte { return b }
		type Place struct{ Point }
		type Other struct{}
		func (Other) AppendGQL(b []byte) string { return "" }
		func MarshalDate(day int) any { return day }
		func AppendDate(b []byte, day int) []byte { return b }
		func MarshalCode(code int) any { return code }
		func AppendCode(b []byte, code string) []byte { return b }
		func MarshalMoney(cents int) any { return cents }
`
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "p.go", source, 0)
	expect.NoError(t, err)
	p, err := new(types.Config).Check("p", files, []*ast.File{file}, nil)
	expect.NoError(t, err)
	for name, want := range map[string]bool{"Point": true, "Place": false, "Other": false, "MarshalDate": true, "MarshalCode": false, "MarshalMoney": false} {
		o := p.Scope().Lookup(name)
		function, ok := o.(*types.Func)
		if got := ok && appender(function) != nil || !ok && appends(o.Type()); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestBundle_UnknownField checks the error for a bundle of a field that the schema doesn't have.
func TestBundle_UnknownField(t *testing.T) {
	schema := &gql.Schema{Types: map[string]*gql.Definition{"Query": {Name: "Query"}}}
	for _, field := range []string{"Query.text", "Nothing.text"} {
		err := Plugin{Bundles: []Bundle{{Struct: "net/url.URL", Fields: []string{field}}}}.GenerateCode(&codegen.Data{Schema: schema})
		expect.Equal(t, "error", "a bundle has the field "+field+", which is not in the schema", fmt.Sprint(err))
	}
}
