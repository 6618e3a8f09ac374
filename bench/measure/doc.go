// Package measure starts servers, sends them requests as fast as they answer, and
// reads the CPU time and memory that this takes. It needs Linux.
//
// The figures are the kernel's, for the server and all processes that it started. The
// load comes from the same machine and uses a part of it, so CPU time a request says
// more than requests a second. Start with process.go.
package measure
