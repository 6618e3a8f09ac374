package store_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/page"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// argument is an argument of a filter; set adds it to one.
type argument struct {
	name string
	set  func(*store.Filter)
}

// filterArguments are the arguments in the table of docs/api.md.
var filterArguments = []argument{
	{"block", func(f *store.Filter) { f.Block = &evm.BlockNumberOrHash{Number: 105} }},
	{"address", func(f *store.Filter) { f.Address = ptr(collection(0)) }},
	{"tokenId", func(f *store.Filter) { f.TokenID = ptr(evm.NewUint256(7)) }},
	{"transactionHash", func(f *store.Filter) { f.TransactionHash = &evm.Hash{1} }},
	{"account", func(f *store.Filter) { f.Account = ptr(account(0)) }},
	{"addresses", func(f *store.Filter) { f.Addresses = []evm.Address{collection(0)} }},
	{"transactionHashes", func(f *store.Filter) { f.TransactionHashes = []evm.Hash{} }},
	{"accounts", func(f *store.Filter) { f.Accounts = []evm.Address{account(0), account(1)} }},
	{"tokens", func(f *store.Filter) { f.Tokens = make([]nft.TokenKey, 1) }},
}

// documentedFilters reads the table of docs/api.md. It returns the accepted sets of
// arguments, true for those with a range of blocks, and the table in the error's format.
func documentedFilters(t *testing.T) (accepted map[string]bool, text string) {
	t.Helper()
	api, err := os.ReadFile("../../docs/api.md")
	expect.NoError(t, err)
	_, table, _ := strings.Cut(string(api), "| filter | alone or with | narrowed to a range |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	accepted = map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\| (.+?) \| (.*?) ?\| (yes|no) \|$`).FindAllStringSubmatch(strings.ReplaceAll(table, "`", ""), -1) {
		filter, ranged := row[1], row[3] == "yes"
		text += filter
		if filter == "no filter" {
			filter = ""
		}
		accepted[setOf(filter)] = ranged
		if row[2] != "" {
			text += " alone or with " + row[2]
			for with := range strings.SplitSeq(row[2], ", ") {
				accepted[setOf(filter+" and "+with)] = ranged
			}
		}
		text += "; "
	}
	return accepted, text + "all except block also with fromBlock, toBlock, fromTime, toTime and finality"
}

// setOf returns the arguments that a text names, in the order of filterArguments.
func setOf(text string) string {
	set := ""
	for _, a := range filterArguments {
		if regexp.MustCompile(`\b` + a.name + `\b`).MatchString(text) {
			set += a.name + " "
		}
	}
	return set
}

// advises reports whether the message about a refused set of arguments, or about a range with a set
// that is known, names accepted sets.
func advises(message string, known bool, accepted map[string]bool) bool {
	got, want, found := strings.Cut(message, ": want ")
	if known {
		return strings.Contains(got, " can't be combined with ") && want == "one or the other"
	}
	if !found {
		_, complete := accepted[setOf(message)]
		return complete && regexp.MustCompile(` needs? `).MatchString(message)
	}
	for option := range strings.SplitSeq(want, ", or ") {
		if _, complete := accepted[setOf(option)]; !complete || setOf(option) == "" && want != "fewer of them" {
			return false
		}
	}
	return true
}

// TestFilter_AcceptedMatchesDocs tries every set of arguments, with and without a range of
// blocks. The error of a refused set names sets that are accepted.
func TestFilter_AcceptedMatchesDocs(t *testing.T) {
	accepted, text := documentedFilters(t)
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		blocks := branch(1, 1, 100, blockHash(1, 99), 20, between(6, 0))
		apply(t, s, blocks)
		expect.NoError(t, s.SetFinalized(t.Context(), blocks[10].Header))
		snap, tried := snapshot(t, s), 0
		for set := range 1 << len(filterArguments) {
			for i, f := range []store.Filter{
				{}, {Finality: store.Latest}, {FromBlock: ptr(evm.Long(102))}, {ToBlock: ptr(evm.Long(110))}, {FromTime: ptr(evm.Long(blocks[2].Header.Time))},
				{ToTime: ptr(evm.Long(blocks[4].Header.Time))}, {Finality: store.Finalized},
			} {
				isRanged, names := i > 1, ""
				for i, a := range filterArguments {
					if set&(1<<i) != 0 {
						a.set(&f)
						names += a.name + " "
					}
				}
				ranged, known := accepted[names]
				_, err := readPage(t.Context(), snap, f, page.Args{})
				if known && (ranged || !isRanged) {
					if tried++; err != nil {
						t.Errorf("%s: %v", describe(f), err)
					}
				} else if refused := wantCode(t, describe(f), err, apierror.BadUserInput); !advises(refused.Message, known, accepted) {
					t.Errorf("%s: %q", describe(f), refused.Message)
				}
			}
		}
		if tried < len(accepted) {
			t.Errorf("%d filters are accepted, want at least the %d of the table", tried, len(accepted))
		}
		_, err := readPage(t.Context(), snap, store.Filter{Order: "UP"}, page.Args{})
		wantCode(t, "another order", err, apierror.BadUserInput)
		_, err = readPage(t.Context(), snap, store.Filter{Finality: "SAFE"}, page.Args{})
		wantCode(t, "another finality", err, apierror.BadUserInput)
	})
	schema, err := os.ReadFile("../../schema.graphqls")
	expect.NoError(t, err)
	if !strings.Contains(strings.Join(strings.Fields(string(schema)), " "), "Accepted are: - "+strings.ReplaceAll(text, "; ", " - ")+" Other") {
		t.Errorf("schema.graphqls does not have the table: %s", text)
	}
}
