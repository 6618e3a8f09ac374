// Package reload reads files again when they change. It knows nothing of what they
// hold: its user loads them, and keeps what it had when that fails.
//
// It polls, rather than being notified: a second is soon enough, and it works the same
// for files that are written in place, renamed over, or behind the symbolic links of a
// mounted Kubernetes secret. Start with files.go.
package reload
