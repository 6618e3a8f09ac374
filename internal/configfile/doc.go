// Package configfile reads a configuration file: TOML with keys outside tables and in tables
// of one level or [chains.NAME], whose values are scalars or lists of scalars. It does not know
// the flags: values are strings, as on a command line, with their lines. Start with read.go.
package configfile
