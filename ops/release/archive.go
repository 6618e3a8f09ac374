package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"maps"
	"path"
	"slices"
	"time"
)

// file is a file of an archive.
type file struct {
	name string
	text []byte
	// executable says that users may run it.
	executable bool
}

// pack returns an archive of files by their names, below a folder, all of one time and
// owned by root.
func pack(folder string, at time.Time, files map[string]file) ([]byte, error) {
	var packed bytes.Buffer
	// Its header has no name and no time.
	zipped, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	archive := tar.NewWriter(zipped)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f := files[name]
		mode := int64(0o644)
		if f.executable {
			mode = 0o755
		}
		header := tar.Header{Typeflag: tar.TypeReg, Name: path.Join(folder, name), Size: int64(len(f.text)), Mode: mode, ModTime: at, Format: tar.FormatPAX}
		if err := archive.WriteHeader(&header); err != nil {
			return nil, err
		}
		if _, err := archive.Write(f.text); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	if err := zipped.Close(); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}
