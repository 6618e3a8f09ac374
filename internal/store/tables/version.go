package tables

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"strings"

	"mintburn/internal/database"
)

// PackRaw compresses a document (RFC 1950).
func PackRaw(raw string) ([]byte, error) {
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	_, err := io.WriteString(w, raw)
	if err == nil {
		err = w.Close()
	}
	return packed.Bytes(), database.Wrap(err, "compressing a document")
}

// UnpackRaw returns a document of this length that PackRaw compressed.
func UnpackRaw(packed []byte, length int64) (string, error) {
	var raw strings.Builder
	r, err := zlib.NewReader(bytes.NewReader(packed))
	if err == nil {
		_, err = io.Copy(&raw, io.LimitReader(r, length+1))
	}
	if err == nil && int64(raw.Len()) != length {
		err = fmt.Errorf("got %d bytes, want %d", raw.Len(), length)
	}
	return raw.String(), database.Wrap(err, "decompressing a document")
}
