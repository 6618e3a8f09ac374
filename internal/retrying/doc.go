// Package retrying contains what retry loops share: a clock that tests replace, growing
// pauses, and panics as errors. It does not decide what to retry. Start with clock.go.
package retrying
