// Package foldtest keeps copies of a database by folding its change feed, and compares them with
// the database: [Reader].
//
// Open foldtest.go, the only file.
package foldtest
