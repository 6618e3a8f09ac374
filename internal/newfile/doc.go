// Package newfile creates files that get their name once they are complete: [Create] returns
// a temporary file beside the new one, which the caller renames or links. It follows symbolic
// links, obeys the umask, and removes what killed processes left.
//
// Start with newfile.go.
package newfile
