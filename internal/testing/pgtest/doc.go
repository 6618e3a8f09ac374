// Package pgtest starts a PostgreSQL server for tests and for the benchmark.
//
// A server ends with the process that started it, however that process ends, and leaves
// no files behind. The server does not flush to disk (fsync is off), and every user of the
// machine can connect to it.
//
// Start with dsn.go: [DSN] is all that most tests need. [Pooled] connects through
// pgbouncer, [NewProxy] through a proxy that a test can cut off, and [NewServer] starts a
// server that a test can stop, kill, delete and replace by a standby.
package pgtest
