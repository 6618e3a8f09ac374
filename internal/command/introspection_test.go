package command_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// documented are the fields of the documented service by resource, in its
// order; a question mark says that the field may be null.
var documented = map[string]string{
	"Transfer": "token_address contract_type token_id block_hash block_number transaction_hash log_index from to amount operator? timestamp block_time",
	"Page":     "cursor? page limit total_items data",
	"TokenMetadata": "collection_address collection_type token_id external_url? image_data? background_color? youtube_url? " +
		"updated_at name? description? image? animation_url? attributes",
	"Attribute": "trait_type value max_value? trait_count order",
}

type typeRef struct {
	Kind, Name string
	OfType     *typeRef
}

// String is the type as SDL writes it.
func (r *typeRef) String() string {
	switch r.Kind {
	case "NON_NULL":
		return r.OfType.String() + "!"
	case "LIST":
		return "[" + r.OfType.String() + "]"
	default:
		return r.Name
	}
}

type schemaType struct {
	Kind, Name, Description string
	Fields                  []struct {
		Name, Description string
		Type              typeRef
		Args              []struct {
			Name, Description string
			Type              typeRef
			DefaultValue      *string
		}
	}
	EnumValues []struct{ Name, Description string }
	Interfaces []struct{ Name string }
}

// field returns the type of a field.
func (s *schemaType) field(t *testing.T, name string) (typ, description string) {
	t.Helper()
	for _, f := range s.Fields {
		if f.Name == name {
			return f.Type.String(), f.Description
		}
	}
	t.Errorf("%s has no field %s", s.Name, name)
	return "", ""
}

// introspect returns the types of the served schema, but those of
// introspection itself.
func introspect(t *testing.T) map[string]*schemaType {
	s := serve(t, emptyDB(t))
	got := s.get(t, `{ __schema { types { kind name description interfaces { name } enumValues { name description }
		fields { name description type { ...T } args { name description type { ...T } defaultValue } } } } }
		fragment T on __Type { kind name ofType { kind name ofType { kind name ofType { kind name } } } }`, "")
	text, err := json.Marshal(got["__schema"])
	if err != nil {
		t.Fatal(err)
	}
	var schema struct{ Types []*schemaType }
	decode(t, text, &schema)
	types := map[string]*schemaType{}
	for _, typ := range schema.Types {
		if !strings.HasPrefix(typ.Name, "__") {
			types[typ.Name] = typ
		}
	}
	return types
}

func TestSchema_EverythingDescribed(t *testing.T) {
	check := func(name, description string) {
		if len(strings.TrimSpace(description)) < 5 || !regexp.MustCompile(`[.)]$`).MatchString(description) {
			t.Errorf("%s: description %q, want a sentence", name, description)
		}
	}
	fields := 0
	for _, typ := range introspect(t) {
		check(typ.Name, typ.Description)
		for _, f := range typ.Fields {
			fields++
			check(typ.Name+"."+f.Name, f.Description)
			for _, a := range f.Args {
				check(typ.Name+"."+f.Name+"("+a.Name+")", a.Description)
			}
		}
		for _, v := range typ.EnumValues {
			check(typ.Name+"."+v.Name, v.Description)
		}
	}
	if fields < 100 {
		t.Errorf("%d fields seen, want all", fields)
	}
}

func TestSchema_DocumentedFields(t *testing.T) {
	types := introspect(t)
	// Names that users see for the type of each documented field that is no
	// plain string.
	scalars := map[string]string{
		"token_address": "Address", "collection_address": "Address", "from": "Address", "to": "Address", "operator": "Address",
		"contract_type": "ContractType", "collection_type": "ContractType", "token_id": "BigInt", "amount": "BigInt",
		"block_hash": "Bytes32", "transaction_hash": "Bytes32", "block_number": "Long", "timestamp": "Long", "block_time": "Long",
		"updated_at": "Long", "total_items": "Long", "trait_count": "Long", "order": "Long", "log_index": "Int", "page": "Int", "limit": "Int",
		"max_value": "Float", "cursor": "Cursor", "attributes": "[Attribute!]",
	}
	for name, resource := range map[string]string{
		"Transfer": "Transfer", "Mint": "Transfer", "Burn": "Transfer", "TokenMetadata": "TokenMetadata", "Attribute": "Attribute",
		"MintConnection": "Page", "BurnConnection": "Page", "TokenMetadataConnection": "Page",
	} {
		typ := types[name]
		if typ == nil {
			t.Errorf("no type %s", name)
			continue
		}
		for _, field := range strings.Fields(documented[resource]) {
			snake, nullable := strings.CutSuffix(field, "?")
			want, ok := scalars[snake]
			if !ok {
				want = "String"
			}
			if snake == "data" {
				want = "[" + strings.TrimSuffix(name, "Connection") + "!]"
			}
			if !nullable {
				want += "!"
			}
			got, description := typ.field(t, camel(snake))
			if got != want {
				t.Errorf("%s.%s has the type %s, want %s", name, camel(snake), got, want)
			}
			if camel(snake) != snake && !strings.Contains(description, "("+snake+")") {
				t.Errorf("%s.%s does not name %s: %q", name, camel(snake), snake, description)
			}
		}
	}
}

// TestSchema_Nullability: only what may truly be missing may be null.
func TestSchema_Nullability(t *testing.T) {
	got := map[string]string{}
	for _, typ := range introspect(t) {
		for _, f := range typ.Fields {
			if f.Type.Kind != "NON_NULL" {
				got[typ.Name+"."+f.Name] = f.Type.String()
			}
		}
	}
	want := map[string]string{
		"Query.mints": "MintConnection", "Query.burns": "BurnConnection", "Query.tokenMetadata": "TokenMetadataConnection",
		"Query.node": "Node", "Query.nodes": "[Node]", "Query.chain": "Chain",
		"Chain.chainId": "Long",
		"Chain.head":    "Block", "Chain.finalized": "Block", "Chain.lag": "Long", "Chain.contracts": "[Address!]", "Chain.provable": "Boolean",
		"Endpoint.head": "Long", "Endpoint.lastError": "String",
		"PageInfo.startCursor": "Cursor", "PageInfo.endCursor": "Cursor",
		"Attribute.maxValue": "Float",
	}
	for _, name := range []string{"Transfer", "Mint", "Burn"} {
		want[name+".operator"], want[name+".metadata"], want[name+".transactionIndex"] = "Address", "TokenMetadata", "Int"
	}
	for _, name := range []string{"Mint", "Burn", "TokenMetadata"} {
		want[name+"Connection.cursor"] = "Cursor"
	}
	for _, name := range strings.Fields("name description image externalUrl imageData backgroundColor youtubeUrl animationUrl uri raw error") {
		want["TokenMetadata."+name] = "String"
	}
	want["TokenMetadata.nextTry"] = "Long"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("nullable fields (-want +got):\n%s", diff)
	}
}

func TestSchema_Query(t *testing.T) {
	types := introspect(t)
	const paging = "first: Int, after: Cursor, last: Int, before: Cursor"
	const filters = "block: BlockNumberOrHash, address: Address, transactionHash: Bytes32, tokenId: BigInt, account: Address, " +
		"fromBlock: Long, toBlock: Long, order: Order = ASC, partial: Boolean = false, " + paging
	want := map[string]string{
		"mints":         "(" + filters + "): MintConnection",
		"burns":         "(" + filters + "): BurnConnection",
		"tokenMetadata": "(address: Address!, tokenId: BigInt, " + paging + "): TokenMetadataConnection",
		"node":          "(id: ID!): Node",
		"nodes":         "(ids: [ID!]!): [Node]",
		"chain":         "(): Chain",
	}
	got := map[string]string{}
	for _, f := range types["Query"].Fields {
		var arguments []string
		for _, a := range f.Args {
			text := a.Name + ": " + a.Type.String()
			if a.DefaultValue != nil {
				text += " = " + *a.DefaultValue
			}
			arguments = append(arguments, text)
		}
		got[f.Name] = "(" + strings.Join(arguments, ", ") + "): " + f.Type.String()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Query (-want +got):\n%s", diff)
	}
	// The documented inputs are named where they differ.
	for _, f := range types["Query"].Fields {
		inputs := map[string]map[string]string{
			"mints": {"block": "block_number_or_hash", "transactionHash": "transaction_hash", "first": "limit", "after": "cursor"},
			"burns": {"fromBlock": "from_block", "toBlock": "to_block", "tokenId": "token_id", "first": "limit", "after": "cursor"},
		}[f.Name]
		for _, a := range f.Args {
			if documented, ok := inputs[a.Name]; ok && !strings.Contains(a.Description, "("+documented+")") {
				t.Errorf("%s(%s) does not name %s: %q", f.Name, a.Name, documented, a.Description)
			}
		}
	}
	for name, interfaces := range map[string]string{"Mint": "Node Transfer", "Burn": "Node Transfer", "TokenMetadata": "Node"} {
		for _, want := range strings.Fields(interfaces) {
			found := false
			for _, i := range types[name].Interfaces {
				found = found || i.Name == want
			}
			if !found {
				t.Errorf("%s does not implement %s", name, want)
			}
		}
	}
}
