// Package derived knows the columns of contracts that repeat data from other tables: a
// collection's first record, its numbers of mints, burns and tokens with records, the sums of
// its amounts, and its number of tokens in each fetch state.
//
// The transactions that change the other tables update these columns. During a load there is
// no index to look tokens up, so mint_count, burn_count and token_count are null until the
// load ends.
//
// A token is tried if it has a document or an error. recordless counts the tried tokens
// without a record, whose documents were imported. The tokens that were never tried are
// token_count minus the tried tokens with records.
//
// mint_excess and burn_excess are sums of amounts minus numbers of records: null, which means
// 0, where each record has one token, as in ERC-721. SQL cannot add them, so excess.go does.
//
// It decides nothing about when to update: package write does. Open derived.go first.
package derived
