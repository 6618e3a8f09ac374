package chaintest

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Anvil starts anvil on a free port of the loopback interface with further
// arguments, and returns host:port, where it serves HTTP and WebSocket. It is
// stopped at the end of the test. Where web/node_modules does not hold it the
// test is skipped, or fails when MINTBURN_REQUIRE_ALL is set.
func Anvil(t testing.TB, args ...string) string {
	t.Helper()
	binary := findAnvil(t)
	command := exec.Command(binary, append([]string{"--host", "127.0.0.1", "--port", "0"}, args...)...)
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	command.Stderr = &said
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		// It says this when it answers.
		if _, address, ok := strings.Cut(lines.Text(), "Listening on "); ok {
			// Nobody reads what it prints later: it must not block on it.
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return strings.TrimSpace(address)
		}
	}
	t.Fatal(fmt.Errorf("anvil ended: %s", said.String()))
	return ""
}

func findAnvil(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		path := filepath.Join(dir, "web", "node_modules", "@foundry-rs", "anvil-linux-amd64", "bin", "anvil")
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	const absent = "anvil is absent: run npm ci in web"
	if os.Getenv("MINTBURN_REQUIRE_ALL") != "" {
		t.Fatal(absent)
	}
	t.Skip(absent)
	return ""
}
