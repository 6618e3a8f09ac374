// Package lease elects the one process that changes blocks, records, coverage and
// counters.
//
// It promises that a transaction which checked the lease ([Lease.Require]) is committed
// before another process takes the lease, or not at all: a process that was stopped or
// cut off commits nothing once another has taken over. The holder renews the lease by
// the database's clock; each takeover begins another epoch, which is part of a unique
// key. PostgreSQL holds a change of a unique key back while a transaction has the row
// FOR KEY SHARE, and no other change, such as a renewal.
//
// Start with lease.go.
package lease
