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
	// executable sets the execute permission.
	executable bool
}

// pack returns a gzipped tar archive of files, which are keyed by name. They are below a
// folder, owned by root and have the modification time at.
func pack(folder string, at time.Time, files map[string]file) ([]byte, error) {
	var packed bytes.Buffer
	// Without a name and a time in the gzip header, equal files give equal archives.
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
