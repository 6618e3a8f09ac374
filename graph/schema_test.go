package graph_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/graph"
	"mintburn/internal/testing/apitest"
)

// types returns the schema's types, except those of introspection.
func types() map[string]*ast.Definition {
	list := map[string]*ast.Definition{}
	for name, typ := range graph.NewSchema(1_000, now).Schema().Types {
		if !strings.HasPrefix(name, "__") {
			list[name] = typ
		}
	}
	return list
}

// fieldsOf returns a type's fields, except those of introspection.
func fieldsOf(typ *ast.Definition) (list ast.FieldList) {
	for _, f := range typ.Fields {
		if !strings.HasPrefix(f.Name, "__") {
			list = append(list, f)
		}
	}
	return list
}

func TestSchema_EverythingDescribed(t *testing.T) {
	check := func(name, description string) {
		if len(strings.TrimSpace(description)) < 5 || !regexp.MustCompile(`[.)]$`).MatchString(description) {
			t.Errorf("%s: description %q, want a sentence", name, description)
		}
	}
	fields := 0
	for _, typ := range types() {
		check(typ.Name, typ.Description)
		for _, f := range fieldsOf(typ) {
			fields++
			check(typ.Name+"."+f.Name, f.Description)
			for _, a := range f.Arguments {
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
	types := types()
	// The types of the documented fields that are not String.
	scalars := map[string]string{
		"token_address": "Address", "collection_address": "Address", "from": "Address", "to": "Address", "operator": "Address",
		"contract_type": "ContractType", "collection_type": "ContractType", "token_id": "BigInt", "amount": "BigInt",
		"block_hash": "Bytes32", "transaction_hash": "Bytes32", "block_number": "Long", "timestamp": "Long", "block_time": "Long",
		"updated_at": "Long", "total_items": "Long", "trait_count": "Long", "order": "Long", "log_index": "Int", "page": "Int", "limit": "Int",
		"max_value": "Float", "cursor": "Cursor", "attributes": "[Attribute!]",
	}
	for name, resource := range map[string]string{
		"Transfer": "Transfer", "Mint": "Transfer", "Burn": "Transfer", "TokenMetadata": "TokenMetadata", "Attribute": "Attribute",
		"MintConnection": "Page", "BurnConnection": "Page", "TokenMetadataConnection": "Page", "TokenConnection": "Page", "CollectionConnection": "Page",
	} {
		typ := types[name]
		if typ == nil {
			t.Errorf("no type %s", name)
			continue
		}
		for _, field := range strings.Fields(apitest.Documented[resource]) {
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
			camel := apitest.Camel(snake)
			f := typ.Fields.ForName(camel)
			if f == nil || f.Type.String() != want {
				t.Errorf("%s.%s is %+v, want the type %s", name, camel, f, want)
			} else if camel != snake && !strings.Contains(f.Description, "("+snake+")") {
				t.Errorf("%s.%s does not name %s: %q", name, camel, snake, f.Description)
			}
		}
	}
}

// TestSchema_Nullability checks that only values that may be missing are nullable.
func TestSchema_Nullability(t *testing.T) {
	got := map[string]string{}
	for _, typ := range types() {
		for _, f := range fieldsOf(typ) {
			if !f.Type.NonNull {
				got[typ.Name+"."+f.Name] = f.Type.String()
			}
		}
	}
	want := map[string]string{
		"Query.mints": "MintConnection", "Query.burns": "BurnConnection", "Query.tokenMetadata": "TokenMetadataConnection",
		"Query.node": "Node", "Query.nodes": "[Node]", "Query.chain": "Chain", "Query.changes": "ChangeBatch",
		"Query.token": "Token", "Query.tokens": "[Token]", "Query.collection": "Collection", "Query.collections": "CollectionConnection",
		"Query.transaction": "Transaction", "Query.block": "Block", "Block.proof": "BlockProof", "BlockProof.receipts": "[Bytes!]", "Transaction.index": "Int", "Transaction.mints": "MintConnection", "Transaction.burns": "BurnConnection",
		"Transaction.details": "TransactionDetails", "TransactionDetails.to": "Address", "TransactionDetails.fee": "BigInt",
		"Token.minted": "BigInt", "Token.burned": "BigInt", "Token.metadata": "TokenMetadata", "Token.lastBurn": "Burn", "TokenMetadata.token": "Token",
		"TokenMetadata.versions": "MetadataVersionConnection", "MetadataVersion.uri": "String", "MetadataVersion.raw": "String",
		"Collection.mintedItems": "Long", "Collection.burnedItems": "Long", "Collection.tokens": "TokenConnection", "Collection.tokenMetadata": "TokenMetadataConnection",
		"Chain.chainId": "Long",
		"Chain.head":    "Block", "Chain.finalized": "Block", "Chain.lag": "Long", "Chain.contracts": "[Address!]", "Chain.rangeCap": "Long", "Chain.digest": "Digest", "Chain.provable": "Boolean", "ChangeBatch.head": "Block",
		"Endpoint.healthy": "Boolean", "Endpoint.head": "Long", "Endpoint.firstBlock": "Long", "Endpoint.lastError": "String", "MetadataChanged.metadata": "TokenMetadata",
		"PageInfo.startCursor": "Cursor", "PageInfo.endCursor": "Cursor",
		"Attribute.maxValue": "Float", "Attribute.displayType": "String", "Collection.traits": "TraitConnection", "TraitConnection.cursor": "Cursor",
		"Bucket.fromBlock": "Long", "Bucket.toBlock": "Long", "MintConnection.buckets": "[Bucket!]", "BurnConnection.buckets": "[Bucket!]",
	}
	for _, name := range []string{"Transfer", "Mint", "Burn"} {
		want[name+".operator"], want[name+".metadata"], want[name+".transactionIndex"], want[name+".token"] = "Address", "TokenMetadata", "Int", "Token"
	}
	for _, name := range []string{"Token", "Collection"} {
		want[name+".supply"], want[name+".firstMint"], want[name+".lastMint"] = "BigInt", "Mint", "Mint"
		want[name+".mints"], want[name+".burns"] = "MintConnection", "BurnConnection"
	}
	for _, name := range []string{"Mint", "Burn", "TokenMetadata", "Token", "Collection", "MetadataVersion"} {
		want[name+"Connection.cursor"] = "Cursor"
	}
	for _, name := range strings.Fields("name description image externalUrl imageData backgroundColor youtubeUrl animationUrl uri raw error") {
		want["TokenMetadata."+name] = "String"
	}
	want["TokenMetadata.nextTry"] = "Long"
	want["Collection.name"], want["Collection.symbol"], want["Collection.metadata"] = "String", "String", "CollectionMetadata"
	for _, name := range strings.Fields("name symbol description image bannerImage featuredImage externalUrl uri raw error") {
		want["CollectionMetadata."+name] = "String"
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("nullable fields (-want +got):\n%s", diff)
	}
}

func TestSchema_Query(t *testing.T) {
	types := types()
	const paging = "first: Int, after: Cursor, last: Int, before: Cursor"
	const filters = "block: BlockNumberOrHash, address: Address, tokenId: BigInt, transactionHash: Bytes32, account: Address, " +
		"addresses: [Address!], transactionHashes: [Bytes32!], accounts: [Address!], tokens: [TokenKey!], " +
		"fromBlock: Long, toBlock: Long, fromTime: Long, toTime: Long, finality: Finality = LATEST, order: Order = ASC, partial: Boolean = false, " + paging
	want := map[string]string{
		"mints":         "(" + filters + "): MintConnection",
		"burns":         "(" + filters + "): BurnConnection",
		"tokenMetadata": "(address: Address!, tokenId: BigInt, traits: [TraitFilter!], " + paging + "): TokenMetadataConnection",
		"token":         "(address: Address!, tokenId: BigInt!): Token",
		"tokens":        "(keys: [TokenKey!]!): [Token]",
		"collection":    "(address: Address!): Collection",
		"collections":   "(search: String, addresses: [Address!], order: Order = DESC, partial: Boolean = false, " + paging + "): CollectionConnection",
		"transaction":   "(hash: Bytes32!): Transaction",
		"block":         "(block: BlockNumberOrHash!): Block",
		"node":          "(id: ID!): Node",
		"nodes":         "(ids: [ID!]!): [Node]",
		"chain":         "(): Chain",
		"changes":       "(after: Cursor, first: Int, addresses: [Address!], accounts: [Address!], kinds: [ChangeKind!]): ChangeBatch",
	}
	got := map[string]string{}
	for _, f := range fieldsOf(types["Query"]) {
		var arguments []string
		for _, a := range f.Arguments {
			text := a.Name + ": " + a.Type.String()
			if a.DefaultValue != nil {
				text += " = " + a.DefaultValue.String()
			}
			arguments = append(arguments, text)
		}
		got[f.Name] = "(" + strings.Join(arguments, ", ") + "): " + f.Type.String()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Query (-want +got):\n%s", diff)
	}
	// Descriptions contain the documented names of arguments.
	for _, f := range fieldsOf(types["Query"]) {
		inputs := map[string]map[string]string{
			"mints": {"block": "block_number_or_hash", "transactionHash": "transaction_hash", "first": "limit", "after": "cursor"},
			"burns": {"fromBlock": "from_block", "toBlock": "to_block", "tokenId": "token_id", "first": "limit", "after": "cursor"},
		}[f.Name]
		for _, a := range f.Arguments {
			if documented, ok := inputs[a.Name]; ok && !strings.Contains(a.Description, "("+documented+")") {
				t.Errorf("%s(%s) does not name %s: %q", f.Name, a.Name, documented, a.Description)
			}
		}
	}
	for name, interfaces := range map[string][]string{"Mint": {"Node", "Transfer"}, "Burn": {"Node", "Transfer"}, "TokenMetadata": {"Node"}, "Token": {"Node"}, "Collection": {"Node"}} {
		if got := slices.Sorted(slices.Values(types[name].Interfaces)); !slices.Equal(got, interfaces) {
			t.Errorf("%s implements %s, want %s", name, got, interfaces)
		}
	}
}
