package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// architectures are the Linux architectures of a release, with zig's names for them.
// Releases are built on the first.
var architectures = []struct{ name, zig string }{{"amd64", "x86_64"}, {"arm64", "aarch64"}}

// mostBytes is the maximum size of a program.
const mostBytes = 56_000_000

// dist is the folder of the archives.
const dist = "dist"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	work := run
	if slices.Equal(os.Args[1:], []string{"size"}) {
		work = printSizes
	}
	err := work(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// changelogged fails if version is that of a tag, and the first section of CHANGELOG.md is
// that of another.
func changelogged(version string) error {
	text, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		return err
	}
	section := regexp.MustCompile(`(?m)^## (.+)$`).FindSubmatch(text)
	if regexp.MustCompile(`^v\d+\.\d+\.\d+$`).MatchString(version) && (section == nil || string(section[1]) != version) {
		return fmt.Errorf("CHANGELOG.md: the first section is not ## %s", version)
	}
	return nil
}

// run builds all archives, SBOMs and packages, and writes SHA256SUMS.
func run(ctx context.Context) (err error) {
	if on := runtime.GOOS + "/" + runtime.GOARCH; on != "linux/"+architectures[0].name {
		return fmt.Errorf("platform: got %s, want linux/%s", on, architectures[0].name)
	}
	if _, err := os.Stat("internal/httpapi/page/assets/built"); errors.Is(err, fs.ErrNotExist) {
		return errors.New("the page is not built: run make assets first")
	}
	if err := errors.Join(os.RemoveAll(dist), os.MkdirAll(dist, 0o755)); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "mintburn-release-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	var native *program
	for _, architecture := range architectures {
		p, err := build(ctx, architecture.name, architecture.zig, filepath.Join(work, architecture.name))
		if err != nil {
			return fmt.Errorf("%s: %w", architecture.name, err)
		}
		if architecture.name == runtime.GOARCH {
			native = p
		}
		if err := changelogged(p.version); err != nil {
			return err
		}
		files, err := contents(ctx, p, native)
		if err != nil {
			return fmt.Errorf("%s: %w", architecture.name, err)
		}
		name := fmt.Sprintf("mintburn_%s_linux_%s", p.version, architecture.name)
		archive, err := pack(name, p.time, files)
		if err != nil {
			return err
		}
		for _, file := range []file{{name: name + ".tar.gz", text: archive}, {name: name + ".cdx.json", text: files[sbomName].text}} {
			if err := os.WriteFile(filepath.Join(dist, file.name), file.text, 0o644); err != nil {
				return err
			}
		}
		if err := packDebian(ctx, p, files, filepath.Join(work, name), filepath.Join(dist, name+".deb")); err != nil {
			return fmt.Errorf("%s: %w", architecture.name, err)
		}
		fmt.Printf("%s: program %d bytes, archive %d bytes\n", name, p.size, len(archive))
	}
	written, err := os.ReadDir(dist)
	if err != nil {
		return err
	}
	var sums strings.Builder
	for _, entry := range written {
		text, err := os.ReadFile(filepath.Join(dist, entry.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(text), entry.Name())
	}
	return os.WriteFile(filepath.Join(dist, "SHA256SUMS"), []byte(sums.String()), 0o644)
}
