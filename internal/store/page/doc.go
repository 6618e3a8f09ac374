// Package page has what all lists have in common: a page that is read once, its neighbours, its
// total and its cursors. What differs between lists is a [List].
//
// It contains no statement. Open page.go first.
package page
