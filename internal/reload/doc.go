// Package reload loads files again when they change. It does not know their contents: the
// caller loads them, and keeps the old contents if that fails.
//
// It polls because a second is soon enough, and because polling works the same for files
// that are written in place, replaced by a rename, or behind the symbolic links of a
// mounted Kubernetes secret. Start with files.go.
package reload
