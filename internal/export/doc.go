// Package export writes the rows of a database as NDJSON, CSV or Parquet.
//
// What it promises:
//   - columns.go lists the columns of each set of rows once, in their order, with their
//     kinds and where their values come from. All formats write what it says, and a test
//     holds the types and the DDL of docs/data.md equal to it.
//   - Rows come in a fixed order, page by page, each page in a snapshot of its own: a long
//     export keeps no transaction open. The cursor of the last written row continues it.
//   - A Parquet file that ends early has no footer, and no reader takes it.
//   - Memory does not grow with the export: see the bounds in parquet.go.
//
// Open export.go first. Parquet is in programs that are built with the tag parquet, as
// releases are; noparquet.go takes its place in others.
package export
