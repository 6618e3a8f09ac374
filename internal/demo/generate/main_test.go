package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"testing"

	"mintburn/internal/demo"
	"mintburn/internal/testing/expect"
)

// TestGenerate checks that the recording is what the program writes.
func TestGenerate(t *testing.T) {
	unpacked, err := gzip.NewReader(demo.Open())
	expect.NoError(t, err)
	want, err := io.ReadAll(unpacked)
	expect.NoError(t, err)
	got, err := generate()
	expect.NoError(t, err)
	if !bytes.Equal(got, want) {
		t.Errorf("the program writes %d bytes, the recording has %d others: go run ./internal/demo/generate", len(got), len(want))
	}
}
