// Package export writes the rows of a database as NDJSON, CSV or Parquet.
//
// Guarantees:
//   - columns.go defines the columns of each set of rows once: their order, kinds and
//     values. All formats use it, and a test keeps the types and the DDL in docs/data.md
//     equal to it. Documents have no columns, but are lines of an import.
//   - Rows are written in a fixed order. Each page is read in a separate snapshot, so a long
//     export keeps no transaction open, except tokens and folders, which are of one state. The
//     cursor of the last written row continues an export.
//   - The manifest of a folder lists complete files of one state, whenever an export ends, see
//     partition.go.
//   - A Parquet file that ends early has no footer, so no reader accepts it.
//   - Memory does not grow with the size of the export, see the bounds in parquet.go.
//
// Start with export.go. Parquet needs the build tag parquet, which releases have; without
// it, noparquet.go replaces parquet.go.
package export
