// Package retrying has what is common to all that tries again after a failure: a
// clock that tests replace, pauses that grow, and panics as errors. It decides
// nothing about what is tried again. Start with clock.go.
package retrying
