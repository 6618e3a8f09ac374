// Package store keeps Mintburn's records in SQLite or PostgreSQL and answers
// pages, totals and lookups from them. It is the only user of ent.
//
// What it guarantees:
//   - A [Snapshot] reads one committed state of the data, whatever is written
//     meanwhile.
//   - A page costs one indexed statement of at most limit + 1 rows, at any
//     depth; a total costs a number of counter nodes that is logarithmic in
//     the size of the table and at most [leafSize] counted rows at each end.
//   - [Store.Apply] and [Store.Rollback] write blocks, records, counters and
//     coverage in one transaction: after a crash a block is there whole or
//     not at all.
//   - A [Queue] gives each minted token to one worker at a time, and again
//     after each event that speaks of it, whatever crashes or is reorganised.
//     Apply writes nothing for it but a row for such an event.
//
// What it does not: it does not decide what a mint or burn is (package nft),
// and it never asks a node anything.
package store
