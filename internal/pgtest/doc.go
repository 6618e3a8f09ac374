// Package pgtest gives tests a real PostgreSQL server of their own. It is for
// tests and the benchmark only.
//
// What it guarantees: a server lives no longer than the test binary that
// started it, however that binary ends, and leaves no files behind. What it
// does not: the server does not flush to disk (fsync is off), and whoever can
// reach it on the loopback address may use it.
package pgtest
