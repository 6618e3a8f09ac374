// Package importing stores recordings in batches, for mintburn import and the demo.
//
// Start with importer.go.
package importing
