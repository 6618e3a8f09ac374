package command_test

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// stage is a stage of an image that is built without a container engine. A folder contains
// its changes to the base, which is this machine's root or empty.
type stage struct {
	changed, work, mounted string
	// folder is the WORKDIR.
	folder string
	// env contains the last ENV, user the USER, and check the command of HEALTHCHECK.
	env         []string
	user, check string
}

// path returns the path outside the image for a path inside.
func (s *stage) path(inside string) string {
	if !path.IsAbs(inside) {
		inside = path.Join(s.folder, inside)
	}
	return filepath.Join(s.changed, inside)
}

// newStage returns a stage without changes. If it is mounted, its base is this machine's root.
func newStage(t *testing.T) *stage {
	t.Helper()
	folder := t.TempDir()
	s := &stage{changed: filepath.Join(folder, "changed"), work: filepath.Join(folder, "work"), mounted: filepath.Join(folder, "mounted"), folder: "/"}
	for _, sub := range []string{s.changed, s.work, s.mounted} {
		expect.NoError(t, os.Mkdir(sub, 0o755))
	}
	return s
}

// run runs a shell script with the mounted stage as its root, and returns its output.
func (s *stage) run(t *testing.T, script string) string {
	t.Helper()
	run := namespace(`mount -t overlay overlay -o "lowerdir=/,upperdir=$1,workdir=$2" "$3"
		mount --rbind /proc "$3/proc"; mount --rbind /dev "$3/dev"
		exec chroot "$3" sh -ec 'cd "$1"; eval "$2"' sh "$4" "$5"`, s.changed, s.work, s.mounted, s.folder, script)
	// Go stamps the version, as it does in the image.
	return succeed(t, "/", []string{"GOFLAGS=-buildvcs=auto"}, run[0], run[1:]...)
}

// namespace returns a command that runs a shell script in a separate mount namespace. args
// are "$1" and so on.
func namespace(script string, args ...string) []string {
	return append([]string{"unshare", "--mount", "sh", "-ec", script, "sh"}, args...)
}

// image carries out the steps of Dockerfile in a clone and returns the last stage.
func image(t *testing.T, context string) (last *stage) {
	t.Helper()
	stages := map[string]*stage{}
	for _, i := range dockerfile(t) {
		words := strings.Fields(i.args)
		switch i.name {
		case "FROM":
			last = newStage(t)
			stages[words[len(words)-1]] = last
		case "WORKDIR":
			last.folder = i.args
			expect.NoError(t, os.MkdirAll(last.path("."), 0o755))
		case "COPY":
			last.copy(t, context, stages, words)
		case "RUN":
			t.Logf("RUN %s", i.args)
			last.run(t, i.args)
		case "ENV":
			last.env = words
		case "USER":
			last.user = i.args
		case "HEALTHCHECK":
			_, last.check, _ = strings.Cut(i.args, "CMD ")
		}
	}
	return last
}

// copy carries out COPY.
func (s *stage) copy(t *testing.T, context string, stages map[string]*stage, words []string) {
	t.Helper()
	owner := ""
	outside := func(name string) string { return filepath.Join(context, name) }
	for strings.HasPrefix(words[0], "--") {
		name, value, _ := strings.Cut(words[0], "=")
		switch name {
		case "--from":
			outside = stages[value].path
		case "--chown":
			owner = value
		default:
			t.Fatalf("COPY %s: not known here", words[0])
		}
		words = words[1:]
	}
	from, to := words[:len(words)-1], words[len(words)-1]
	target := s.path(to)
	folder := target
	if info, err := os.Stat(outside(from[0])); err == nil && !info.IsDir() && !strings.HasSuffix(to, "/") {
		folder = filepath.Dir(target)
	}
	expect.NoError(t, os.MkdirAll(folder, 0o755))
	for _, name := range from {
		source := outside(name)
		if info, err := os.Stat(source); err == nil && info.IsDir() {
			source += "/."
		}
		succeed(t, "", nil, "cp", "--archive", source, target)
	}
	if owner != "" {
		succeed(t, "", nil, "chown", "--recursive", owner, target)
	}
}

// TestImage carries out the steps of Dockerfile in a chroot, because there is no container
// engine. It runs the result as an engine would: without capabilities, and with a read-only
// root. This machine's tools replace the images of Node.js and Go. The test runs with
// MINTBURN_RELEASE, as root.
func TestImage(t *testing.T) {
	if os.Getenv("MINTBURN_RELEASE") == "" {
		t.Skip("MINTBURN_RELEASE is not set")
	}
	built := image(t, cloneHead(t, root))
	expect.NoError(t, os.Remove(built.work))
	// The permissions outside the image do not matter.
	for folder := built.changed; folder != os.TempDir() && folder != "/"; folder = filepath.Dir(folder) {
		expect.NoError(t, os.Chmod(folder, 0o755))
	}
	inside := func(args ...string) []string {
		return namespace(`root=$1; user=$2; shift 2
			mount --bind "$root" "$root"; mount --bind "$root/data" "$root/data"; mount -o remount,ro,bind "$root"
			exec chroot --userspec="$user" "$root" "$@"`, append([]string{built.changed, built.user}, args...)...)
	}
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	node.MineEmpty(5)
	s, process, _ := startProcess(t, func(process *exec.Cmd) {
		args := inside("/mintburn", "serve", "--listen", "127.0.0.1:0", "--rpc", node.URL, "--poll", "10ms")
		unshare, err := exec.LookPath(args[0])
		expect.NoError(t, err)
		process.Path, process.Args, process.Env, process.Err = unshare, args, append(built.env, "PATH="+os.Getenv("PATH")), nil
	})
	follows(t, s, node)
	check := strings.NewReplacer("[", "", "]", "", `"`, "", ",", " ").Replace(built.check)
	health := inside(append(strings.Fields(check), "--listen", strings.TrimPrefix(s.Base, "http://"))...)
	expect.Equal(t, "health", "ok\n", succeed(t, "", nil, health[0], health[1:]...))
	info, err := os.Stat(filepath.Join(built.changed, "data", "mintburn.db"))
	expect.NoError(t, err)
	if owner := info.Sys().(*syscall.Stat_t); fmt.Sprintf("%d:%d", owner.Uid, owner.Gid) != built.user {
		t.Errorf("the database belongs to %d:%d, want %s", owner.Uid, owner.Gid, built.user)
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", process.Process.Pid))
	expect.NoError(t, err)
	if !strings.Contains(string(status), "\nCapEff:\t0000000000000000\n") {
		t.Errorf("the program has capabilities: %s", status)
	}
	version := inside("/mintburn", "version")
	if printed := succeed(t, "", nil, version[0], version[1:]...); strings.Contains(printed, "unknown") || strings.Contains(printed, "devel") {
		t.Errorf("version prints %s", printed)
	}
	elsewhere := inside("/mintburn", "migrate", "--db", "/elsewhere.db")
	failing := exec.CommandContext(t.Context(), elsewhere[0], elsewhere[1:]...)
	if said, err := failing.CombinedOutput(); err == nil || !strings.Contains(string(said), "unable to open database file") {
		t.Errorf("the root may be written: %v: %s", err, said)
	}
}
