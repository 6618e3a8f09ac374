// Package pace chooses the number of blocks in the next range of an endpoint, by the sizes and
// errors of its last answers. It makes no calls and is not safe for concurrent use. Open pace.go.
package pace
