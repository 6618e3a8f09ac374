// Package configfile reads a configuration file: TOML whose keys have scalars or lists of
// scalars, above all tables and in tables of one level. It knows no flags: values are
// texts, as on a command line, with their lines. Start with read.go.
package configfile
