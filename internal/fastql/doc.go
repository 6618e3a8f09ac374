// Package fastql executes the queries of a gqlgen schema. It compiles each
// operation to a plan that calls the resolvers and appends their results to one
// buffer as JSON, where gqlgen's own execution makes several objects, and for
// some fields a goroutine, of each value.
//
// The plugin in package fastql/plugin generates the functions that compile
// selections, from the schema and the bindings that gqlgen generates its
// execution from. This package is their runtime and knows no schema. Start with
// schema.go: [Schema.Exec]; then compile.go and write.go.
//
// It guarantees:
//   - The data and the errors of an answer equal those of gqlgen's execution.
//   - All root resolvers are called, each once, before the result of the first
//     is written. A result that implements [Reader] is read in between.
//   - A field that gqlgen calls a batch field is resolved once for all objects
//     of a root field that have it at one place of the selection, when the root
//     resolvers' results are read. Batch fields of the same objects, and of other root
//     fields, are resolved together.
//   - [WithGrowth] bounds an answer while it is written; what gqlgen's execution
//     answers as a whole is checked when it is there.
//
// It writes answers without errors. Whatever it cannot write is answered by
// gqlgen's execution, one root field at a time:
//   - A resolver that fails: gqlgen's execution gets the error, the path and
//     the result of the root resolver, and does not call these resolvers again.
//   - A null where the schema forbids one, an argument or a scalar that cannot be
//     read or written, and a panic: gqlgen finds and reports them.
//   - A batch field with too few results, or too few [graphql.BatchErrors]: gqlgen
//     calls its resolver again, and reports it.
//   - Introspection, directives with an implementation, an object under a
//     response key that gqlgen collects twice, and bindings that the plugin does
//     not know: maps, Go interfaces as objects, methods that return (value, ok),
//     and enum values.
//   - What is left of an operation after 4096 fields.
//
// gqlgen answers an operation as a whole if it is a mutation or subscription, has
// directives of its own or @defer, more than 64 Boolean variables, or an explicit
// null for a Boolean variable that has a default.
//
// These are the differences from gqlgen's execution:
//   - It does not call the field and root field interceptors of gqlgen's
//     extensions.
//   - It calls resolvers one after another.
//   - A root resolver has a field context without arguments and Child, and no
//     root field context. Resolvers below it share that context, so they must
//     return their errors instead of adding them.
//   - gqlgen calls the resolver of a batch field for each list, or even for each
//     object, and also with nil objects. Here it gets all objects of the root
//     field, and none that is nil. If it fails, it fails for all of them, and each
//     error has the index of its object; gqlgen says 0 in lists of structs.
package fastql
