package store

import (
	"strings"

	"mintburn/internal/nft"
)

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

// ranged reports whether fromBlock and toBlock may narrow the filter.
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
	return strings.Join(list, "; ") + "; each but block may be narrowed by fromBlock and toBlock"
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

// selectors returns which arguments the filter has, but for the range of blocks.
func (f *Filter) selectors() (set selectors) {
	var l Lists
	if f.Lists != nil {
		l = *f.Lists
	}
	for i, given := range [...]bool{
		f.Block != nil, f.Address != nil, f.TokenID != nil, f.TransactionHash != nil, f.Account != nil,
		l.Addresses != nil, l.TransactionHashes != nil, l.Accounts != nil, l.Tokens != nil,
	} {
		if given {
			set |= 1 << i
		}
	}
	return set
}

// check refuses the combinations that no index answers.
func (f *Filter) check() error {
	ranged, accepted := isAccepted[f.selectors()]
	switch {
	case !accepted, f.ranged() && !ranged:
		return nft.Errorf(nft.BadUserInput, "these filters can't be combined: accepted are: %s", acceptedFilters)
	case f.FromBlock != nil && f.ToBlock != nil && *f.FromBlock > *f.ToBlock:
		return nft.Errorf(nft.BadUserInput, "fromBlock: got %d, want at most toBlock, which is %d", *f.FromBlock, *f.ToBlock)
	case f.Order != "" && f.Order != Asc && f.Order != Desc:
		return nft.Errorf(nft.BadUserInput, "unknown order: want ASC or DESC")
	}
	if l := f.Lists; l != nil {
		// At most one of them is given.
		if n := len(l.Addresses) + len(l.TransactionHashes) + len(l.Accounts) + len(l.Tokens); n > nft.MaxValues {
			return nft.TooManyValues((f.selectors() & argLists).String(), n)
		}
	}
	return nil
}
