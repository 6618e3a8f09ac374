// Package flags is what all flags have in common: their environment variables, the file of
// --config, checks of values, and the errors of arguments. It knows no command.
//
// Start with environment.go, then config.go.
package flags
