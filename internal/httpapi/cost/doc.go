// Package cost says what an operation costs, and refuses documents whose shape alone would make
// them expensive to validate or to run.
//
// It guarantees that:
//   - the cost of an operation is at least the server's work for it, in units of roughly one
//     small value of an answer, whatever the variables are;
//   - no cost overflows: sums and products saturate at 2^40;
//   - [Limits.CheckShape] takes time in proportion to the document after each fragment is
//     expanded, and stops at 20,000 fields and values.
//
// It is pure: it reads a parsed document, its variables and the schema, and nothing else. It
// knows neither the client nor how much it may spend; package httpapi compares the cost with
// the limit and charges it to the caller.
//
// Start with meter.go: [Prices.Cost] walks an operation. prices.go says which field costs what,
// shape.go has the limits. docs/limits.md has the prices in a table.
package cost
