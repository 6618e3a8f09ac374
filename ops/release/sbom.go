package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// The parts of a CycloneDX 1.6 document that this command writes.
type (
	document struct {
		Format      string      `json:"bomFormat"`
		SpecVersion string      `json:"specVersion"`
		Version     int         `json:"version"`
		Metadata    metadata    `json:"metadata"`
		Components  []component `json:"components"`
	}
	metadata struct {
		Timestamp string    `json:"timestamp"`
		Component component `json:"component"`
	}
	component struct {
		Type     string          `json:"type"`
		Name     string          `json:"name"`
		Version  string          `json:"version,omitempty"`
		PURL     string          `json:"purl,omitempty"`
		Hashes   []hash          `json:"hashes,omitempty"`
		Licences []licenceChoice `json:"licenses"`
	}
	hash struct {
		Algorithm string `json:"alg"`
		Content   string `json:"content"`
	}
	licenceChoice struct {
		Licence struct {
			ID string `json:"id"`
		} `json:"license"`
	}
)

// licenceRow matches the rows of docs/licences.md.
var licenceRow = regexp.MustCompile(`(?m)^\| (\S+) \| (\S+) \| (\S+) \|$`)

// sbom returns a CycloneDX document of a program's components: Go, musl, the modules in its
// build information, and the npm packages of the page. Licences come from docs/licences.md.
// It fails if that list lacks a module in its linked version.
func sbom(p *program, licences []byte) ([]byte, error) {
	modules, packages, ok := bytes.Cut(licences, []byte("## npm packages of the page"))
	if !ok {
		return nil, errors.New("docs/licences.md has no list of npm packages")
	}
	known := map[string]string{}
	for _, row := range licenceRow.FindAllSubmatch(modules, -1) {
		known[string(row[1])+"@"+string(row[2])] = string(row[3])
	}
	d := document{Format: "CycloneDX", SpecVersion: "1.6", Version: 1}
	d.Metadata.Timestamp = p.time.Format(time.RFC3339)
	d.Metadata.Component = newComponent("application", "mintburn", p.version, "pkg:golang/"+p.info.Main.Path+"@"+url.PathEscape(p.version), "Apache-2.0")
	goVersion := strings.TrimPrefix(p.info.GoVersion, "go")
	d.Components = append(d.Components,
		newComponent("library", "std", goVersion, "pkg:golang/std@"+goVersion, "BSD-3-Clause"),
		newComponent("library", "musl", "", "pkg:generic/musl", "MIT"))
	for _, module := range p.info.Deps {
		licence := known[module.Path+"@"+module.Version]
		if licence == "" {
			return nil, fmt.Errorf("docs/licences.md does not list %s %s", module.Path, module.Version)
		}
		c := newComponent("library", module.Path, module.Version, "pkg:golang/"+module.Path+"@"+url.PathEscape(module.Version), licence)
		sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(module.Sum, "h1:"))
		if err != nil || len(sum) == 0 {
			return nil, fmt.Errorf("%s has no checksum", module.Path)
		}
		c.Hashes = []hash{{"SHA-256", hex.EncodeToString(sum)}}
		d.Components = append(d.Components, c)
	}
	for _, row := range licenceRow.FindAllSubmatch(packages, -1) {
		name, version, licence := string(row[1]), string(row[2]), string(row[3])
		if name == "package" || name == "---" {
			continue
		}
		d.Components = append(d.Components, newComponent("library", name, version, "pkg:npm/"+strings.Replace(name, "@", "%40", 1)+"@"+version, licence))
	}
	text, err := json.MarshalIndent(d, "", "  ")
	return append(text, '\n'), err
}

func newComponent(kind, name, version, purl, licence string) component {
	var choice licenceChoice
	choice.Licence.ID = licence
	return component{Type: kind, Name: name, Version: version, PURL: purl, Licences: []licenceChoice{choice}}
}
