package store

import "strings"

// selectors is a set of filter arguments, but for the range of blocks.
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

// argLists are the arguments that have several values.
const argLists = argAddresses | argTransactionHashes | argAccounts | argTokens

// selectorNames are the arguments in the order of their bits.
var selectorNames = []string{"block", "address", "tokenId", "transactionHash", "account", "addresses", "transactionHashes", "accounts", "tokens"}

// String returns the arguments of a set.
func (s selectors) String() string {
	var list []string
	for i, name := range selectorNames {
		if s&(1<<i) != 0 {
			list = append(list, name)
		}
	}
	return strings.Join(list, " and ")
}

// combination is a filter that is accepted alone and with each of some others.
type combination struct {
	filter selectors
	with   []selectors
}

// ranged reports whether blocks, times and finality may narrow the filter.
func (c combination) ranged() bool { return c.filter != argBlock }

// combinations are the accepted filters. An index answers each of them. The error of
// the others lists them; tests hold docs/api.md and the schema to them.
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

// acceptedFilters lists the combinations for the error of another one.
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
	return strings.Join(list, "; ") + "; each but block may be narrowed by fromBlock, toBlock, fromTime, toTime and finality"
}()

// isAccepted has the accepted sets of arguments: true for those that may be narrowed by
// a range of blocks.
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
