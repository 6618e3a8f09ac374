// Package doctor finds out what is wrong with the nodes and the database of a server.
//
// It promises that each check ends within its time limit, that nothing is written anywhere, and
// that each fault names its cure. It judges what a node can do by the calls that a follower
// makes, and by the same client where a check takes more than one call.
//
// Start with finding.go, then read nodes.go.
package doctor
