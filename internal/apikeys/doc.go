// Package apikeys reads, finds and generates API keys. A key is in the file of the
// server as its SHA-256 only: who reads the file cannot use the API with it.
//
// One round of SHA-256 is enough because a generated key has 256 random bits: nobody
// can try them all, however fast the hash is. Passwords need a slow hash; they are no
// keys. A key is found by its hash in a map, whose time of comparison reveals at most
// bits of the hash, and no bit of a hash helps to find a key that has it.
//
// Start with keys.go.
package apikeys
