package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// known are values of a dataset.
type known struct {
	// mints and burns have the values that go with some records.
	mints, burns []subject
	// cursors are those of pages of 1 to 5 items, by the field of the connection, without
	// arguments if there is one on Query.
	cursors map[string][]string
	// ids are those of nodes of all types, name is that of a collection.
	ids  []string
	name string
}

// A subject has values for arguments, parameters and flags, by their canonical names or those of
// their types. They belong to one record.
type subject map[string]string

// canonical returns the name without case and separators: fromBlock, from_block and from-block
// have one value.
func canonical(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}

// learnt asks for records from both ends of the lists.
const learnt = `query($first: Int, $last: Int, $order: Order) {
	mints(first: $first, last: $last, partial: true) { edges { cursor node { ...R } } }
	burns(first: $first, last: $last, partial: true) { edges { cursor node { ...R } } }
	chain { head { number } }
	collections(first: 5, order: $order, partial: true) { edges { cursor node {
		id name
		mints(last: 2, partial: true) { edges { node { ...R } } }
		burns(last: 2, partial: true) { edges { node { ...R } } }
		tokens(first: 5, partial: true) { edges { cursor node { id } } }
		tokenMetadata(first: 5) { edges { cursor node { id versions(first: 1) { edges { cursor } } } } }
	} } }
}
fragment R on Transfer {
	id tokenAddress tokenId from to transactionHash blockHash blockNumber timestamp metadata { attributes { traitType value } }
}`

// learn asks the old program for values.
func (c *comparison) learn(ctx context.Context) (*known, error) {
	k := &known{name: "a", cursors: map[string][]string{}}
	for _, variables := range []map[string]any{{"first": 5, "order": "ASC"}, {"last": 5, "order": "DESC"}} {
		body, err := json.Marshal(map[string]any{"query": learnt, "variables": variables})
		if err != nil {
			return nil, err
		}
		answer := c.sides[0].ask(ctx, request{path: "/graphql", body: string(body)})
		_, text, _ := bytes.Cut(answer, []byte("\n\n"))
		var got struct{ Data map[string]any }
		if err := json.Unmarshal(text, &got); err != nil || got.Data["chain"] == nil {
			return nil, fmt.Errorf("asking for known values: %s", answer)
		}
		k.add("", got.Data)
	}
	if len(k.mints) == 0 || len(k.burns) == 0 {
		return nil, errors.New("the dataset has no mints or no burns")
	}
	return k, nil
}

// add adds the values of an answer. field is the last connection above.
func (k *known) add(field string, value any) {
	list, _ := value.([]any)
	for _, item := range list {
		k.add(field, item)
	}
	object, _ := value.(map[string]any)
	if cursor, ok := object["cursor"].(string); ok {
		k.cursors[field] = append(k.cursors[field], cursor)
	}
	if id, ok := object["id"].(string); ok {
		k.ids = append(k.ids, id)
	}
	if name, ok := object["name"].(string); ok {
		k.name = name
	}
	switch _, ok := object["transactionHash"]; {
	case ok && field == "burns":
		k.burns = append(k.burns, k.subject(object, "from"))
	case ok:
		k.mints = append(k.mints, k.subject(object, "to"))
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if name == "edges" || name == "node" {
			k.add(field, object[name])
		} else {
			k.add(name, object[name])
		}
	}
}

// subject returns the values that belong to a record, whose account is in a field.
func (k *known) subject(record map[string]any, account string) subject {
	text := func(name string) string { return fmt.Sprint(record[name]) }
	s := subject{
		"address": text("tokenAddress"), "tokenid": text("tokenId"), "account": text(account), "transactionhash": text("transactionHash"),
		"blockhash": text("blockHash"), "block": text("blockNumber"), "fromtime": text("timestamp"), "id": text("id"),
		"first": "3", "order": "DESC", "finality": "FINALIZED", "interval": "DAY", "partial": "true", "search": k.name, "kinds": "ADDED",
		"kind": "added", "wait": "0s", "after": "{START}", "traittype": "Hat", "values": "Hat 1",
	}
	if metadata, ok := record["metadata"].(map[string]any); ok {
		for _, attribute := range metadata["attributes"].([]any) {
			s["traittype"], s["values"] = fmt.Sprint(attribute.(map[string]any)["traitType"]), fmt.Sprint(attribute.(map[string]any)["value"])
		}
	}
	s["tokens"] = s["address"] + ":" + s["tokenid"]
	for name, as := range map[string]string{
		"addresses": "address", "contract": "address", "tokenaddress": "address", "accounts": "account", "transactionhashes": "transactionhash",
		"hash": "transactionhash", "bytes32": "transactionhash", "bigint": "tokenid", "atblock": "block", "fromblock": "block", "toblock": "block",
		"blocknumberorhash": "block", "long": "block", "totime": "fromtime", "ids": "id", "keys": "tokens", "limit": "first", "int": "first",
		"boolean": "partial", "string": "search",
	} {
		s[name] = s[as]
	}
	return s
}

// pick returns the subject of a text: a burn's if it is about burns, always the same one.
func (k *known) pick(text string) subject {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(text))
	list := k.mints
	if strings.Contains(text, "burn") {
		list = k.burns
	}
	return list[int(hash.Sum32()%uint32(len(list)))]
}

// literals matches the values of a document that belong to its dataset, with their names.
var literals = regexp.MustCompile(`(?:\b(\w+)(\s*:\s*\[?\s*))?("[^"]*"|\b\d+\b)`)

// into returns a document with the addresses, hashes, ids and block numbers of the subject.
func (s subject) into(text string) string {
	return literals.ReplaceAllStringFunc(text, func(found string) string {
		parts := literals.FindStringSubmatch(found)
		name, value := canonical(parts[1]), parts[3]
		switch is := func(names string) bool { return slices.Contains(strings.Fields(names), name) }; {
		case len(value) == 68 && is("block"):
			name = "blockhash"
		case len(value) == 68:
			name = "transactionhash"
		case len(value) == 44 && !is("account accounts from to"):
			name = "address"
		case len(value) == 44:
			name = "account"
		case !is("block tokenid fromblock toblock atblock fromtime totime id traittype values"):
			return found
		}
		return strings.TrimSuffix(found, value) + strconv.Quote(s[name])
	})
}

// value returns a value in JSON for a variable or an argument, or nil. A list may be one value.
func (s subject) value(schema *ast.Schema, name string, typ *ast.Type) any {
	definition := schema.Types[typ.Name()]
	text, ok := s[canonical(name)]
	if !ok && definition != nil {
		text, ok = s[canonical(definition.Name)]
	}
	switch {
	case definition == nil || definition.Name == "Cursor":
		return nil
	case definition.Kind == ast.InputObject:
		object := map[string]any{}
		for _, f := range definition.Fields {
			object[f.Name] = s.value(schema, f.Name, f.Type)
		}
		return object
	case definition.Kind == ast.Enum && definition.EnumValues.ForName(text) == nil:
		return definition.EnumValues[0].Name
	case definition.Name == "Boolean":
		return true
	case definition.Name == "Int":
		return 3
	case !ok:
		return nil
	}
	return text
}
