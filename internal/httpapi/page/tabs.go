package page

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"mintburn/internal/evm"
	"mintburn/internal/httpapi/documented"
)

// Tab is an example tab of the page at /.
type Tab struct {
	// Title is the name of the query's operation, which GraphiQL shows.
	Title string `json:"title"`
	// Query is a GraphQL document with one operation.
	Query string `json:"query"`
	// Variables is the JSON object of the operation's variables.
	Variables string `json:"variables"`
	// Missing reports that the database has no example for one of the variables.
	Missing bool `json:"missing,omitempty"`
}

// Examples are values from the served database for the example tabs. Nil means that the database
// has no such value. The values of one operation are all nil or all set.
type Examples struct {
	// BlockNumber is a block with mints, for MintsByBlock.
	BlockNumber *evm.Long
	// BurnAddress is a collection with burns in the blocks from FromBlock to
	// ToBlock, both inclusive, for BurnsInBlocks.
	BurnAddress        *evm.Address
	FromBlock, ToBlock *evm.Long
	// MintAddress is a collection with mints in the transaction MintTx, for
	// MintsByTransaction.
	MintAddress *evm.Address
	MintTx      *evm.Hash
	// BurnTokenAddress is a collection whose token BurnTokenID was burned, for
	// BurnsByToken.
	BurnTokenAddress *evm.Address
	BurnTokenID      *evm.Uint256
	// MetadataAddress is a collection with metadata, for MetadataByContract.
	MetadataAddress *evm.Address
}

// pageSize is the page size in the variables of the example tabs.
const pageSize = 20

// tabOperation is one of the five documented operations.
type tabOperation struct {
	title, comment, field string
	// fragment selects the fields of an item.
	fragment  *fragment
	arguments []tabArgument
}

// fragment is a fragment of the example tabs.
type fragment struct{ name, text string }

// tabArgument is an argument with an example.
type tabArgument struct {
	name, typ string
	// batch is the name of the argument's variable in the tab of all operations. If empty, the
	// argument is optional and has no value there.
	batch string
	// example is a pointer to a value, which may be nil.
	example any
}

// tabOperations returns the five documented operations.
func tabOperations(e Examples) []tabOperation {
	record := recordFragment()
	metadata := &fragment{"Metadata", "\nfragment Metadata on TokenMetadata {\n" + documented.CamelFields(documented.MetadataFields, "  ") +
		"  attributes {\n" + documented.CamelFields(documented.AttributeFields, "    ") + "  }\n}\n"}
	return []tabOperation{
		{"MintsByBlock", "Mints in one block, by number or hash.\n# For the next page add \"after\": the cursor of this one.", "mints", record,
			[]tabArgument{{"block", "BlockNumberOrHash!", "block", e.BlockNumber}}},
		{"BurnsInBlocks", "Burns of a collection in a range of blocks, inclusive at both ends.", "burns", record, []tabArgument{
			{"address", "Address!", "burnAddress", e.BurnAddress}, {"fromBlock", "Long!", "fromBlock", e.FromBlock}, {"toBlock", "Long!", "toBlock", e.ToBlock}}},
		{"MintsByTransaction", "Mints of a collection in one transaction.", "mints", record, []tabArgument{
			{"address", "Address!", "mintAddress", e.MintAddress}, {"transactionHash", "Bytes32!", "transactionHash", e.MintTx}}},
		{"BurnsByToken", "Burns of one token, with time and sender.", "burns", record, []tabArgument{
			{"address", "Address!", "tokenAddress", e.BurnTokenAddress}, {"tokenId", "BigInt!", "tokenId", e.BurnTokenID}}},
		{"MetadataByContract", "Metadata of a collection's tokens, by token id.\n# For one token add \"tokenId\".", "tokenMetadata", metadata, []tabArgument{
			{"address", "Address!", "metadataAddress", e.MetadataAddress}, {"tokenId", "BigInt", "", nil}}},
	}
}

// recordFragment selects the fields of a mint or burn.
func recordFragment() *fragment {
	return &fragment{"Record", "\nfragment Record on Transfer {\n" + documented.CamelFields(documented.TransferFields, "  ") + "}\n"}
}

// Tabs returns the example tabs: one for each of the five documented operations, one for all of
// them in one request, one with a list, one with totals by time, one for a token and its
// collection, and one that subscribes to changes. Without an example, a tab says so in a comment and has zeros in its variables.
func Tabs(e Examples) []Tab {
	var tabs []Tab
	batch := newTab("Batch", "All five operations in one request. They read the same state of the data.")
	var fragments []string
	for _, o := range tabOperations(e) {
		one := newTab(o.title, o.comment)
		var own, shared []string
		for _, a := range o.arguments {
			own = append(own, a.name+": $"+a.name)
			one.define(a.name, a.typ, a.example)
			if a.batch != "" {
				shared = append(shared, a.name+": $"+a.batch)
				batch.define(a.batch, a.typ, a.example)
			}
		}
		one.define("first", "Int", pageSize)
		one.define("after", "Cursor", nil)
		one.selectPage(o.field, append(own, "first: $first", "after: $after"), o.fragment)
		tabs = append(tabs, one.tab(o.fragment.text))
		batch.selectPage(strings.ToLower(o.title[:1])+o.title[1:]+": "+o.field, append(shared, "first: $first"), o.fragment)
		if len(fragments) == 0 || fragments[len(fragments)-1] != o.fragment.text {
			fragments = append(fragments, o.fragment.text)
		}
	}
	batch.define("first", "Int", pageSize)
	return append(tabs, batch.tab(fragments...), listTab(e), bucketsTab(e), tokenTab(e), changesTab())
}

// listTab returns the tab with a list of values.
func listTab(e Examples) Tab {
	var addresses *[2]evm.Address
	if e.BurnAddress != nil && e.MintAddress != nil {
		addresses = &[...]evm.Address{*e.BurnAddress, *e.MintAddress}
	}
	w, record := newTab("BurnsOfCollections", "Burns of several collections, newest first.\n# Other lists are accounts, transactionHashes and tokens."), recordFragment()
	w.define("addresses", "[Address!]!", addresses)
	w.define("first", "Int", pageSize)
	w.define("after", "Cursor", nil)
	w.selectPage("burns", []string{"addresses: $addresses", "order: DESC", "partial: true", "first: $first", "after: $after"}, record)
	return w.tab(record.text)
}

// bucketsTab returns the tab with totals by time. MONTH is the only interval that never has
// too many buckets, on any chain.
func bucketsTab(e Examples) Tab {
	w, record := newTab("MintsByMonth", "Mints of a collection by month, and the newest ones.\n# interval is HOUR, DAY, WEEK or MONTH; fromTime and toTime make a range."), recordFragment()
	w.define("address", "Address!", e.MintAddress)
	w.define("interval", "Interval!", "MONTH")
	w.define("first", "Int", pageSize)
	w.selectPage("mints", []string{"address: $address", "order: DESC", "partial: true", "first: $first"}, record,
		"buckets(interval: $interval) {", "  fromTime", "  toTime", "  totalItems", "}")
	return w.tab(record.text)
}

// tokenTab returns the tab for a token and its collection.
func tokenTab(e Examples) Tab {
	w, record := newTab("TokenAndCollection", "A token with its state, last mint and last burn,\n# and its collection."), recordFragment()
	w.define("address", "Address!", e.BurnTokenAddress)
	w.define("tokenId", "BigInt!", e.BurnTokenID)
	w.define("first", "Int", pageSize)
	w.fields.WriteString(`  token(address: $address, tokenId: $tokenId) {
    contractType
    state
    supply
    lastMint {
      ...Record
    }
    lastBurn {
      ...Record
    }
  }
  collection(address: $address) {
    mintedItems
    burnedItems
    documents {
      resolved
      pending
      failed
      untried
    }
    tokens(first: $first) {
      totalItems
      data {
        tokenId
        state
      }
    }
  }
`)
	return w.tab(record.text)
}

// changesTab returns the tab with a subscription.
func changesTab() Tab {
	w, record := newTab("Changes", "What changes, as it changes.\n# To continue later add \"after\": the last cursor."), recordFragment()
	w.operation = "subscription"
	w.define("after", "Cursor", nil)
	w.fields.WriteString(`  changes(after: $after) {
    cursor
    head {
      number
    }
    changes {
      kind
      ... on RecordAdded {
        transfer {
          ...Record
        }
      }
      ... on BlocksVoided {
        cause
        blocks {
          fromBlock
          toBlock
        }
      }
      ... on BlocksFinalized {
        block {
          number
        }
      }
      ... on MetadataChanged {
        address
        tokenId
        metadata {
          name
        }
      }
    }
  }
`)
	return w.tab(record.text)
}

// tabWriter builds a tab.
type tabWriter struct {
	// operation is query or subscription.
	operation, title, comment string

	definitions, fields strings.Builder
	variables           []string
	// missing reports that a variable has no example.
	missing bool
}

func newTab(title, comment string) *tabWriter {
	return &tabWriter{operation: "query", title: title, comment: comment}
}

// define defines a variable. example is its value, a pointer to it, or nil for none.
func (w *tabWriter) define(name, typ string, example any) {
	fmt.Fprintf(&w.definitions, "  $%s: %s\n", name, typ)
	if example == nil {
		return
	}
	if p := reflect.ValueOf(example); p.Kind() == reflect.Pointer && p.IsNil() {
		w.missing, example = true, reflect.New(p.Type().Elem()).Interface()
	}
	// Marshal cannot fail, because values are ints or types of package evm.
	text, _ := json.Marshal(example)
	w.variables = append(w.variables, fmt.Sprintf("  %q: %s", name, text))
}

// selectPage selects the documented fields of a page, and additional lines.
func (w *tabWriter) selectPage(field string, arguments []string, items *fragment, more ...string) {
	fmt.Fprintf(&w.fields, "  %s(%s) {\n%s", field, strings.Join(arguments, ", "), documented.CamelFields(documented.PageFields, "    "))
	for _, line := range more {
		w.fields.WriteString("    " + line + "\n")
	}
	fmt.Fprintf(&w.fields, "    data {\n      ...%s\n    }\n  }\n", items.name)
}

func (w *tabWriter) tab(fragments ...string) Tab {
	query := fmt.Sprintf("# %s\n%s %s(\n%s) {\n%s}\n%s", w.comment, w.operation, w.title, &w.definitions, &w.fields, strings.Join(fragments, ""))
	if w.missing {
		query = "# The database has no example for every value yet: replace the zeros in the variables.\n" + query
	}
	return Tab{Title: w.title, Query: query, Variables: "{\n" + strings.Join(w.variables, ",\n") + "\n}", Missing: w.missing}
}
