// Package write changes the database. [Open] opens it and applies missing migrations.
//
// Each change is one writing transaction ([DB.Write], [Tx]): blocks, records, counter
// trees, counted columns, coverage and the lease are committed together or not at all. The
// transaction reads again what it relies on: the lease, the schema, the parent's hash, the
// options that blocks are decoded with. [DB.Apply] and [DB.Extend] store blocks,
// [DB.ReplaceAbove] replaces them after a reorg, [Load] builds indexes and trees after a
// large import, [Settings] and [Queue] are the other writers.
//
// It answers no query, and nothing that answers one imports it. It does not decide what a
// mint or burn is (package nft does), and it sends no request to a node.
//
// Open tx.go first, then apply.go, insert.go and reorg.go.
package write
