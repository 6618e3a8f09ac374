// Package copying fills an empty database with the rows of another one, of either kind. [Begin] marks the target,
// which no other program opens until [End] removes the mark. [Rows] copies one snapshot of the primary rows with
// their keys; [Derive] derives the others, and [write.Load] builds the indexes.
//
// It does not resume: a stopped copy begins anew. Start with tables.go, which says what is copied.
package copying
