// Package recording reads recorded blocks and token documents: files of NDJSON,
// plain or compressed with gzip or zstd, one [Item] a line, in order.
//
// A block is read whole or not at all: every log belongs to the header on its
// line, and a line that cannot be read is an error with file and line, never an
// empty block. A line with a whole header and all receipts proves its block
// ([Item.Proven]). Memory is bounded by the longest line, not by the files.
//
// It never decodes events, and does not check that blocks follow one another:
// the store does.
//
// Start with recording.go; line.go reads one line, pipeline.go spreads the lines
// over the CPUs.
package recording
