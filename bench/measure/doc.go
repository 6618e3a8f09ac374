// Package measure starts servers, asks them as fast as they answer, and reads
// what that took of the machine. It needs Linux.
//
// What it guarantees: processor time and memory are those of the server and of
// all processes that it started, by the kernel's own count. What it does not:
// the load comes from the same machine and takes part of it, so that requests
// a second say less than processor time a request.
package measure
