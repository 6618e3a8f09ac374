// Command mintburn-example counts the mints of a collection with a typed client generated
// by genqlient. It is an example and kept short. Start with main.go.
package main

//go:generate go tool genqlient
