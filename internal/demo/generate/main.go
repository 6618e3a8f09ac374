package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"log"
	"os"
)

const output = "internal/demo/chain.ndjson.gz"

func main() {
	log.SetFlags(0)
	text, err := generate()
	if err != nil {
		log.Fatal(err)
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		log.Fatal(err)
	}
	// Writes to a buffer never fail.
	_, _ = w.Write(text)
	_ = w.Close()
	if err := os.WriteFile(output, packed.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d lines, %d bytes, %d compressed\n", bytes.Count(text, []byte("\n")), len(text), packed.Len())
}
