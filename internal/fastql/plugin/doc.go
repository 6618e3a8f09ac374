// Package plugin is a gqlgen plugin that generates the fast schema of package
// fastql next to gqlgen's own generated code: for each object a function that
// compiles a selection, and for each root field the call of its resolver.
//
// It reads only the schema and bindings that gqlgen reads. The generated code
// uses names of gqlgen's generated code, so a version of gqlgen that changes them
// breaks the build, not the answers. It supports the single-file layout of
// gqlgen's execution, without the options
// use_function_syntax_for_execution_context, omit_panic_handler and
// subscription_context_field. A binding that it does not support is an error; check.go
// has them all.
//
// A scalar needs the method AppendGQL(b []byte) []byte besides MarshalGQL, or the
// function AppendX(b []byte, v T) []byte besides MarshalX. It must append the same
// bytes, and never null. Open plugin.go first.
package plugin
