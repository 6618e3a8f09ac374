// Package watch wakes requests that wait for changes of the data: long polls, event streams and
// subscriptions.
//
// It guarantees that:
//   - however many requests wait, one query runs at a time, at most every [Every], and none while
//     no request waits;
//   - a change wakes all waiting requests, once it has committed and within [Every] and the time
//     of a query, whichever process made it;
//   - while the database fails, requests keep waiting, and the log has one line.
//
// It does not know what changed: a request that wakes up reads on from its own cursor.
//
// Start with watch.go, its only file.
package watch
