// Package hand is the server to compare mintburn with: what one would write by hand
// for exactly the nine requests of the benchmark, with prepared statements on the
// tables of mintburn import and without GraphQL.
//
// It promises the same answers, except for cursors. It checks nothing, and has no
// limits, no snapshot over several statements and no other filters. Start with hand.go.
package hand
