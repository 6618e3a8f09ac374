package store

import "strings"

// selectors is a set of filter arguments other than the block range.
type selectors uint16

const (
	argBlock selectors = 1 << iota
	argAddress
	argTokenID
	argTransactionHash
	argAccount
	argAddresses
	argTransactionHashes
	argAccounts
	argTokens
)

// argLists are the arguments that accept a list of values.
const argLists = argAddresses | argTransactionHashes | argAccounts | argTokens

// selectorNames are the argument names, in bit order.
var selectorNames = []string{"block", "address", "tokenId", "transactionHash", "account", "addresses", "transactionHashes", "accounts", "tokens"}

// String joins the argument names with "and".
func (s selectors) String() string {
	var list []string
	for i, name := range selectorNames {
		if s&(1<<i) != 0 {
			list = append(list, name)
		}
	}
	return strings.Join(list, " and ")
}

// combination is a filter that is accepted alone or combined with one of the sets in with.
type combination struct {
	filter selectors
	with   []selectors
}

// ranged reports whether a range of blocks or times and finality may narrow the filter.
func (c combination) ranged() bool { return c.filter != argBlock }

// combinations are the accepted filters, each backed by an index. The error for any other
// filter lists them. Tests check docs/api.md and the schema against them.
var combinations = []combination{
	{0, nil},
	{argAddress, []selectors{argTokenID, argAccount, argAccounts}},
	{argAddresses, []selectors{argAccount}},
	{argAccount, nil},
	{argAccounts, nil},
	{argTransactionHash, []selectors{argAddress, argAddress | argTokenID}},
	{argTransactionHashes, nil},
	{argTokens, nil},
	{argBlock, []selectors{argAddress, argAddress | argTokenID, argAccount, argAddresses}},
}

// acceptedFilters lists the combinations for the error of [Filter.Check].
var acceptedFilters = func() string {
	var list []string
	for _, c := range combinations {
		text := c.filter.String()
		if c.filter == 0 {
			text = "no filter"
		}
		for i, with := range c.with {
			text += [...]string{" alone or with ", ", "}[min(i, 1)] + with.String()
		}
		list = append(list, text)
	}
	return strings.Join(list, "; ") + "; all except block also with fromBlock, toBlock, fromTime, toTime and finality"
}()

// isAccepted maps each accepted set of arguments to whether a block range may narrow it.
var isAccepted = func() map[selectors]bool {
	sets := map[selectors]bool{}
	for _, c := range combinations {
		sets[c.filter] = c.ranged()
		for _, with := range c.with {
			sets[c.filter|with] = c.ranged()
		}
	}
	return sets
}()
