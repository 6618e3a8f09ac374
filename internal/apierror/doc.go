// Package apierror defines the errors that clients see, with their codes, and the limits that
// such errors name.
//
// Every other error is internal: it is logged, and clients see INTERNAL. The package does no
// I/O and imports nothing of this program. Open error.go; docs/api.md#errors lists the codes.
package apierror
