// Package change is the log of changes: one row for each transaction that added blocks, made
// blocks void or final, or stored documents. The rows hold block numbers only; records and
// documents are read from their tables.
//
// Numbers follow the order of the commits, because each writing transaction holds the writers'
// lock. After a restore, or a failover that lost commits, the database uses numbers again; the
// random nonce of a row tells the two apart.
//
// Package write writes the log ([Log]), package feed reads it ([Since]). Open log.go first.
package change
