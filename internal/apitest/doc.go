// Package apitest sends requests to a served API and reads its answers, for
// tests. It knows HTTP alone: the API is an address or a handler. Open client.go
// first.
package apitest
