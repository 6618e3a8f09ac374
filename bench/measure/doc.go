// Package measure starts servers, sends them requests as fast as they answer, and
// reads the CPU time and memory that this takes. It needs Linux.
//
// It promises the kernel's own figures for the server and all processes that it
// started. The load comes from the same machine and takes a part of it, so requests a
// second say less than CPU time a request. Start with process.go.
package measure
