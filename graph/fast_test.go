package graph_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/graph"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/facet"
	"mintburn/internal/store/feed"
	"mintburn/internal/store/page"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/fasttest"
	"mintburn/internal/testing/storetest"
)

// filters are accepted combinations of arguments.
var filters = []string{"", "partial", "first partial", "after partial", "after first partial", "before last partial", "block order", "block partial",
	"address partial", "address first fromBlock order partial", "address tokenId toBlock partial", "address traits first", "transactionHash",
	"transactionHash address first", "account order partial", "account address first partial", "fromBlock", "fromBlock toBlock first",
	"addresses partial", "addresses account first order partial", "accounts partial", "accounts address fromBlock partial", "tokens first partial",
	"transactionHashes partial", "block addresses", "block address tokenId", "transactionHash address tokenId", "after kinds",
	"after addresses kinds first", "after accounts first"}

// TestFast_EqualsGenerated compares random operations with gqlgen's executor, and checks that
// those without errors do not need it. MINTBURN_SEED repeats the operations of a seed,
// MINTBURN_STEPS sets their number.
func TestFast_EqualsGenerated(t *testing.T) {
	compare := func(t *testing.T, s *write.DB, steps uint64) {
		values, wrong := populate(t, s)
		if testing.Short() {
			steps /= 4
		}
		compareRandom(t, s, values, wrong, steps)
	}
	t.Run("sqlite", func(t *testing.T) { compare(t, open(t), 2000) })
	t.Run("postgres", func(t *testing.T) { compare(t, openAt(t, storetest.Postgres(t)), 1000) })
}

// compareRandom compares random operations with these values of arguments.
func compareRandom(t *testing.T, s *write.DB, values, wrong map[string][]string, steps uint64) {
	t.Helper()
	schema := graph.NewSchema(s.MaxPageSize(), now)
	seed := expect.Variable(t, "MINTBURN_SEED", 1)
	t.Logf("to repeat: MINTBURN_SEED=%d", seed)
	fasttest.Comparison{
		Fast: schema, Written: newAsker(s, schema), Generated: newAsker(s, graph.NewGenerated(s, now)),
		Generator: &fasttest.Generator{Rand: rand.New(rand.NewPCG(seed, 0)), Schema: schema.Schema(), Depth: 6, Values: values, Wrong: wrong, Combinations: filters},
		Steps:     steps,
	}.Run(t)
}

// populate stores two ranges of blocks, and replaces the last blocks by a reorg. It returns
// argument values that match the blocks, and wrong values.
func populate(t testing.TB, s *write.DB) (values, wrong map[string][]string) {
	t.Helper()
	list := slices.Delete(blocks(40, 1), 20, 25)
	odd := &list[3].Mints[0]
	odd.TokenID, _ = evm.ParseUint256("115792089237316195423570985008687907853269984665640564039457584007913129639935")
	odd.Amount, _ = evm.ParseUint256("18446744073709551616")
	cursors := changeCursors(t, s, nil)
	apply(t, s, list)
	describe(t, s, list)
	for done := false; !done; {
		var err error
		done, err = write.StepTraits(t.Context(), s, (*facet.Changes).Build)
		expect.NoError(t, err)
	}
	values = map[string][]string{
		"BlockNumberOrHash":     {"1", "3", "`5`", `"0x7"`, `"16"`, `"latest"`, `"earliest"`},
		"BigInt":                {"1", "2", `"3"`, `"0x1"`, quoted(odd.TokenID)},
		"Long":                  {"1", "5", `"12"`, `"0x13"`, "19", "26"},
		"Order":                 {"`ASC`", "`DESC`"},
		"Boolean":               {"`true`"},
		"TraitFilter.traitType": {`"level"`, `""`, `"big"`},
		"TraitFilter.values":    {`"1"`, `"2"`, `"a \"b\""`},
		"Int":                   {"0", "1", "2", "3", "7", "20", "150", "1000"},
		"ID":                    {`"x"`},
		"String":                {`"STRASSE"`, `" straß"`, `""`, `"x"`},
	}
	wrong = map[string][]string{
		"BlockNumberOrHash":     {"22", "9999", `"x"`, "-1", "1.5", `"finalized"`, `"safe"`},
		"BigInt":                {"-1", `"y"`, "1.5", "`true`"},
		"Long":                  {"39", "9007199254740991", "9007199254740992", "-2", `"z"`},
		"TraitFilter.traitType": {"`5`"}, "TraitFilter.values": {"`5`"},
		"Int":     {"1001", "-1"},
		"Address": {`"0x00000000000000000000000000000000000000aa"`, `"x"`, `"0xAB"`, "`5`", `""`},
		"Bytes32": {`"0x01"`, quoted(evm.Hash{1})},
		"Cursor":  {`"x"`, `""`},
		"String":  {`"` + strings.Repeat("ß", 65) + `"`},
	}
	for _, b := range list {
		for _, r := range slices.Concat(b.Mints, b.Burns) {
			values["Address"] = append(values["Address"], quoted(r.Contract))
			values["Bytes32"] = append(values["Bytes32"], quoted(r.TxHash))
			account := r.To
			if r.Kind == nft.Burn {
				account = r.From
			}
			for _, field := range []string{"mints.account", "burns.account", "mints.accounts", "burns.accounts"} {
				values[field] = append(values[field], quoted(account))
			}
		}
		values["BlockNumberOrHash"] = append(values["BlockNumberOrHash"], quoted(b.Header.Hash))
	}
	collect(t, s, values, list[0].Mints[0].Contract)
	wrong["Cursor"] = append(wrong["Cursor"], values["burns.after"][0], values["mints.after"][0], values["tokenMetadata.after"][0])
	// The last blocks become orphaned, so their cursors are errors.
	fork := list[len(list)-4]
	other := blocks(40, 2)[37]
	other.Header.ParentHash = fork.Header.Hash
	expect.NoError(t, s.ReplaceAbove(t.Context(), fork.Header.Number, []nft.Block{other}, false))
	values["changes.after"] = append(cursors, changeCursors(t, s, &cursors[0])...)
	return values, wrong
}

// changeCursors returns the quoted cursors of a batch of changes after a quoted cursor, nil for now.
func changeCursors(t testing.TB, s *write.DB, after *string) (cursors []string) {
	t.Helper()
	if after != nil {
		after = ptr(strings.Trim(*after, `"`))
	}
	snapshot := store.NewSnapshot(s.Snapshot())
	defer snapshot.Close()
	batch, err := feed.Read(t.Context(), snapshot, feed.Filter{}, after, 300, 0)
	expect.NoError(t, err)
	cursors = []string{`"` + batch.Cursor + `"`}
	for i := 0; i < len(batch.Changes); i += 20 {
		cursors = append(cursors, `"`+batch.Changes[i].Cursor+`"`)
	}
	return cursors
}

func quoted(v fmt.Stringer) string { return `"` + v.String() + `"` }

// collect adds the cursors and ids on some pages to values.
func collect(t testing.TB, s *write.DB, values map[string][]string, address evm.Address) {
	t.Helper()
	snapshot := store.NewSnapshot(s.Snapshot())
	defer snapshot.Close()
	add := func(field, cursor, id string) {
		for _, name := range []string{field + ".after", field + ".before"} {
			values[name] = append(values[name], `"`+cursor+`"`)
		}
		values["ID"] = append(values["ID"], `"`+id+`"`)
	}
	for field, kind := range map[string]nft.Kind{"mints": nft.Mint, "burns": nft.Burn} {
		listed, err := snapshot.Page(store.Filter{Kind: kind, Partial: true}, page.Args{First: ptr(1000)})
		expect.NoError(t, err)
		expect.NoError(t, listed.Read(t.Context(), nil))
		for i := range listed.Items {
			if i%5 == 0 {
				add(field, listed.Cursor(i), listed.Items[i].ID())
			}
		}
	}
	listed, err := snapshot.MetadataPage(address, nil, page.Args{First: ptr(20)}, 0)
	expect.NoError(t, err)
	expect.NoError(t, listed.Read(t.Context(), nil))
	for i, m := range listed.Items {
		add("tokenMetadata", listed.Cursor(i), store.MetadataNodeID(m.TokenKey))
		versions, _, err := snapshot.VersionsOf(t.Context(), []*store.TokenMetadata{m}, 0, page.Args{})
		expect.NoError(t, err)
		for k := range versions[0].Items {
			add("versions", versions[0].Cursor(k), store.MetadataNodeID(m.TokenKey))
		}
	}
	values["tokenMetadata.address"] = []string{quoted(address)}
	list, err := snapshot.Collections(store.CollectionFilter{Order: store.Desc, Partial: true}, page.Args{})
	expect.NoError(t, err)
	expect.NoError(t, list.Read(t.Context(), nil))
	for i, c := range list.Items {
		add("collections", list.Cursor(i), store.CollectionNodeID(c.Address))
		tokens, err := snapshot.Tokens(c, true, page.Args{First: ptr(2)})
		expect.NoError(t, err)
		expect.NoError(t, tokens.Read(t.Context(), nil))
		for k, token := range tokens.Items {
			add("tokens", tokens.Cursor(k), store.TokenNodeID(token.TokenKey))
		}
		traits, err := snapshot.Traits(c, page.Args{})
		expect.NoError(t, err)
		expect.NoError(t, traits.Read(t.Context(), nil))
		for k := range traits.Items {
			add("traits", traits.Cursor(k), store.CollectionNodeID(c.Address))
		}
	}
}

// TestFast_ReadsAllBeforeTheEnd checks that nothing is left to read when the last read of an
// operation ends the transaction. It selects each field of a root field next to another root
// field whose total is read last.
func TestFast_ReadsAllBeforeTheEnd(t *testing.T) {
	s := openAt(t, storetest.Postgres(t))
	values, _ := populate(t, s)
	schema := graph.NewSchema(s.MaxPageSize(), now)
	a := newAsker(s, schema)
	block, address := values["BlockNumberOrHash"][len(values["BlockNumberOrHash"])-30], values["tokenMetadata.address"][0]
	ask := func(root string, field *ast.FieldDefinition) {
		text := fmt.Sprintf("{ mints(block: %s, address: %s, tokenId: 1) { totalItems } other: %s { %s } }", block, address, root, leaves(schema.Schema(), field, 2))
		document, err := a.Parse(text)
		expect.NoError(t, err)
		if r := a.Ask(t.Context(), document, nil); len(r.Errors) > 0 {
			t.Errorf("%s: %v", text, r.Errors)
		}
	}
	for of, root := range map[string]string{
		"MintConnection": "mints(first: 2, partial: true)", "BurnConnection": "burns(first: 2, partial: true)",
		"CollectionConnection":    "collections(first: 2, partial: true)",
		"TokenMetadataConnection": "tokenMetadata(address: " + address + ", first: 2)",
		"Collection":              "collection(address: " + address + ")",
		"Chain":                   "chain",
		"Transaction":             "transaction(hash: " + values["Bytes32"][0] + ")",
	} {
		for _, field := range schema.Schema().Types[of].Fields {
			ask(root, field)
			if name, arguments, page := strings.Cut(root, "first"); page {
				ask(name+"after: "+values[root[:strings.Index(root, "(")]+".after"][0]+", first"+arguments, field)
			}
		}
	}
}

// leaves returns the selection of all leaves below a field, to a depth.
func leaves(schema *ast.Schema, field *ast.FieldDefinition, depth int) string {
	text := field.Name
	switch {
	case field.Name == "buckets":
		text += "(interval: DAY)"
	case field.Name == "digest":
		text += "(fromBlock: 1, toBlock: 5)"
	case field.Arguments.ForName("partial") != nil:
		text += "(partial: true)"
	}
	of := schema.Types[field.Type.Name()]
	if len(of.Fields) == 0 {
		return text
	}
	text += " { __typename"
	for _, f := range of.Fields {
		if depth > 0 || len(schema.Types[f.Type.Name()].Fields) == 0 {
			text += " " + leaves(schema, f, depth-1)
		}
	}
	return text + " }"
}

// TestFast_Writes checks that pages are answered without gqlgen's executor, which would be
// slow.
func TestFast_Writes(t *testing.T) {
	s, address := indexed(t, 40)
	schema := graph.NewSchema(s.MaxPageSize(), now)
	a := newAsker(s, schema)
	for _, page := range benchPages {
		document, err := a.Parse(page.of(address, 18))
		expect.NoError(t, err)
		if r := a.Ask(t.Context(), document, nil); len(r.Errors) > 0 {
			t.Errorf("%s: %v", page.name, r.Errors)
		}
	}
	if n := schema.Generated(); n > 0 {
		t.Errorf("the generated code answered %d of %d operations", n, len(benchPages))
	}
}

// TestFast_LeavesIntrospectionToGenerated checks that gqlgen's executor answers exactly the
// root fields that the fast one does not support.
func TestFast_LeavesIntrospectionToGenerated(t *testing.T) {
	s, _ := indexed(t, 40)
	schema := graph.NewSchema(s.MaxPageSize(), now)
	a := newAsker(s, schema)
	generated := int64(0)
	for _, operation := range []struct {
		text   string
		fields int64
	}{
		{`{ mints { page } chain { lag } node(id: "TWludA") { id } }`, 1},
		{`{ mints { page } a: __schema { queryType { name } } chain { lag } b: __type(name: "Mint") { name } }`, 2},
	} {
		document, err := a.Parse(operation.text)
		expect.NoError(t, err)
		r := a.Ask(t.Context(), document, nil)
		t.Logf("%s %v", r.Data, r.Errors)
		if generated += operation.fields; schema.Generated() != generated {
			t.Errorf("%s: gqlgen has answered %d root fields, want %d", operation.text, schema.Generated(), generated)
		}
	}
}
