package command_test

import (
	"encoding/json"
	"encoding/pem"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// released is a clone of a commit and the archives built from it.
type released struct {
	folder string
	// archives contains the files of dist/ by name.
	archives map[string]string
	// unpacked contains the folder with each architecture's unpacked archive.
	unpacked map[string]string
}

// succeed runs a command that must succeed, and returns its output.
func succeed(t *testing.T, folder string, env []string, name string, args ...string) string {
	t.Helper()
	process := exec.CommandContext(t.Context(), name, args...)
	process.Dir, process.Env = folder, append(os.Environ(), env...)
	said, err := process.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v: %s", name, args, err, said)
	}
	return string(said)
}

// cloneHead clones the last commit of a repository.
func cloneHead(t *testing.T, repository string) (folder string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "clone")
	from, err := filepath.Abs(repository)
	expect.NoError(t, err)
	succeed(t, "", nil, "git", "clone", "--quiet", from, folder)
	return folder
}

// release runs make release in a new clone of a repository.
func release(t *testing.T, repository string, env ...string) released {
	t.Helper()
	r := released{folder: cloneHead(t, repository), archives: map[string]string{}, unpacked: map[string]string{}}
	t.Log(succeed(t, r.folder, env, "make", "release"))
	dist := filepath.Join(r.folder, "dist")
	entries, err := os.ReadDir(dist)
	expect.NoError(t, err)
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(dist, entry.Name()))
		expect.NoError(t, err)
		r.archives[entry.Name()] = string(text)
		if name, ok := strings.CutSuffix(entry.Name(), ".tar.gz"); ok {
			succeed(t, dist, nil, "tar", "xzf", entry.Name())
			r.unpacked[name[strings.LastIndex(name, "_")+1:]] = filepath.Join(dist, name)
		}
	}
	return r
}

// TestRelease builds the archives of the last commit twice and uses them. It runs with
// MINTBURN_RELEASE, as root, because it takes a quarter of an hour.
func TestRelease(t *testing.T) {
	if os.Getenv("MINTBURN_RELEASE") == "" {
		t.Skip("MINTBURN_RELEASE is not set")
	}
	r := release(t, root)
	t.Run("contents", r.contents)
	t.Run("empty chroot", r.inChroot)
	t.Run("embedded roots", r.embeddedRoots)
	t.Run("arm64", r.onArm64)
	t.Run("again", func(t *testing.T) {
		// With empty caches, nothing is reused from the first build.
		again := release(t, r.folder, "GOCACHE="+t.TempDir(), "ZIG_GLOBAL_CACHE_DIR="+t.TempDir())
		expect.Equal(t, "files", slices.Sorted(maps.Keys(r.archives)), slices.Sorted(maps.Keys(again.archives)))
		for name, text := range r.archives {
			if again.archives[name] != text {
				t.Errorf("%s differs", name)
			}
		}
	})
}

// contents checks the contents of the archives.
func (r released) contents(t *testing.T) {
	if len(r.archives) != 7 || len(r.unpacked) != 2 {
		t.Fatalf("dist has %v", slices.Sorted(maps.Keys(r.archives)))
	}
	succeed(t, filepath.Join(r.folder, "dist"), nil, "sha256sum", "--check", "--strict", "SHA256SUMS")
	commit := strings.TrimSpace(succeed(t, r.folder, nil, "git", "rev-parse", "HEAD"))
	for architecture, folder := range r.unpacked {
		stamp := succeed(t, "", nil, "go", "version", "-m", filepath.Join(folder, "mintburn"))
		for _, want := range []string{"vcs.revision=" + commit, "vcs.modified=false", "GOARCH=" + architecture, "CGO_ENABLED=1"} {
			if !strings.Contains(stamp, want) {
				t.Errorf("%s: stamped with no %s", architecture, want)
			}
		}
		program, err := os.ReadFile(filepath.Join(folder, "mintburn"))
		expect.NoError(t, err)
		if len(program) > 56_000_000 {
			t.Errorf("%s: the program has %d bytes, want at most 56 MB: go run ./ops/release size lists the parts", architecture, len(program))
		}
		if strings.Contains(string(program), r.folder) {
			t.Errorf("%s: the program names the folder that it was built in", architecture)
		}
		for _, name := range []string{
			"LICENSE", "CHANGELOG.md", "SECURITY.md", "licences.md", "schema.graphqls", "mintburn.service", "grafana.json", "alerts.yaml", "prometheus.yaml", "mintburn.1",
			"completions/mintburn.bash", "completions/_mintburn", "completions/mintburn.fish",
			"licences/musl/COPYRIGHT", "licences/github.com/ethereum/go-ethereum/COPYING.LESSER",
			"licences/github.com/ethereum/go-ethereum/crypto/secp256k1/libsecp256k1/COPYING",
		} {
			if info, err := os.Stat(filepath.Join(folder, name)); err != nil || info.Size() == 0 {
				t.Errorf("%s: %s is missing or empty: %v", architecture, name, err)
			}
		}
		var sbom struct {
			Metadata   struct{ Component struct{ Version string } }
			Components []struct{ PURL string }
		}
		text, err := os.ReadFile(filepath.Join(folder, "sbom.cdx.json"))
		expect.NoError(t, err)
		expect.NoError(t, json.Unmarshal(text, &sbom))
		if modules := strings.Count(stamp, "\tdep\t"); len(sbom.Components) < modules+20 {
			t.Errorf("%s: the SBOM has %d components, and Go stamped %d modules", architecture, len(sbom.Components), modules)
		}
		if !strings.Contains(stamp, "\tmod\t"+module+"\t"+sbom.Metadata.Component.Version) {
			t.Errorf("%s: the SBOM has version %s", architecture, sbom.Metadata.Component.Version)
		}
	}
}

// emptyRoot returns a new folder that contains only a program.
func emptyRoot(t *testing.T, program string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	text, err := os.ReadFile(program)
	expect.NoError(t, err)
	expect.NoError(t, os.WriteFile(filepath.Join(folder, "mintburn"), text, 0o755))
	return folder
}

// confined returns a function that makes a process run the program with folder as its root.
func confined(folder string, env ...string) func(*exec.Cmd) {
	return func(process *exec.Cmd) {
		process.Path, process.Err, process.Dir, process.Env = "/mintburn", nil, "/", env
		process.SysProcAttr = &syscall.SysProcAttr{Chroot: folder}
	}
}

// secureNode returns a node with blocks, its https URL, and its certificate.
func secureNode(t *testing.T) (node *chaintest.Node, address string, certificate []byte) {
	t.Helper()
	node = chaintest.NewNode(t, chaintest.NodeOptions{})
	node.MineEmpty(5)
	plain, err := url.Parse(node.URL)
	expect.NoError(t, err)
	secure := httptest.NewTLSServer(httputil.NewSingleHostReverseProxy(plain))
	t.Cleanup(secure.Close)
	return node, secure.URL, secure.Certificate().Raw
}

// follows fails unless a server indexes the head of a node.
func follows(t *testing.T, s *server, node *chaintest.Node) {
	t.Helper()
	blocks := node.Blocks()
	await(t, s, blocks[len(blocks)-1].Header.Hash.String())
}

// inChroot runs the program in an otherwise empty root. With the node's certificate, it
// follows the node; without it, it refuses the connection.
func (r released) inChroot(t *testing.T) {
	node, address, certificate := secureNode(t)
	folder := emptyRoot(t, filepath.Join(r.unpacked["amd64"], "mintburn"))
	args := []string{"--db", "/x.db", "--rpc", address, "--poll", "10ms"}
	s, process, ended := startProcess(t, confined(folder), args...)
	until(t, func() bool { return strings.Contains(s.output.String(), "certificate signed by unknown authority") })
	expect.NoError(t, process.Process.Signal(syscall.SIGTERM))
	expect.NoError(t, <-ended)
	expect.NoError(t, os.WriteFile(filepath.Join(folder, "roots.pem"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate}), 0o644))
	s, _, _ = startProcess(t, confined(folder, "SSL_CERT_FILE=/roots.pem"), args...)
	follows(t, s, node)
}

// embeddedRoots builds the program with the node's certificate in place of Mozilla's roots,
// and runs it on a system without roots.
func (r released) embeddedRoots(t *testing.T) {
	node, address, certificate := secureNode(t)
	clone := cloneHead(t, r.folder)
	const module = "golang.org/x/crypto/x509roots/fallback"
	fake := filepath.Join(clone, "roots")
	succeed(t, clone, nil, "cp", "--recursive", "--no-preserve=mode", strings.TrimSpace(succeed(t, clone, nil, "go", "list", "-m", "-f", "{{.Dir}}", module)), fake)
	bundle := "package bundle\n\nvar unparsedCertificates = []unparsedCertificate{{certLength: " + strconv.Itoa(len(certificate)) + "}}\n"
	expect.NoError(t, os.WriteFile(filepath.Join(fake, "bundle", "bundle.go"), []byte(bundle), 0o644))
	expect.NoError(t, os.WriteFile(filepath.Join(fake, "bundle", "bundle.der"), certificate, 0o644))
	succeed(t, clone, nil, "go", "mod", "edit", "-replace", module+"=./roots")
	program := filepath.Join(t.TempDir(), "mintburn")
	succeed(t, clone, nil, "go", "build", "-tags", "netgo,osusergo,parquet", "-ldflags", "-linkmode external -extldflags -static", "-o", program, ".")
	s, _, _ := startProcess(t, confined(emptyRoot(t, program)), "--db", "/x.db", "--rpc", address, "--poll", "10ms")
	follows(t, s, node)
}

// onArm64 runs the demo of the arm64 build under QEMU.
func (r released) onArm64(t *testing.T) {
	emulator, err := exec.LookPath("qemu-aarch64-static")
	if err != nil {
		chaintest.Absent(t, "qemu-user-static is not installed")
	}
	folder := emptyRoot(t, filepath.Join(r.unpacked["arm64"], "mintburn"))
	succeed(t, "", nil, "cp", emulator, filepath.Join(folder, "qemu"))
	expect.NoError(t, os.Mkdir(filepath.Join(folder, "tmp"), 0o777))
	s, _, _ := startProcess(t, func(process *exec.Cmd) {
		confined(folder)(process)
		process.Path, process.Args = "/qemu", []string{"qemu", "/mintburn", "demo", "--listen", "127.0.0.1:0"}
		process.Stdout = process.Stderr
	})
	got := s.Send(t, http.MethodGet, "/v1/block/82/nft/mints?limit=1", "")
	if got.Status != http.StatusOK || !strings.Contains(got.Body, `"total_items":3`) {
		t.Errorf("status %d: %s", got.Status, got.Body)
	}
}
