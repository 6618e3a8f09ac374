package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"mintburn/internal/command/flags"
	"mintburn/internal/command/process"
	"mintburn/internal/newfile"
)

// writeTo calls write with stdout if file is empty. Otherwise it calls write with a
// temporary file, which it renames to file, or to the target of a symbolic link, once write
// has succeeded. If anything fails, file is unchanged.
func writeTo(file string, stdout io.Writer, write func(io.Writer) error) error {
	if file == "" {
		return write(stdout)
	}
	info, err := os.Stat(file)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return &process.ExitError{Code: process.ExitUsage, Err: fmt.Errorf("--output: %s is not a regular file: want a file name", file)}
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return flags.Error("--output", err)
	}
	// In the same folder, because a rename must stay within one file system.
	file = newfile.Target(file)
	part, err := newfile.Create(file, ".part")
	if err != nil {
		return flags.Error("--output", err)
	}
	if err = write(part); err == nil {
		err = part.Sync()
	}
	if err == nil {
		err = os.Rename(part.Name(), file)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(part.Name()))
	}
	return errors.Join(err, part.Close())
}
