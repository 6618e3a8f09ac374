// Package gunzip decompresses gzip (RFC 1952) as the program gzip does: any number of members,
// and zero bytes after each, with which tapes, block devices and object stores pad files. It
// never bounds what it returns: its users do. It is one file, gunzip.go.
package gunzip
