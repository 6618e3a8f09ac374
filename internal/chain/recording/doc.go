// Package recording reads recorded blocks and documents of tokens and collections: files of
// NDJSON, plain or compressed with gzip or zstd, one [Item] a line, in order; and archives of the
// execution clients in the formats era1 and ere, one [Item] a block.
//
// Every log belongs to the header on its line. A line that cannot be read is an error with file
// and line, a block of an archive one with file and offset, never an empty or partial block. A
// line with a complete header and all receipts proves its block ([Item.Proven]); in an archive,
// each block must be proved. Memory depends on the longest line or block, not on the size of the
// files.
//
// The package never decodes events, and does not check that blocks are linked: the
// store does.
//
// Start with recording.go; line.go parses one line, archive.go reads archives, pipeline.go
// distributes lines and blocks over the CPUs.
package recording
