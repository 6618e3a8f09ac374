// Package pace chooses the number of blocks in the next range of an endpoint, and of addresses in
// its filters, by the sizes and errors of its last answers. It makes no calls. Open pace.go.
package pace
