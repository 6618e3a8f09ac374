//go:build !cgo && !nosqlite

package database

// A build without a C compiler, or with CGO_ENABLED=0, fails here, with this name as its message.
const _ = SQLite_needs_a_C_compiler_such_as_gcc_and_CGO_ENABLED_not_0__or_build_with_tags_nosqlite
