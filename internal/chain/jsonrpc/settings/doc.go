// Package settings contains the options of a client, which all rooms of package jsonrpc read.
// Open options.go.
package settings
