// Command mintburn-example counts the mints of a collection with a typed client that
// genqlient generates. It promises nothing but to be short. Start with main.go.
package main

//go:generate go tool genqlient
