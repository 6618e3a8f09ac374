// Package fastql executes the queries of a gqlgen schema. It compiles each
// operation to a plan that calls the resolvers and appends their results to one
// buffer as JSON, where gqlgen's own execution makes several objects, and for
// some fields a goroutine, of each value.
//
// The plugin in package fastql/plugin generates the functions that compile
// selections, from the schema and the bindings that gqlgen generates its
// execution from. This package is their runtime and knows no schema. Start with
// [Schema.Exec], then [Selection].
//
// It guarantees:
//   - The data and the errors of an answer equal those of gqlgen's execution.
//   - All root resolvers are called, each once, before the result of the first
//     is written. A result that implements [Reader] is read in between.
//   - A field that gqlgen calls a batch field is resolved once for all objects
//     of a root field that have it at one place of the selection.
//
// It writes answers without errors. Whatever it cannot write is answered by
// gqlgen's execution, one root field at a time:
//   - A resolver that fails: gqlgen's execution gets the error, the path and
//     the result of the root resolver, and does not call these resolvers again.
//   - A null where the schema forbids one, an argument that cannot be read, and
//     a panic: gqlgen finds and reports them.
//   - Introspection, directives with an implementation, and bindings that the
//     plugin does not know.
//
// An operation that is no query, that has directives of its own, or that uses
// @defer is left to gqlgen as a whole.
//
// It does not call the field and root field interceptors of gqlgen's
// extensions. A root resolver has a field context without arguments; resolvers
// below it share that context, so they must return their errors instead of
// adding them.
package fastql
