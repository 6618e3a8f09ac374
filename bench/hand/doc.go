// Package hand is what the benchmark measures us against: the server that one
// would write by hand for exactly these nine requests. It has prepared
// statements on the tables that mintburn import has filled, and no GraphQL.
//
// What it guarantees: the same answers, but for cursors. What it does not:
// it checks nothing, and has no limits, no snapshot over several statements and
// no other filters.
package hand
