// Package apitest sends requests to a served API and reads its answers, for
// tests. It never looks behind HTTP: the API is an address or a handler. Start
// with [Client].
package apitest
