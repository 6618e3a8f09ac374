// Package read opens one committed state of the database: a [Snapshot] of a [DB].
//
// It promises that all reads of a snapshot see the same state, that a number which the
// database gave to a contract is only used within its history (history.go), and that
// blocks which are not indexed are an error and never an empty result (coverage.go,
// covered.go). It caches the texts of statements, never rows that can change.
//
// It writes nothing and knows no list: the rooms above it turn snapshots into totals,
// documents and pages. Open snapshot.go first, then chain.go for the state of the chain.
package read
