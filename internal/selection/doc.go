// Package selection walks the selection sets of validated GraphQL documents. It
// follows fragments, whose cycles validation rejects, and knows no schema. Start
// with [Fields].
package selection
