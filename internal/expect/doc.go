// Package expect has what most tests do with a result: an error ends the test, and a
// difference fails it. It is for tests alone. Everything is in expect.go.
package expect
