// Package total counts records and sums their amounts.
//
// A total is read from a counter tree if its filter has one, see package counter, and at
// most [counter.LeafSize] records are counted at each end of the range; otherwise records
// are counted on the index of their filter. [Of] is the total of a query, [OfList] that of a
// list of values, [Sums] the numbers and amounts of many collections or tokens at once.
// Counts that are columns of contracts (documents by state, tokens) are read by
// [Documents] and [Tokens].
//
// It writes nothing: package write keeps the trees and the columns, package check compares
// them with the rows. Open total.go first.
package total
