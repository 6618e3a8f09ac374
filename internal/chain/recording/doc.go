// Package recording reads recorded blocks and token documents: files of NDJSON,
// plain or compressed with gzip or zstd, one [Item] a line, in order.
//
// Every log belongs to the header on its line. A line that cannot be read is an error
// with file and line, never an empty or partial block. A line with a complete header and
// all receipts proves its block ([Item.Proven]). Memory depends on the longest line, not
// on the size of the files.
//
// The package never decodes events, and does not check that blocks are linked: the
// store does.
//
// Start with recording.go; line.go parses one line, pipeline.go distributes the lines
// over the CPUs.
package recording
