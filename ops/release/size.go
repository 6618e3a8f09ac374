package main

import (
	"cmp"
	"context"
	"debug/buildinfo"
	"debug/elf"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// leastRow is the fewest bytes that a part needs for a row of its own.
const leastRow = 500_000

// printSizes builds the program of a release with its symbols and prints what each part takes,
// as a Markdown table. A part takes its symbols, its share of Go's tables of functions, by its
// code, and the files that it embeds.
func printSizes(ctx context.Context) (err error) {
	work, err := os.MkdirTemp("", "mintburn-size-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	path := filepath.Join(work, "mintburn")
	if said, err := exec.CommandContext(ctx, "go", "build", "-tags", tags, "-o", path, ".").CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w: %s", err, said)
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return err
	}
	program, err := elf.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, program.Close()) }()
	symbols, err := program.Symbols()
	if err != nil {
		return err
	}
	var all, tables, code float64
	for _, section := range program.Sections {
		if section.Flags&elf.SHF_ALLOC != 0 && section.Type != elf.SHT_NOBITS {
			all += float64(section.Size)
		}
		if section.Name == ".gopclntab" {
			tables = float64(section.Size)
		}
	}
	parts, functions := map[string]float64{}, map[string]float64{}
	for _, s := range symbols {
		if int(s.Section) >= len(program.Sections) || program.Sections[s.Section].Type == elf.SHT_NOBITS {
			continue
		}
		if part := partOf(s.Name, info); part != "" && program.Sections[s.Section].Name != ".gopclntab" {
			parts[part] += float64(s.Size)
			if elf.ST_TYPE(s.Info) == elf.STT_FUNC && !strings.HasPrefix(part, "C: ") {
				functions[part] += float64(s.Size)
				code += float64(s.Size)
			}
		}
	}
	for part, size := range functions {
		parts[part] += size / code * tables
	}
	if err := addEmbedded(ctx, parts); err != nil {
		return err
	}
	const rest = "types, strings and constants of all parts"
	rows := map[string]float64{rest: all}
	for part, size := range parts {
		rows[rest] -= size
		if size < leastRow {
			part = "others, each below 0.5 MB"
		}
		rows[part] += size
	}
	fmt.Printf("| part | MB |\n| --- | --- |\n")
	for _, part := range slices.SortedFunc(maps.Keys(rows), func(a, b string) int { return cmp.Compare(rows[b], rows[a]) }) {
		fmt.Printf("| %s | %.1f |\n", part, rows[part]/1e6)
	}
	fmt.Printf("| all | %.1f |\n", all/1e6)
	return nil
}

// partOf returns the part that a symbol belongs to, or "" if its name does not tell.
func partOf(symbol string, info *buildinfo.BuildInfo) string {
	if !strings.Contains(symbol, ".") {
		if strings.HasPrefix(symbol, "secp256k1_") {
			return "C: libsecp256k1, of go-ethereum"
		}
		return "C: SQLite"
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(symbol, "type:.eq."), "[")
	if strings.Contains(name, ":") {
		return ""
	}
	slash := strings.LastIndex(name, "/") + 1
	last, _, _ := strings.Cut(name[slash:], ".")
	path := strings.ReplaceAll(name[:slash]+last, "%2e", ".")
	if inside, ours := strings.CutPrefix(path, info.Main.Path+"/"); ours || path == "main" {
		folder, _, _ := strings.Cut(inside, "/")
		return "Mintburn: " + folder
	}
	longest := ""
	for _, module := range info.Deps {
		if (path == module.Path || strings.HasPrefix(path, module.Path+"/")) && len(module.Path) > len(longest) {
			longest = module.Path
		}
	}
	return cmp.Or(longest, "Go: standard library and runtime")
}

// addEmbedded adds the sizes of the files that our packages embed.
func addEmbedded(ctx context.Context, parts map[string]float64) error {
	const each = "{{$p := .}}{{range .EmbedFiles}}{{$p.ImportPath}}\t{{$p.Dir}}/{{.}}\n{{end}}"
	list, err := exec.CommandContext(ctx, "go", "list", "-tags", tags, "-f", each, "./...").Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	for line := range strings.Lines(string(list)) {
		name, path, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if path == "" {
			continue
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		parts["files in "+name] += float64(info.Size())
	}
	return nil
}
