// Package hand is the server to compare mintburn with. It answers exactly the
// pages and totals of the benchmark, handwritten, with prepared statements on the tables of
// mintburn import and without GraphQL.
//
// It returns the same answers as mintburn, except for cursors. It checks nothing, and
// has no limits, no snapshot across statements and no other filters. Start with hand.go.
package hand
