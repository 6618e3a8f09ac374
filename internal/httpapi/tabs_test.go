package httpapi_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"mintburn/internal/evm"
	"mintburn/internal/httpapi/page"
	"mintburn/internal/testing/expect"
)

func allExamples(t *testing.T) page.Examples {
	t.Helper()
	address := func(digit string) *evm.Address {
		a, err := evm.ParseAddress("0x" + strings.Repeat(digit, 40))
		expect.NoError(t, err)
		return &a
	}
	block, from, to := evm.Long(7), evm.Long(3), evm.Long(9)
	tx, err := evm.ParseHash("0x" + strings.Repeat("e", 64))
	expect.NoError(t, err)
	id, err := evm.ParseUint256("0x" + strings.Repeat("f", 64))
	expect.NoError(t, err)
	return page.Examples{
		BlockNumber: &block,
		BurnAddress: address("a"), FromBlock: &from, ToBlock: &to,
		MintAddress: address("b"), MintTx: &tx,
		BurnTokenAddress: address("c"), BurnTokenID: &id,
		MetadataAddress: address("d"),
	}
}

func TestTabs_VariablesAreTheExamples(t *testing.T) {
	a, b, c, d := "0x"+strings.Repeat("a", 40), "0x"+strings.Repeat("b", 40), "0x"+strings.Repeat("c", 40), "0x"+strings.Repeat("d", 40)
	tx := "0x" + strings.Repeat("e", 64)
	const id = "115792089237316195423570985008687907853269984665640564039457584007913129639935"
	want := map[string]map[string]any{
		"MintsByBlock":       {"block": 7.0, "first": 20.0},
		"BurnsInBlocks":      {"address": a, "fromBlock": 3.0, "toBlock": 9.0, "first": 20.0},
		"MintsByTransaction": {"address": b, "transactionHash": tx, "first": 20.0},
		"BurnsByToken":       {"address": c, "tokenId": id, "first": 20.0},
		"MetadataByContract": {"address": d, "first": 20.0},
		"BurnsOfCollections": {"addresses": []any{a, b}, "first": 20.0},
		"MintsByMonth":       {"address": b, "interval": "MONTH", "first": 20.0},
		"TokenAndCollection": {"address": c, "tokenId": id, "first": 20.0},
		"Changes":            {},
		"Batch": {
			"block": 7.0, "burnAddress": a, "fromBlock": 3.0, "toBlock": 9.0, "mintAddress": b,
			"transactionHash": tx, "tokenAddress": c, "tokenId": id, "metadataAddress": d, "first": 20.0,
		},
	}
	got := map[string]map[string]any{}
	for _, tab := range page.Tabs(allExamples(t)) {
		var variables map[string]any
		if err := json.Unmarshal([]byte(tab.Variables), &variables); err != nil {
			t.Fatalf("variables of %s: %v", tab.Title, err)
		}
		got[tab.Title] = variables
		if strings.Contains(tab.Query, "no example") || tab.Missing {
			t.Errorf("%s says that it has no example", tab.Title)
		}
	}
	expect.Equal(t, "variables", want, got)
}

func TestTabs_EmptyDatabase(t *testing.T) {
	for _, tab := range page.Tabs(page.Examples{}) {
		if needs := tab.Title != "Changes"; needs != strings.HasPrefix(tab.Query, "# The database has no example") || needs != tab.Missing {
			t.Errorf("%s says something else about its examples:\n%s", tab.Title, tab.Query)
		}
		if !json.Valid([]byte(tab.Variables)) {
			t.Errorf("variables of %s are not JSON: %s", tab.Title, tab.Variables)
		}
	}
}

// TestTabs_FitTheSchema checks that each tab is valid, has one operation named like the tab,
// and has values only for that operation's variables.
func TestTabs_FitTheSchema(t *testing.T) {
	schema := config(nil).Schema.Schema()
	for _, tab := range page.Tabs(allExamples(t)) {
		document, err := gqlparser.LoadQueryWithRules(schema, tab.Query, rules.NewDefaultRules())
		if err != nil {
			t.Fatalf("%s: %v", tab.Title, err)
		}
		if len(document.Operations) != 1 || document.Operations[0].Name != tab.Title {
			t.Fatalf("operations %v, want %s alone", document.Operations, tab.Title)
		}
		var variables map[string]any
		expect.NoError(t, json.Unmarshal([]byte(tab.Variables), &variables))
		for _, definition := range document.Operations[0].VariableDefinitions {
			if _, given := variables[definition.Variable]; definition.Type.NonNull && !given {
				t.Errorf("%s: no value for $%s", tab.Title, definition.Variable)
			}
			delete(variables, definition.Variable)
		}
		if len(variables) != 0 {
			t.Errorf("%s: values for unknown variables: %v", tab.Title, variables)
		}
	}
}
