// Package apikeys reads, finds and generates API keys. The server's file contains only the
// SHA-256 of each key, so reading the file does not give access to the API.
//
// One round of SHA-256 is enough because a generated key has 256 random bits: nobody
// can try them all, however fast the hash is. Passwords would need a slow hash, but they
// are not keys. Keys are found by their hash in a map. The timing of its comparisons reveals
// at most bits of the hash, which do not help to find a key with that hash.
//
// Start with keys.go.
package apikeys
