// Package lease elects the one process that changes blocks, records, coverage and
// counters.
//
// A transaction that checked the lease ([Lease.Require]) commits before another process
// takes the lease, or not at all: a process that was stopped or cut off commits nothing
// once another has taken over. The holder renews the lease by the database's clock. Each
// takeover begins another epoch, which is part of a unique key. While a transaction has the
// row FOR KEY SHARE, PostgreSQL blocks changes of a unique key but no other changes, such
// as a renewal.
//
// Start with lease.go.
package lease
