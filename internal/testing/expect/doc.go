// Package expect provides assertions for tests: an error ends the test, and a difference
// fails it. Start with expect.go.
package expect
