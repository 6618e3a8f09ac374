package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/testing/fasttest"
)

// posted returns a request with a document.
func posted(text, operation string, variables map[string]any, header ...string) request {
	// Texts and values that JSON cannot represent do not occur in documents.
	body, _ := json.Marshal(map[string]any{"query": text, "operationName": operation, "variables": variables})
	return request{path: "/graphql", body: string(body), header: header}
}

// repeat sends the documents of the repository unchanged, and the valid ones also with values
// of the dataset.
func (c *comparison) repeat(ctx context.Context, k *known) {
	for _, d := range c.documents {
		subject := k.pick(d.text)
		parsed, err := gqlparser.LoadQueryWithRules(c.schema, d.text, nil)
		if err != nil {
			c.request(ctx, "document", d.name, posted(d.text, "", d.variables))
			continue
		}
		first := parsed.Operations[0]
		variables := map[string]any{}
		for _, v := range first.VariableDefinitions {
			if value := subject.value(c.schema, v.Variable, v.Type); value != nil {
				variables[v.Variable] = value
			}
		}
		if d.variables == nil {
			d.variables = variables
		}
		c.request(ctx, "document", d.name, posted(d.text, first.Name, d.variables))
		c.request(ctx, "document", d.name+" with known values", posted(subject.into(d.text), first.Name, variables, "Accept", "application/graphql-response+json"))
	}
}

// filters are arguments that go together in random operations.
var filters = []string{"", "partial", "first partial", "after first partial", "before last partial", "block order partial", "address first order partial",
	"address tokenId partial", "address traits first", "transactionHash partial", "transactionHash address first partial", "account address first partial",
	"fromBlock toBlock first partial", "fromTime toTime partial", "addresses account first order partial", "accounts address fromBlock partial", "tokens first partial",
	"transactionHashes partial", "block address tokenId partial", "finality address partial", "search first", "after kinds", "after addresses kinds first"}

// random sends random operations with values of the dataset.
func (c *comparison) random(ctx context.Context, k *known) {
	values := map[string][]string{"Boolean": {"`true`"}, "Int": {"0", "1", "2", "3", "7", "20"}, "ID": {}, "String": {strconv.Quote(k.name), `"e"`}, "changes.after": {`"{START}"`}}
	for _, s := range append(k.mints, k.burns...) {
		for typ, names := range map[string]string{
			"Address": "address account", "Bytes32": "transactionhash", "BigInt": "tokenid", "Long": "block", "BlockNumberOrHash": "block blockhash", "ID": "id",
			"TraitFilter.traitType": "traittype", "TraitFilter.values": "values", "mints.account": "account", "burns.account": "account",
		} {
			for name := range strings.FieldsSeq(names) {
				values[typ] = append(values[typ], strconv.Quote(s[name]))
			}
		}
	}
	for _, id := range k.ids {
		values["ID"] = append(values["ID"], strconv.Quote(id))
	}
	for field, cursors := range k.cursors {
		for _, cursor := range cursors {
			for _, name := range []string{field + ".after", field + ".before", "Cursor"} {
				values[name] = append(values[name], strconv.Quote(cursor))
			}
		}
	}
	wrong := map[string][]string{"Address": {`"x"`, `"0x00000000000000000000000000000000000000aa"`}, "Int": {"-1", "1001"}, "Long": {"9007199254740992", `"z"`}, "Cursor": {`"x"`}, "BlockNumberOrHash": {`"latest"`, `"safe"`, "-1"}}
	generator := fasttest.Generator{Rand: rand.New(rand.NewPCG(c.seed, 0)), Schema: c.schema, Values: values, Wrong: wrong, Combinations: filters, Depth: 5}
	for n := range c.n {
		text, variables := generator.Operation()
		c.request(ctx, "operation", fmt.Sprintf("%d %.99q", n+1, text), posted(text, "", variables))
	}
}

// cursors match the cursor that continues the only connection of an answer, by argument.
var cursors = map[string]*regexp.Regexp{
	"after":  regexp.MustCompile(`"endCursor":"([^"]+)"`),
	"before": regexp.MustCompile(`"startCursor":"([^"]+)"`),
}

// parents are the selections around the fields of the types that have connections.
var parents = map[string]string{
	"Query": "{ %s }", "Collection": "{ collection(address: ADDRESS) { %s } }", "Token": "{ token(address: ADDRESS, tokenId: TOKENID) { %s } }",
	"Transaction": "{ transaction(hash: HASH) { %s } }", "TokenMetadata": "{ tokenMetadata(address: ADDRESS, tokenId: TOKENID) { data { %s } } }",
}

// pages walks each connection, without a filter and with each one alone, in both directions.
func (c *comparison) pages(ctx context.Context, k *known) {
	for _, parent := range slices.Sorted(maps.Keys(parents)) {
		for _, f := range c.schema.Types[parent].Fields {
			if !strings.HasSuffix(f.Type.Name(), "Connection") {
				continue
			}
			s := k.pick(f.Name)
			around := strings.NewReplacer("ADDRESS", strconv.Quote(s["address"]), "TOKENID", strconv.Quote(s["tokenid"]), "HASH", strconv.Quote(s["hash"])).Replace(parents[parent])
			for _, filter := range append(ast.ArgumentDefinitionList{nil}, f.Arguments...) {
				if filter != nil && (filter.Type.NonNull || cursors[filter.Name] != nil || filter.Name == "first" || filter.Name == "last") {
					continue
				}
				for _, way := range [][2]string{{"first", "after"}, {"last", "before"}} {
					if f.Arguments.ForName(way[0]) == nil {
						continue
					}
					arguments := c.arguments(s, f, filter) + way[0] + ": 2"
					page := func(more string) request {
						return posted(fmt.Sprintf(around, f.Name+"("+arguments+more+")"+c.selection(s, f.Type.Name(), 3)), "", nil)
					}
					c.walk(ctx, "page", parent+"."+f.Name+"("+arguments+")", page(""), page(", "+way[1]+`: "{PAGE}"`), cursors[way[1]])
				}
			}
		}
	}
}

// arguments returns the required arguments of a field and another one, if it isn't nil.
func (c *comparison) arguments(s subject, f *ast.FieldDefinition, other *ast.ArgumentDefinition) (text string) {
	for _, a := range f.Arguments {
		if a == other || a.Type.NonNull && a.DefaultValue == nil {
			// Values have no quotes within.
			value, _ := json.Marshal(s.value(c.schema, a.Name, a.Type))
			if literal := keys.ReplaceAllString(string(value), "$1:"); c.schema.Types[a.Type.Name()].Kind == ast.Enum {
				text += a.Name + ": " + strings.Trim(literal, `"`) + ", "
			} else {
				text += a.Name + ": " + literal + ", "
			}
		}
	}
	return text
}

// keys matches the keys of JSON objects, which GraphQL does not quote.
var keys = regexp.MustCompile(`"(\w+)":`)

// selection returns a selection of all fields of a type, to a depth.
func (c *comparison) selection(s subject, name string, depth int) string {
	if !c.schema.Types[name].IsCompositeType() {
		return ""
	}
	text := " { __typename"
	for _, f := range c.schema.Types[name].Fields {
		if strings.HasPrefix(f.Name, "__") || depth == 0 && c.schema.Types[f.Type.Name()].IsCompositeType() {
			continue
		}
		text += " " + f.Name
		if arguments := c.arguments(s, f, nil); arguments != "" {
			text += "(" + arguments + ")"
		}
		text += c.selection(s, f.Type.Name(), depth-1)
	}
	return text + " }"
}
