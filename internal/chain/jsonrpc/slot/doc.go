// Package slot bounds the memory of the answers that a client reads at once: large ones
// wait for a slot, which they keep until they are parsed.
//
// A read that waits for the second slot can wait only for reads that have both, so no two
// reads wait for each other. Lengths that a server names are never believed before as many
// bytes have arrived. Open slot.go.
package slot
