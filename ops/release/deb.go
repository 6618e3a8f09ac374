package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// nfpm makes the Debian packages. Later versions need modules that not every proxy has.
const nfpm = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.2"

// debianPaths are the paths below /usr of an archive's files in a Debian package. Those of a
// path that ends in .gz are compressed. All other files are documents.
var debianPaths = map[string]string{
	"mintburn":                  "bin/mintburn",
	"mintburn.1":                "share/man/man1/mintburn.1.gz",
	"mintburn.service":          "lib/systemd/system/mintburn.service",
	"completions/mintburn.bash": "share/bash-completion/completions/mintburn",
	"completions/_mintburn":     "share/zsh/vendor-completions/_mintburn",
	"completions/mintburn.fish": "share/fish/vendor_completions.d/mintburn.fish",
}

// debianUnit changes the unit: the package installs the program elsewhere, and creates a user
// who can own files.
var debianUnit = strings.NewReplacer("/usr/local/bin/", "/usr/bin/", "DynamicUser=yes", "User=mintburn")

// packDebian writes the Debian package of a program, whose archive contains files, to the file
// to. Two packages of the same files are equal. It writes into the folder stage.
func packDebian(ctx context.Context, p *program, files map[string]file, stage, to string) error {
	for name, f := range files {
		path, mode := debianPaths[name], fs.FileMode(0o644)
		if path == "" {
			path = "share/doc/mintburn/" + name
		}
		if f.executable {
			mode = 0o755
		}
		text := f.text
		if name == "mintburn.service" {
			text = []byte(debianUnit.Replace(string(text)))
		}
		if strings.HasSuffix(path, ".gz") {
			var compressed bytes.Buffer
			// Neither writes to a buffer nor this level can fail.
			w, _ := gzip.NewWriterLevel(&compressed, gzip.BestCompression)
			_, _ = w.Write(text)
			_ = w.Close()
			text = compressed.Bytes()
		}
		target := filepath.Join(stage, "usr", filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		// Without the umask.
		if err := errors.Join(os.WriteFile(target, text, mode), os.Chmod(target, mode)); err != nil {
			return err
		}
	}
	// nfpm keeps the times and modes of folders.
	err := filepath.WalkDir(stage, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			err = errors.Join(os.Chmod(path, 0o755), os.Chtimes(path, p.time, p.time))
		}
		return err
	})
	if err != nil {
		return err
	}
	command := exec.CommandContext(ctx, "go", "run", nfpm, "package", "--config", "ops/deb/nfpm.yaml", "--packager", "deb", "--target", to)
	command.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0", "SOURCE_DATE_EPOCH="+strconv.FormatInt(p.time.Unix(), 10),
		"STAGE="+stage, "ARCH="+p.architecture, "VERSION="+strings.TrimPrefix(p.version, "v"))
	if said, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("nfpm: %w: %s", err, said)
	}
	return nil
}
