// Package plugin is a gqlgen plugin that generates the fast schema of package
// fastql beside gqlgen's generated execution: for each object a function that
// compiles a selection, and for each root field the call of its resolver.
//
// It reads the same schema and bindings as gqlgen, and nothing else. The
// generated code uses names of gqlgen's generated code, so a version of gqlgen
// that changes them breaks the build and not the answers. It supports the
// single-file layout of gqlgen's execution, without the options
// use_function_syntax_for_execution_context, omit_panic_handler and
// subscription_context_field. What it cannot bind it leaves to gqlgen's
// execution; see the documentation of package fastql.
//
// A scalar with the method AppendGQL(b []byte) []byte beside MarshalGQL, or with
// the function AppendX(b []byte, v T) []byte beside MarshalX, is written by that:
// it must append the same bytes, and never null. Open plugin.go first.
package plugin
