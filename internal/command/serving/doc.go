// Package serving runs package httpapi with the database of a command: the flags of a server, its
// listener, certificate and API keys, its metrics and traces.
//
// Start with listening.go, which has the flags and [Listening.Serve].
package serving
