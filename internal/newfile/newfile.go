package newfile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// maxLinks is the most symbolic links that [Target] follows, as on Linux.
const maxLinks = 40

// Target returns the file that path names if it is a symbolic link, and otherwise path. The
// file need not exist.
func Target(path string) string {
	for range maxLinks {
		link, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(link) {
			// Not [filepath.Join]: if the folder is a link, dropping ".." names another file.
			folder, _ := filepath.Split(path)
			link = folder + link
		}
		path = link
	}
	return path
}

// ErrHeld is the error of [Lock] if another process holds the file.
var ErrHeld = errors.New("another process holds the file")

// Held is a file that this process holds.
type Held struct{ *os.File }

// Close releases and closes the file. A program that is being started may have the open file for a
// moment, and would hold it on.
func (h Held) Close() error {
	release(h.File)
	return h.File.Close()
}

// Lock opens a file, which it creates if it is missing, and holds it until it is closed or the
// process ends. It returns [ErrHeld] if it is held already, but only on Linux and macOS, and
// only where the file system has locks.
func Lock(path string) (*Held, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	if !tryHold(file) {
		return nil, errors.Join(ErrHeld, file.Close())
	}
	return &Held{file}, nil
}

// Create creates a file beside path whose name ends in suffix, with the rights of the umask.
// It removes the files with such names, and their SQLite journals, that no process holds. The
// caller renames or removes the file before closing it.
func Create(path, suffix string) (*os.File, error) {
	folder, name := filepath.Split(path)
	if folder == "" {
		folder = "."
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		number, ours := strings.CutPrefix(entry.Name(), name+".")
		number, ending := strings.CutSuffix(strings.TrimSuffix(number, "-journal"), suffix)
		if !entry.Type().IsRegular() || !ours || !ending || number == "" || strings.Trim(number, "0123456789") != "" {
			continue
		}
		left := filepath.Join(folder, name+"."+number+suffix)
		if free(left) {
			// What can't be removed does not stop the new file.
			_ = errors.Join(os.Remove(left), os.Remove(left+"-journal"))
		}
	}
	for {
		file, err := os.OpenFile(fmt.Sprintf("%s.%d%s", path, rand.Uint32(), suffix), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		hold(file)
		// Before that, another process may have taken it for a leftover.
		if _, err := os.Lstat(file.Name()); !errors.Is(err, fs.ErrNotExist) {
			return file, err
		}
		_ = file.Close()
	}
}
