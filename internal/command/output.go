package command

import (
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"mintburn/internal/command/flags"
	"mintburn/internal/command/process"
	"mintburn/internal/export"
	"mintburn/internal/newfile"
)

// compressions are the endings of compressed files.
var compressions = map[string]func(io.Writer) (io.WriteCloser, error){
	".gz":  func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil },
	".zst": func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) },
}

// outputFormat returns the format of an output file: that of --format or, if given is nil, that of
// the file's ending before .gz or .zst. It fails if the two differ, and for compressed Parquet.
func outputFormat(file string, given *string) (string, error) {
	name := strings.ToLower(file)
	compression := filepath.Ext(name)
	if compressions[compression] == nil {
		compression = ""
	}
	ending := map[string]string{".ndjson": export.NDJSON, ".csv": export.CSV, ".parquet": export.Parquet}[filepath.Ext(strings.TrimSuffix(name, compression))]
	format := cmp.Or(ending, export.NDJSON)
	if given != nil {
		format = *given
	}
	switch {
	case ending != "" && ending != format:
		return "", fmt.Errorf("--format: got %s, want %s as in --output %s, or another file name", format, ending, file)
	case compression != "" && format == export.Parquet:
		return "", fmt.Errorf("--output: got %s, want a name without %s: Parquet is already compressed", file, compression)
	}
	return format, nil
}

// writeTo calls write with stdout if file is empty. Otherwise it calls write with a
// temporary file, which it renames to file, or to the target of a symbolic link, once write
// has succeeded. If anything fails, file is unchanged. replaced reports whether there was one.
func writeTo(file string, stdout io.Writer, write func(io.Writer) error) (replaced bool, err error) {
	if file == "" {
		return false, write(stdout)
	}
	info, err := os.Stat(file)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return false, &process.ExitError{Code: process.ExitUsage, Err: fmt.Errorf("--output: %s is not a regular file: want a file name", file)}
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return false, flags.Error("--output", err)
	}
	replaced = err == nil
	compress := compressions[strings.ToLower(filepath.Ext(file))]
	// In the same folder, because a rename must stay within one file system.
	file = newfile.Target(file)
	part, err := newfile.Create(file, ".part")
	if err != nil {
		return false, flags.Error("--output", err)
	}
	if err = writeCompressed(part, compress, write); err == nil {
		err = part.Sync()
	}
	if err == nil {
		err = os.Rename(part.Name(), file)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(part.Name()))
	}
	return replaced, errors.Join(err, part.Close())
}

// writeCompressed calls write with a writer that compresses what it writes to w, unless compress is
// nil.
func writeCompressed(w io.Writer, compress func(io.Writer) (io.WriteCloser, error), write func(io.Writer) error) error {
	if compress == nil {
		return write(w)
	}
	compressed, err := compress(w)
	if err != nil {
		return err
	}
	// Closing after an error only ends the writer.
	return cmp.Or(write(compressed), compressed.Close())
}
