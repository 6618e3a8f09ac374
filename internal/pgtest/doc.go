// Package pgtest starts a PostgreSQL server for tests and for the benchmark.
//
// It promises that a server ends with the process that started it, however that
// process ends, and leaves no files behind. The server does not flush to disk (fsync
// is off), and every user of the machine can connect to it.
//
// Start with dsn.go: [DSN] is all that most tests need. [Pooled] is one by way of
// pgbouncer, [NewProxy] one that a test can cut off, and [NewServer] one whose server it
// can stop, kill, lose and replace by a standby.
package pgtest
