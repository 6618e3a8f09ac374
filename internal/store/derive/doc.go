// Package derive knows the rows that follow from others: one function a table fills it, that of
// the transactions which keep it. In a shadow, see [database.Shadow], the filled rows are what the
// stored ones must be, and a [Table] compares both. The unit is some collections, or a counter tree.
//
//   - contracts: a collection's first record, its numbers of mints, burns, tokens and documents,
//     the sums of its amounts, its number of tokens in each fetch state, and of traits;
//   - traits, trait_values and trait_tokens: what the documents of a collection have;
//   - contract_metadata: the name and the symbol that the document has;
//   - collection_words: by what a search finds a collection;
//   - counters: the tree of a scope, see package counter.
//
// During a load there is no index to look tokens up, so mint_count, burn_count and token_count
// are null until the load ends.
//
// A token is tried if it has a document or an error. recordless counts the tried tokens
// without a record, whose documents were imported. The tokens that were never tried are
// token_count minus the tried tokens with records.
//
// mint_excess and burn_excess are sums of amounts minus numbers of records: null, which means
// 0, where each record has one token, as in ERC-721. SQL cannot add them, so excess.go does.
//
// It decides nothing about when to update: package write does. Open collections.go first, then
// columns.go.
package derive
