// Package fastql executes the queries of a gqlgen schema. It compiles each
// operation to a plan that calls the resolvers and appends their results to one
// buffer as JSON. gqlgen's own execution makes several objects, and for some
// fields a goroutine, for each value.
//
// The plugin in package fastql/plugin generates the functions that compile
// selections, from the same schema and bindings as gqlgen's execution. This
// package is their runtime and knows no schema. Start with [Schema.Exec] in
// schema.go; then read compile.go and write.go.
//
// It guarantees:
//   - The data and the errors of an answer equal those of gqlgen's execution.
//   - All root resolvers are called, each once, before the first result is
//     written. A result that implements [Reader] is read in between.
//   - Batch fields, in gqlgen's sense, are resolved when the root resolvers'
//     results are read: once for all objects of a root field that select the
//     field at one place. Batch fields of the same objects, and of other root
//     fields, are resolved together.
//   - [WithOperation] bounds an answer while it is written. An answer that gqlgen's
//     execution produces as a whole is checked once it is complete.
//
// A plan writes only answers without errors. gqlgen's execution answers
// everything else, one root field at a time:
//   - A resolver that fails: gqlgen's execution gets the error, the path and
//     the result of the root resolver, and does not call these resolvers again.
//   - A null where the schema forbids it, an argument that cannot be read, and a
//     panic: gqlgen finds and reports them.
//   - Introspection, and an object under a response key that gqlgen collects twice.
//   - The rest of an operation after 4096 fields.
//
// gqlgen answers an operation as a whole if it has more than 64 Boolean variables, or
// an explicit null for a Boolean variable with a default.
//
// A subscription is executed like a query: its resolver's channel has one value, which is the
// answer of one execution. If a plan cannot write it, gqlgen's execution answers the whole
// operation, and calls the resolver again.
//
// A binding that the plugin does not support is an error when it generates, as are mutations
// and directives with an implementation.
//
// A plan differs from gqlgen's execution:
//   - It ignores @defer, which gqlparser adds to every schema.
//   - It does not call the field and root field interceptors of gqlgen's
//     extensions.
//   - It calls resolvers one after another.
//   - A root resolver has a field context without arguments and Child, and no
//     root field context. Resolvers below it share that context, so they must
//     return their errors instead of adding them.
//   - gqlgen calls the resolver of a batch field for each list, or even for each
//     object, and also with nil objects. A plan passes all objects of the root
//     field that are not nil. If the resolver fails, it fails for all of them, and
//     each error has the index of its object; gqlgen reports index 0 in lists of
//     structs, and for a field that forbids null also the object's.
package fastql
